import { requireAttestation } from "./attestation.ts";
import { type ExpectedCeremony, requireCeremony } from "./ceremony.ts";
import { parseCredential, type VerifiedCredential } from "./credential.ts";

/** The registration that a credential must have been made for. */
export interface ExpectedRegistration extends ExpectedCeremony {
  readonly nowMs: number;
}

/**
 * Checks a PublicKeyCredential (WebAuthn §7.1) and returns the data to store. Raises the reason of the first check that
 * fails, and no other error: form, challenge, origin, relying party id, user presence, user verification, attestation,
 * signature.
 */
export function verifyCredential(credential: unknown, expected: ExpectedRegistration): VerifiedCredential {
  const response = parseCredential(credential);
  const { authenticatorData } = response;
  requireCeremony(response, expected);
  requireAttestation(response, expected.nowMs);
  const { credentialId, publicKeyBytes, counter, isBackupEligible, isBackedUp } = authenticatorData;
  const aaguid = Buffer.from(authenticatorData.aaguid).toString("hex");
  return {
    credentialId: Buffer.from(credentialId).toString("base64url"),
    publicKey: Buffer.from(publicKeyBytes).toString("base64url"),
    counter,
    aaguid: aaguid.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-"),
    attestationFormat: response.attestationFormat,
    isBackupEligible,
    isBackedUp,
  };
}
