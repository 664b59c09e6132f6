import type { WriteTransaction } from "../../../kernel/base/database.ts";
import type { PasskeyId, UserId } from "../../../kernel/base/ids.ts";
import type { Problem } from "../../../kernel/base/problem.ts";
import type { NewEvent } from "../../../kernel/events/event.ts";
import { verifyAssertion } from "../../../kernel/webauthn/assertion-verification.ts";
import { credentialIdOf } from "../../../kernel/webauthn/assertion.ts";
import { challengeOf } from "../../../kernel/webauthn/client-data.ts";
import { credentialRefused } from "../../../kernel/webauthn/refusal.ts";
import type { FeatureContext } from "../../context.ts";
import type { LoginOrigin } from "../../logins/login-origins/login-origin.ts";
import { releaseTry, reserveTry } from "../../logins/tries/repository.ts";
import { addressKeyOf, addressLimits } from "../../logins/tries/try.ts";
import { isCounterRegressed, toUserHandle } from "../authenticators/authenticator.ts";
import {
  expectedAt,
  newChallenge,
  type UnprovedAuthenticator,
  wrongIfRefused,
} from "../authenticators/challenge.ts";
import { putLoginChallenge, useLoginChallenge } from "../authenticators/challenge-repository.ts";
import { beginLoginRegistration, checkLoginRegistration } from "../authenticators/login-registration.ts";
import { loginPartyOf, type RelyingParties, type RelyingParty } from "../authenticators/relying-party.ts";
import {
  changeBackup,
  type LoginPasskey,
  passkeyCounterRegressed,
  passkeyKind,
  type PasskeyRequestOptions,
  passkeyRequestOptions,
} from "./passkey.ts";
import { findLoginPasskey } from "./repository.ts";

/** A login in which a passkey identifies the user. */
export interface PasskeyLogin {
  /** The issuer, from which the relying party of the pages follows. */
  readonly issuer: string;
  readonly loginId: string;
}

/** The answer of a device to a login, and where it came from. */
export interface PasskeyAnswer {
  readonly answer: unknown;
  readonly remoteAddress: string | undefined;
  readonly requestId: string;
}

/** A passkey that was proved. It counts once `settle` has run in the write that notes it. */
export interface ProvedPasskey {
  readonly kind: "right";
  /** The caller has to find out whether this user may log in. */
  readonly userId: UserId;
  /**
   * Returns the check as it is noted, and the events to record; undefined if the passkey was removed or questioned since, or
   * another login has used it with the same counter or a higher one, which is recorded in the write. That counts as a wrong try.
   */
  readonly settle: (tx: WriteTransaction) => Promise<SettledPasskey | undefined>;
}

/** A check of a login, and the events that came from it. */
export interface SettledPasskey {
  readonly check: {
    readonly method: "PASSKEY";
    readonly factor: { readonly id: PasskeyId; readonly counter: number };
  };
  readonly events: readonly NewEvent[];
}

/** What passkeys do for logins. */
export interface PasskeyLogins {
  /** Makes the challenge of a login, instead of the one before. Undefined: these pages have no relying party. */
  begin(login: PasskeyLogin): Promise<PasskeyRequestOptions | undefined>;
  /**
   * Checks the answer of a device (WebAuthn §7.2). A challenge is good for one answer, right or wrong. Tries are counted by address
   * alone: counted by user, anybody could keep a user out.
   */
  check(login: PasskeyLogin, answered: PasskeyAnswer): Promise<ProvedPasskey | UnprovedAuthenticator>;
  /** Makes the challenge for a new passkey. Undefined: these pages have no relying party, so nothing can be registered. */
  beginRegistration(session: PasskeySession): Promise<object | undefined>;
  /**
   * Checks the answer of a device with a new passkey (WebAuthn §7.1). The device has verified its user, so it is also a check of
   * the session.
   */
  checkRegistration(
    session: PasskeySession,
    input: { readonly answer: unknown; readonly name: string },
  ): Promise<NewPasskey | UnprovedAuthenticator>;
}

/** A session in which its user adds a passkey. */
export interface PasskeySession extends PasskeyLogin {
  readonly userId: UserId;
  /** What was proved in it. */
  readonly methods: readonly string[];
}

/**
 * A passkey that was registered. It counts once `settle` has run in a write, which raises a problem if it is of no use any more.
 * `loginOrigin` is as of `GoodRegistration`.
 */
export interface NewPasskey {
  readonly kind: "right";
  readonly settle: (tx: WriteTransaction, loginOrigin?: LoginOrigin) => Promise<SettledPasskey>;
}

/** Creates what passkeys do for logins, with the relying parties that are configured. */
export function createPasskeyLogins(context: FeatureContext, parties: RelyingParties): PasskeyLogins {
  return {
    begin: (login) => begin(context, loginPartyOf(parties, login.issuer), login),
    check: (login, answered) =>
      wrongIfRefused(() => check(context, loginPartyOf(parties, login.issuer), { ...answered, login })),
    async beginRegistration(session) {
      const party = loginPartyOf(parties, session.issuer);
      return party && (await beginLoginRegistration(toRegistration(context, party, session), parties.name));
    },
    checkRegistration: (session, input) =>
      wrongIfRefused(() =>
        checkRegistration(context, loginPartyOf(parties, session.issuer), { ...input, session }),
      ),
  };
}

function toRegistration(context: FeatureContext, party: RelyingParty, session: PasskeySession) {
  const { loginId, userId, methods } = session;
  const ceremony = "passkey-registration" as const;
  return { context, party, kind: passkeyKind, binding: { loginId, userId, ceremony }, methods };
}

async function checkRegistration(
  context: FeatureContext,
  party: RelyingParty | undefined,
  input: { readonly session: PasskeySession; readonly answer: unknown; readonly name: string },
): Promise<NewPasskey | UnprovedAuthenticator> {
  if (party === undefined) throw credentialRefused("U2F_RP_ID_INVALID");
  const checked = await checkLoginRegistration(toRegistration(context, party, input.session), input);
  if (checked.kind !== "right") return checked;
  return {
    kind: "right",
    async settle(tx, loginOrigin) {
      const { factor, events } = await checked.settle(tx, loginOrigin);
      return { check: { method: "PASSKEY", factor }, events };
    },
  };
}

async function begin(
  context: FeatureContext,
  party: RelyingParty | undefined,
  login: PasskeyLogin,
): Promise<PasskeyRequestOptions | undefined> {
  if (party === undefined) return undefined;
  const challenge = newChallenge(context);
  await context.database.write((tx) => putLoginChallenge(tx, bindingOf(login), challenge));
  return passkeyRequestOptions(party, challenge.value);
}

async function check(
  context: FeatureContext,
  party: RelyingParty | undefined,
  answered: PasskeyAnswer & { readonly login: PasskeyLogin },
): Promise<ProvedPasskey | UnprovedAuthenticator> {
  const { database, clock, log } = context;
  const { answer, login, remoteAddress, requestId } = answered;
  if (party === undefined) throw credentialRefused("U2F_RP_ID_INVALID");
  const value = challengeOf(answer, "webauthn.get");
  const asked = { credentialId: credentialIdOf(answer), domain: party.id };
  const counter = { kind: "address", key: addressKeyOf(context.keyring, remoteAddress) } as const;
  const reservedMs = clock.nowMs();
  const begun = await database.write(async (tx) => {
    const tried = await reserveTry(tx, { ...counter, nowMs: reservedMs, limits: addressLimits });
    if (!tried.isAllowed) return tried;
    const isOpen = await useLoginChallenge(tx, bindingOf(login), { value, nowMs: reservedMs });
    return { isAllowed: true, isOpen, passkey: await findLoginPasskey(tx, asked) } as const;
  });
  if (!begun.isAllowed) return { kind: "paused", retryAfterMs: begun.retryAfterMs };
  const { isOpen, passkey } = begun;
  if (!isOpen) throw credentialRefused("U2F_CHALLENGE_INVALID");
  if (passkey === undefined) throw unknownPasskey();
  const verified = verifyAnswer(answer, passkey, expectedAt(party, value));
  const origin = { editor: passkey.userId, remoteAddress, requestId };
  const record = (tx: WriteTransaction, now: LoginPasskey) =>
    log.append(tx, origin, [passkeyCounterRegressed(now, verified.counter)]);
  if (isCounterRegressed(passkey.counter, verified.counter)) {
    await database.write((tx) => record(tx, passkey));
    return { kind: "wrong", reason: "COUNTER_REGRESSED" };
  }
  return {
    kind: "right",
    userId: passkey.userId,
    async settle(tx) {
      const found = await findLoginPasskey(tx, asked);
      if (found?.id !== passkey.id) return undefined;
      if (isCounterRegressed(found.counter, verified.counter)) {
        await record(tx, found);
        return undefined;
      }
      await releaseTry(tx, counter, { reservedMs, nowMs: clock.nowMs() });
      return {
        check: { method: "PASSKEY", factor: { id: found.id, counter: verified.counter } },
        events: changeBackup(found, verified.isBackedUp),
      };
    },
  };
}

/** Raises the reason of the first check that fails. */
function verifyAnswer(
  answer: unknown,
  passkey: LoginPasskey,
  expected: ReturnType<typeof expectedAt>,
): { readonly counter: number; readonly isBackedUp: boolean } {
  const userHandle = toUserHandle(passkey.userId);
  const verified = verifyAssertion(answer, {
    ...passkey,
    ...expected,
    userHandle,
    isPasswordless: true,
  });
  // WebAuthn §7.2 step 20 (level 3): what may be copied is decided when a credential is made.
  if (verified.isBackupEligible !== passkey.isBackupEligible) throw unknownPasskey();
  return verified;
}

function bindingOf({ loginId }: PasskeyLogin) {
  return { loginId, userId: undefined, ceremony: "passkey" } as const;
}

function unknownPasskey(): Problem {
  return credentialRefused("U2F_CREDENTIAL_MALFORMED", { description: "is no passkey of these pages" });
}
