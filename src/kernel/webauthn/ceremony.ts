import { hash } from "node:crypto";
import type { AuthenticatorData } from "./authenticator-data.ts";
import { type ClientData, requireOrigins } from "./client-data.ts";
import { credentialRefused } from "./refusal.ts";

/** The registration or login that an answer must have been made for. */
export interface ExpectedCeremony {
  /** base64url, as it was sent. */
  readonly challenge: string;
  readonly rpId: string;
  readonly isOriginAllowed: (origin: string) => boolean;
  /** Whether the authenticator must have verified its user, by a PIN or as a person. Default: false. */
  readonly mustVerifyUser?: boolean;
}

/**
 * Checks what registrations (WebAuthn §7.1) and logins (WebAuthn §7.2) have in common. Raises the reason of the first check that
 * fails: challenge, origin, relying party id, user presence, user verification.
 */
export function requireCeremony(
  made: { readonly clientData: ClientData; readonly authenticatorData: AuthenticatorData },
  expected: ExpectedCeremony,
): void {
  const { clientData, authenticatorData } = made;
  if (clientData.challenge !== expected.challenge) throw credentialRefused("U2F_CHALLENGE_INVALID");
  requireOrigins(clientData, expected.isOriginAllowed);
  if (!hash("sha256", expected.rpId, "buffer").equals(authenticatorData.rpIdHash))
    throw credentialRefused("U2F_RP_ID_INVALID");
  if (!authenticatorData.isUserPresent) throw credentialRefused("U2F_USER_PRESENCE_MISSING");
  if (expected.mustVerifyUser === true && !authenticatorData.isUserVerified) {
    throw credentialRefused("U2F_USER_VERIFICATION_MISSING");
  }
}
