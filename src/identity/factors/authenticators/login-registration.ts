import type { ReadTransaction, WriteTransaction } from "../../../kernel/base/database.ts";
import type { UserId } from "../../../kernel/base/ids.ts";
import type { NewEvent } from "../../../kernel/events/event.ts";
import type { VerifiedCredential } from "../../../kernel/webauthn/credential.ts";
import { challengeOf } from "../../../kernel/webauthn/client-data.ts";
import { verifyCredential } from "../../../kernel/webauthn/registration-verification.ts";
import { credentialRefused } from "../../../kernel/webauthn/refusal.ts";
import type { FeatureContext } from "../../context.ts";
import type { LoginOrigin } from "../../logins/login-origins/login-origin.ts";
import { findLoginOrigin } from "../../logins/login-origins/repository.ts";
import { findUserById } from "../../people/user/repository.ts";
import { type HumanUser, requireHuman } from "../../people/user/user.ts";
import {
  type AuthenticatorId,
  type AuthenticatorKind,
  credentialTaken,
  requireAuthenticatorsBelowLimit,
} from "./authenticator.ts";
import { type ChallengeBinding, putLoginChallenge, useLoginChallenge } from "./challenge-repository.ts";
import { expectedAt, newChallenge, type UnprovedAuthenticator } from "./challenge.ts";
import { creationOptions } from "./creation-options.ts";
import { listExcluded } from "./commands.ts";
import type { RelyingParty } from "./relying-party.ts";
import { isCredentialTaken, listCredentialIds } from "./repository.ts";

/** A registration on pages of ours, in a login or a session. Nothing is stored of it but its challenge. */
export interface LoginRegistration<Id extends AuthenticatorId> {
  readonly context: FeatureContext;
  /** The relying party of the pages. */
  readonly party: RelyingParty;
  readonly kind: AuthenticatorKind<Id>;
  readonly binding: ChallengeBinding & { readonly userId: UserId };
  /** What was proved in the login, or in the session. */
  readonly methods: readonly string[];
}

/** An answer that was good. The authenticator is registered once `settle` has run in a write. */
export interface GoodRegistration<Id extends AuthenticatorId> {
  readonly kind: "right";
  /**
   * Returns the new authenticator, and the events to record. Raises the reason of a challenge that is over, ALREADY_EXISTS and
   * LIMIT_REACHED. `loginOrigin` are the other people that could have come so far in place of the user; by default those of the
   * methods that were proved.
   */
  readonly settle: (
    tx: WriteTransaction,
    loginOrigin?: LoginOrigin,
  ) => Promise<{
    readonly factor: { readonly id: Id; readonly counter: number };
    readonly events: readonly NewEvent[];
  }>;
}

/** Makes the challenge of a registration, instead of the one before, and returns the options for the browser. */
export async function beginLoginRegistration<Id extends AuthenticatorId>(
  { context, party, kind, binding }: LoginRegistration<Id>,
  serviceName: string,
): Promise<object> {
  const challenge = newChallenge(context);
  const asked = await context.database.write(async (tx) => {
    const user = await getHuman(tx, binding.userId);
    await putLoginChallenge(tx, binding, challenge);
    return { user, credentialIds: await listExcluded(kind, tx, user.id) };
  });
  return creationOptions({ name: serviceName, party, challenge, kind, ...asked });
}

/**
 * Checks the answer of a device (WebAuthn §7.1). The challenge is used up in the write that registers, so that a good answer
 * registers once. Raises the reason of the first check that fails.
 */
export async function checkLoginRegistration<Id extends AuthenticatorId>(
  registration: LoginRegistration<Id>,
  { answer, name }: { readonly answer: unknown; readonly name: string },
): Promise<GoodRegistration<Id> | UnprovedAuthenticator> {
  const { context, party, kind } = registration;
  const value = challengeOf(answer, "webauthn.create");
  const expected = {
    ...expectedAt(party, value),
    mustVerifyUser: kind.isPasswordless,
    nowMs: context.clock.nowMs(),
  };
  const credential = verifyCredential(answer, expected);
  if (await context.database.read((tx) => isCredentialTaken(tx, credential.credentialId)))
    return { kind: "wrong", reason: "ALREADY_EXISTS" };
  return {
    kind: "right",
    settle: (tx, loginOrigin) => settle(tx, registration, { value, credential, name, loginOrigin }),
  };
}

async function settle<Id extends AuthenticatorId>(
  tx: WriteTransaction,
  { context, party, kind, binding, methods }: LoginRegistration<Id>,
  answered: {
    readonly value: string;
    readonly credential: VerifiedCredential;
    readonly name: string;
    readonly loginOrigin: LoginOrigin | undefined;
  },
) {
  const { value, credential, name } = answered;
  const { credentialId, counter } = credential;
  const isOpen = await useLoginChallenge(tx, binding, { value, nowMs: context.clock.nowMs() });
  if (!isOpen) throw credentialRefused("U2F_CHALLENGE_INVALID");
  if (await isCredentialTaken(tx, credentialId)) throw credentialTaken(kind, credentialId);
  const user = await getHuman(tx, binding.userId);
  const ready = (await listCredentialIds(tx, kind.table, user.id)).length;
  requireAuthenticatorsBelowLimit(kind, { open: 0, ready });
  const id = tx.nextId<Id>();
  const registered = { id, userId: user.id, details: user.details };
  const loginOrigin = answered.loginOrigin ?? (await findLoginOrigin(tx, { userId: user.id, methods }));
  const events = [kind.add(user, id, party.id), kind.verify(registered, credential, { name, loginOrigin })];
  return { factor: { id, counter }, events };
}

async function getHuman(tx: ReadTransaction, userId: UserId): Promise<HumanUser> {
  const user = await findUserById(tx, userId);
  if (user === undefined)
    throw credentialRefused("U2F_CREDENTIAL_MALFORMED", { description: "is of no user" });
  return requireHuman(user);
}
