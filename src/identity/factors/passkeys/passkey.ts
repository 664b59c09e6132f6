import type { PasskeyId } from "../../../kernel/base/ids.ts";
import type { NewEvent } from "../../../kernel/events/event.ts";
import type { VerifiedCredential } from "../../../kernel/webauthn/credential.ts";
import {
  type Authenticator,
  type AuthenticatorKind,
  type AuthenticatorLineage,
  type AuthenticatorRef,
  challengeLifetimeMs,
  type LoginAuthenticator,
  type RegisteredAs,
} from "../authenticators/authenticator.ts";
import type { RelyingParty } from "../authenticators/relying-party.ts";
import { toLoginOriginPayload } from "../../logins/login-origins/login-origin.ts";
import type { HumanUser } from "../../people/user/user.ts";

/** A passkey of a user: a credential that the device finds by itself, and that logs its user in without a password. */
export interface Passkey extends Authenticator<PasskeyId> {
  /** Whether there was a copy of it on other devices of the user, or with their provider, when it was used last. */
  readonly isBackedUp: boolean;
}

/** A READY passkey with what it takes to check its answers. */
export interface LoginPasskey extends LoginAuthenticator<PasskeyId> {
  readonly isBackupEligible: boolean;
  readonly isBackedUp: boolean;
}

/** What a browser needs to ask for a passkey, in JSON (WebAuthn §5.1, PublicKeyCredentialRequestOptionsJSON). */
export interface PasskeyRequestOptions {
  readonly challenge: string;
  readonly timeout: number;
  readonly rpId: string;
  /** Empty: the device offers the passkeys that it has. */
  readonly allowCredentials: readonly [];
  readonly userVerification: "required";
}

/** Names a passkey to decisions. */
type PasskeyRef = AuthenticatorRef<PasskeyId>;

/** Decides to complete a registration. */
export function verifyPasskey(
  passkey: PasskeyRef,
  credential: VerifiedCredential,
  { name, madeWithTokenId, loginOrigin }: RegisteredAs,
): NewEvent {
  return {
    type: "user.passkey.verified",
    ...aboutUserOf(passkey),
    payload: {
      passkey_id: passkey.id,
      name,
      credential_id: credential.credentialId,
      public_key: credential.publicKey,
      counter: String(credential.counter),
      aaguid: credential.aaguid,
      attestation_format: credential.attestationFormat,
      backup_eligible: credential.isBackupEligible,
      backed_up: credential.isBackedUp,
      ...(madeWithTokenId === undefined ? {} : { made_with_token_id: madeWithTokenId }),
      ...toLoginOriginPayload(loginOrigin),
    },
  };
}

/** Decides to remove a passkey, ready or not. */
export function removePasskey(passkey: PasskeyRef): NewEvent {
  return { type: "user.passkey.removed", ...aboutUserOf(passkey), payload: { passkey_id: passkey.id } };
}

/** Decides to ask the user at the next login whether to keep the passkey. Until then nobody logs in with it. */
export function questionPasskey({ id, userId, organizationId }: AuthenticatorLineage<PasskeyId>): NewEvent {
  return {
    type: "user.passkey.questioned",
    aggregateId: userId,
    resourceOwner: organizationId,
    payload: { passkey_id: id },
  };
}

/** Decides to keep a passkey that was questioned. */
export function keepPasskey(passkey: PasskeyRef): NewEvent {
  return { type: "user.passkey.kept", ...aboutUserOf(passkey), payload: { passkey_id: passkey.id } };
}

/** Decides to record that there is a copy of the passkey since its last use, or none any more; nothing if neither. */
export function changeBackup(passkey: LoginPasskey, isBackedUp: boolean): readonly NewEvent[] {
  if (passkey.isBackedUp === isBackedUp) return [];
  return [
    {
      type: "user.passkey.backup.changed",
      aggregateId: passkey.userId,
      resourceOwner: passkey.organizationId,
      payload: { passkey_id: passkey.id, backed_up: isBackedUp },
    },
  ];
}

/** Decides to record a counter that went back. */
export function passkeyCounterRegressed(passkey: LoginPasskey, counter: number): NewEvent {
  return {
    type: "user.passkey.counter.regressed",
    aggregateId: passkey.userId,
    resourceOwner: passkey.organizationId,
    payload: { passkey_id: passkey.id, last_counter: String(passkey.counter), counter: String(counter) },
  };
}

/** Makes the options that a browser needs to let any passkey for these pages sign the challenge (base64url). */
export function passkeyRequestOptions(party: RelyingParty, challenge: string): PasskeyRequestOptions {
  return {
    challenge,
    timeout: challengeLifetimeMs,
    rpId: party.id,
    allowCredentials: [],
    userVerification: "required",
  };
}

/** Passkeys: each is two factors, what the user has and what unlocks it. */
export const passkeyKind: AuthenticatorKind<PasskeyId> = {
  table: "passkeys",
  rows: "TRUE",
  type: "passkey",
  challengeUse: "passkey-challenge",
  isPasswordless: true,
  // Not those with a u2f token: a security key may become a passkey, too.
  excludedTables: ["passkeys"],
  mayUseToken: false,
  add: (user: HumanUser, id, domain) => ({
    type: "user.passkey.added",
    aggregateId: user.id,
    resourceOwner: user.details.resourceOwner,
    payload: { passkey_id: id, domain },
  }),
  verify: verifyPasskey,
  remove: removePasskey,
};

function aboutUserOf({ userId, details }: PasskeyRef) {
  return { aggregateId: userId, resourceOwner: details.resourceOwner };
}
