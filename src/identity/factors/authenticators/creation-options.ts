import { generateRegistrationOptions } from "@simplewebauthn/server";
import { supportedAlgorithms } from "../../../kernel/webauthn/public-key.ts";
import type { HumanUser } from "../../people/user/user.ts";
import {
  type AuthenticatorId,
  type AuthenticatorKind,
  type Challenge,
  challengeLifetimeMs,
  toUserHandle,
} from "./authenticator.ts";
import type { RelyingParty } from "./relying-party.ts";

/** Makes the options that a browser needs to register an authenticator (WebAuthn §5.4). */
export function creationOptions(input: {
  readonly name: string;
  readonly party: RelyingParty;
  readonly challenge: Challenge;
  readonly kind: Pick<AuthenticatorKind<AuthenticatorId>, "isPasswordless">;
  readonly user: HumanUser;
  readonly credentialIds: readonly string[];
}) {
  const { party, user, kind } = input;
  const need = kind.isPasswordless ? "required" : "discouraged";
  return generateRegistrationOptions({
    rpName: input.name,
    rpID: party.id,
    userName: user.username,
    userID: toUserHandle(user.id),
    userDisplayName: user.displayName === "" ? `${user.givenName} ${user.familyName}` : user.displayName,
    challenge: new Uint8Array(Buffer.from(input.challenge.value, "base64url")),
    timeout: challengeLifetimeMs,
    attestationType: "none",
    excludeCredentials: input.credentialIds.map((id) => ({ id })),
    authenticatorSelection: { residentKey: need, userVerification: need },
    supportedAlgorithmIDs: [...supportedAlgorithms],
  });
}
