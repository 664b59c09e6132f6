import type { Origin } from "../../../kernel/base/call.ts";
import type { WriteTransaction } from "../../../kernel/base/database.ts";
import type { SecondFactorId, UserId } from "../../../kernel/base/ids.ts";
import type { Problem } from "../../../kernel/base/problem.ts";
import type { NewEvent } from "../../../kernel/events/event.ts";
import { verifyAssertion } from "../../../kernel/webauthn/assertion-verification.ts";
import { credentialIdOf } from "../../../kernel/webauthn/assertion.ts";
import { challengeOf } from "../../../kernel/webauthn/client-data.ts";
import { credentialRefused } from "../../../kernel/webauthn/refusal.ts";
import type { FeatureContext } from "../../context.ts";
import { findUserById } from "../../people/user/repository.ts";
import { reserveTry, resetTries } from "../../logins/tries/repository.ts";
import { factorCounterOf, factorLimits } from "../../logins/tries/try.ts";
import { isCounterRegressed } from "../authenticators/authenticator.ts";
import {
  type ChallengeBinding,
  putLoginChallenge,
  useLoginChallenge,
} from "../authenticators/challenge-repository.ts";
import {
  expectedAt,
  newChallenge,
  type UnprovedAuthenticator,
  wrongIfRefused,
} from "../authenticators/challenge.ts";
import { beginLoginRegistration, checkLoginRegistration } from "../authenticators/login-registration.ts";
import { loginPartyOf, type RelyingParties, type RelyingParty } from "../authenticators/relying-party.ts";
import {
  counterRegressed,
  type FactorCheck,
  type LoginFactor,
  type RequestOptions,
  requestOptions,
} from "./login.ts";
import { listLoginFactors } from "./repository.ts";
import { u2fKind } from "./u2f.ts";

/** A user whose first factor was proved, in a login with that id. */
export interface LoggingIn {
  /** The issuer, from which the relying party of the pages follows. */
  readonly issuer: string;
  readonly loginId: string;
  readonly userId: UserId;
  /** What was proved before. */
  readonly methods: readonly string[];
}

/** A second factor that was proved. It counts once `settle` has run in the write that notes it. */
export interface ProvedFactor {
  readonly kind: "right";
  /** Whose factor it is: it counts in a login of no other user. */
  readonly userId: UserId;
  /**
   * Returns the check as it is noted, and the events to record. Raises a problem if the proof is of no use any more: the
   * factor was removed, or registered for somebody else, or the challenge was used.
   */
  readonly settle: (tx: WriteTransaction) => Promise<SettledFactor>;
}

/** A security key that was proved. It counts once `settle` has run in the write that notes it. */
export interface ProvedKey {
  readonly kind: "right";
  /** Whose key it is: it proves nothing for anybody else. */
  readonly userId: UserId;
  /**
   * As for other factors. Undefined: another login has used the key with the same counter or a higher one since, so there may be a
   * copy of it. That is recorded in the write, and counts as a wrong try.
   */
  readonly settle: (tx: WriteTransaction) => Promise<SettledFactor | undefined>;
}

/** A check of a login, and the events that came from it. */
export interface SettledFactor {
  readonly check: FactorCheck;
  readonly events: readonly NewEvent[];
}

/** Why a second factor was not proved. */
export type UnprovedFactor = UnprovedAuthenticator;

/** What second factors do for logins. */
export interface FactorLogins {
  /** Returns the relying party id of the pages of an issuer; undefined: there is none, and no factor counts there. */
  domainOf(issuer: string): string | undefined;
  /** Makes the challenge of a login, instead of the one before. Undefined: the user has no factor for these pages. */
  begin(login: LoggingIn): Promise<RequestOptions | undefined>;
  /** Checks the answer of a security key (WebAuthn §7.2). A challenge is good for one answer, right or wrong. */
  check(login: LoggingIn, answer: unknown, origin: Origin): Promise<ProvedKey | UnprovedFactor>;
  /** Makes the challenge for a new factor. Undefined: these pages have no relying party, so nothing can be registered. */
  beginRegistration(login: LoggingIn): Promise<object | undefined>;
  /** Checks the answer of a new security key (WebAuthn §7.1), which is also a check of the login. */
  checkRegistration(
    login: LoggingIn,
    input: { readonly answer: unknown; readonly name: string },
  ): Promise<ProvedFactor | UnprovedFactor>;
}

/** Creates what second factors do for logins, with the relying parties that are configured. */
export function createFactorLogins(context: FeatureContext, parties: RelyingParties): FactorLogins {
  const partyOf = ({ issuer }: LoggingIn) => loginPartyOf(parties, issuer);
  return {
    domainOf: (issuer) => loginPartyOf(parties, issuer)?.id,
    begin: (login) => begin(context, partyOf(login), login),
    check: (login, answer, origin) =>
      wrongIfRefused(() => check(context, partyOf(login), { login, answer, origin })),
    async beginRegistration(login) {
      const party = partyOf(login);
      return party && (await beginLoginRegistration(toRegistration(context, party, login), parties.name));
    },
    checkRegistration: (login, input) =>
      wrongIfRefused(() => checkRegistration(context, partyOf(login), { login, ...input })),
  };
}

async function begin(
  context: FeatureContext,
  party: RelyingParty | undefined,
  login: LoggingIn,
): Promise<RequestOptions | undefined> {
  if (party === undefined) return undefined;
  const challenge = newChallenge(context);
  const factors = await context.database.write(async (tx) => {
    await putLoginChallenge(tx, bindingOf(login, "second-factor"), challenge);
    return await listLoginFactors(tx, login.userId, party.id);
  });
  return factors.length === 0 ? undefined : requestOptions(party, factors, challenge.value);
}

async function check(
  context: FeatureContext,
  party: RelyingParty | undefined,
  { login, answer, origin }: { readonly login: LoggingIn; readonly answer: unknown; readonly origin: Origin },
): Promise<ProvedKey | UnprovedFactor> {
  const { userId } = login;
  const counted = factorCounterOf(context.keyring, userId);
  const value = challengeOf(answer, "webauthn.get");
  const credentialId = credentialIdOf(answer);
  const begun = await context.database.write(async (tx) => {
    const nowMs = context.clock.nowMs();
    const tried = await reserveTry(tx, { ...counted, userId, nowMs, limits: factorLimits });
    if (!tried.isAllowed) return tried;
    const isOpen = await useLoginChallenge(tx, bindingOf(login, "second-factor"), { value, nowMs });
    const factors = party === undefined ? [] : await listLoginFactors(tx, login.userId, party.id);
    const user = await findUserById(tx, userId);
    return {
      isAllowed: true,
      isOpen,
      importedId: user?.kind === "human" ? user.importedId : "",
      factor: factors.find((each) => each.credentialId === credentialId),
    } as const;
  });
  if (!begun.isAllowed) return { kind: "paused", retryAfterMs: begun.retryAfterMs };
  const { isOpen, factor, importedId } = begun;
  if (!isOpen) throw credentialRefused("U2F_CHALLENGE_INVALID");
  if (party === undefined || factor === undefined) throw notOfUser();
  const { counter } = verifyAssertion(answer, {
    ...factor,
    ...expectedAt(party, value),
    userHandle: Buffer.from(login.userId),
    // A key of another system knows the user by the id there, which nobody else has.
    formerUserHandle: importedId === "" ? undefined : Buffer.from(importedId),
  });
  const record = (tx: WriteTransaction, now: LoginFactor) =>
    context.log.append(tx, origin, [counterRegressed(now, counter)]);
  if (isCounterRegressed(factor.counter, counter)) {
    await context.database.write((tx) => record(tx, factor));
    return { kind: "wrong", reason: "COUNTER_REGRESSED" };
  }
  return {
    kind: "right",
    userId: login.userId,
    async settle(tx) {
      const factors = await listLoginFactors(tx, login.userId, party.id);
      const now = factors.find(({ id }) => id === factor.id);
      if (now === undefined) throw notOfUser();
      if (isCounterRegressed(now.counter, counter)) {
        await record(tx, now);
        return undefined;
      }
      await resetTries(tx, counted);
      return { check: toCheck(factor.id, counter), events: [] };
    },
  };
}

function toRegistration(context: FeatureContext, party: RelyingParty, login: LoggingIn) {
  return { context, party, kind: u2fKind, binding: bindingOf(login, "registration"), methods: login.methods };
}

async function checkRegistration(
  context: FeatureContext,
  party: RelyingParty | undefined,
  input: { readonly login: LoggingIn; readonly answer: unknown; readonly name: string },
): Promise<ProvedFactor | UnprovedFactor> {
  if (party === undefined) throw credentialRefused("U2F_RP_ID_INVALID");
  const checked = await checkLoginRegistration(toRegistration(context, party, input.login), input);
  if (checked.kind !== "right") return checked;
  return {
    kind: "right",
    userId: input.login.userId,
    async settle(tx) {
      const { factor, events } = await checked.settle(tx);
      return { check: toCheck(factor.id, factor.counter), events };
    },
  };
}

function bindingOf({ loginId, userId }: LoggingIn, ceremony: ChallengeBinding["ceremony"]) {
  return { loginId, userId, ceremony };
}

function toCheck(id: SecondFactorId, counter: number): FactorCheck {
  return { method: "U2F", factor: { id, counter } };
}

function notOfUser(): Problem {
  return credentialRefused("U2F_CREDENTIAL_MALFORMED", { description: "is no factor of the user" });
}
