import { generateRegistrationOptions } from "@simplewebauthn/server";
import { type Challenge, challengeLifetimeMs, type RelyingParty } from "./u2f.ts";
import { supportedAlgorithms } from "../../../webauthn/public-key.ts";
import type { HumanUser } from "../user/user.ts";

/** Makes the options that a browser needs to register a u2f token (WebAuthn §5.4). */
export function creationOptions(input: {
  readonly name: string;
  readonly party: RelyingParty;
  readonly challenge: Challenge;
  readonly user: HumanUser;
  readonly credentialIds: readonly string[];
}) {
  const { party, user } = input;
  return generateRegistrationOptions({
    rpName: input.name,
    rpID: party.id,
    userName: user.username,
    userID: new Uint8Array(Buffer.from(user.id)),
    userDisplayName: user.displayName === "" ? `${user.givenName} ${user.familyName}` : user.displayName,
    challenge: new Uint8Array(Buffer.from(input.challenge.value, "base64url")),
    timeout: challengeLifetimeMs,
    attestationType: "none",
    excludeCredentials: input.credentialIds.map((id) => ({ id })),
    authenticatorSelection: { residentKey: "discouraged", userVerification: "discouraged" },
    supportedAlgorithmIDs: [...supportedAlgorithms],
  });
}
