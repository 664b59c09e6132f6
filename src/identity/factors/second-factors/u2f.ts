import type { SecondFactorId } from "../../../kernel/base/ids.ts";
import type { NewEvent } from "../../../kernel/events/event.ts";
import type { VerifiedCredential } from "../../../kernel/webauthn/credential.ts";
import type {
  Authenticator,
  AuthenticatorKind,
  AuthenticatorLineage,
  AuthenticatorRef,
  RegisteredAs,
} from "../authenticators/authenticator.ts";
import { toLoginOriginPayload } from "../../logins/login-origins/login-origin.ts";
import type { SecondFactorKind, StrongFactorKind } from "../../policies/login-policy.ts";
import type { HumanUser } from "../../people/user/user.ts";

/** A second factor of a user. Only u2f tokens have a name and a relying party id. */
export interface SecondFactor extends Authenticator<SecondFactorId> {
  readonly type: SecondFactorKind;
}

/** A READY second factor and the user who registered it, who may still have the key. */
export interface FactorLineage extends AuthenticatorLineage<SecondFactorId> {
  readonly type: StrongFactorKind;
}

/** Names a u2f token to decisions. */
type U2fRef = AuthenticatorRef<SecondFactorId>;

/** Decides to begin a registration. */
function addU2f(user: HumanUser, id: SecondFactorId, domain: string): NewEvent {
  return {
    type: "user.u2f.added",
    aggregateId: user.id,
    resourceOwner: user.details.resourceOwner,
    payload: { u2f_id: id, domain },
  };
}

/** Decides to complete a registration. */
export function verifyU2f(
  factor: U2fRef,
  credential: VerifiedCredential,
  { name, madeWithTokenId, loginOrigin }: RegisteredAs,
): NewEvent {
  return {
    type: "user.u2f.verified",
    aggregateId: factor.userId,
    resourceOwner: factor.details.resourceOwner,
    payload: {
      u2f_id: factor.id,
      name,
      credential_id: credential.credentialId,
      public_key: credential.publicKey,
      counter: String(credential.counter),
      aaguid: credential.aaguid,
      attestation_format: credential.attestationFormat,
      ...(madeWithTokenId === undefined ? {} : { made_with_token_id: madeWithTokenId }),
      ...toLoginOriginPayload(loginOrigin),
    },
  };
}

/** Decides to ask the user at the next login whether to keep the token. */
export function questionU2f({ id, userId, organizationId }: AuthenticatorLineage): NewEvent {
  return {
    type: "user.u2f.questioned",
    aggregateId: userId,
    resourceOwner: organizationId,
    payload: { u2f_id: id },
  };
}

/** Decides to keep a factor that was questioned. */
export function keepU2f(factor: U2fRef): NewEvent {
  return {
    type: "user.u2f.kept",
    aggregateId: factor.userId,
    resourceOwner: factor.details.resourceOwner,
    payload: { u2f_id: factor.id },
  };
}

/** Decides to remove a second factor, ready or not. */
export function removeU2f(factor: U2fRef): NewEvent {
  return {
    type: "user.u2f.removed",
    aggregateId: factor.userId,
    resourceOwner: factor.details.resourceOwner,
    payload: { u2f_id: factor.id },
  };
}

/** U2f tokens: they are asked for besides a password, and need not verify their user. */
export const u2fKind: AuthenticatorKind<SecondFactorId> = {
  table: "second_factors",
  rows: "type = 'U2F'",
  type: "second_factor",
  challengeUse: "u2f-challenge",
  isPasswordless: false,
  // A device that keeps a passkey of the user would replace it by the token: both are for the same user handle.
  excludedTables: ["second_factors", "passkeys"],
  mayUseToken: true,
  add: addU2f,
  verify: verifyU2f,
  remove: removeU2f,
};
