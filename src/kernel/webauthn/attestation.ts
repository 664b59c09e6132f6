import { type AttestationCertificate, parseCertificate, requireRules } from "./attestation-certificate.ts";
import type { RegistrationResponse } from "./credential.ts";
import { isSigned, type VerifyingKey } from "./public-key.ts";
import { credentialRefused, requireAttested } from "./refusal.ts";

/** Statements are a few kilobytes; certificates of any size would be parsed before they are refused. */
const maxStatementBytes = 16 * 1024;

/**
 * Checks the attestation statement (WebAuthn §8). The options ask for no attestation, so clients send `none`, or a statement that
 * the security key itself signed; the formats of platforms are refused. No roots are known, so a certificate vouches only for its
 * form. Raises U2F_ATTESTATION_INVALID, U2F_SIGNATURE_INVALID.
 */
export function requireAttestation(response: RegistrationResponse, nowMs: number): void {
  const { attestationFormat: format, attestationStatement: statement } = response;
  switch (format) {
    case "none":
      requireAttested(statement.size === 0, "attStmt of none must be empty");
      return;
    case "packed":
      requirePacked(response, nowMs);
      return;
    case "fido-u2f":
      requireU2f(response);
      return;
    default:
      requireAttested(false, "the attestation format must be none, packed or fido-u2f");
  }
}

/** WebAuthn §8.2. */
function requirePacked(response: RegistrationResponse, nowMs: number): void {
  const { attestationStatement: statement, authenticatorData, clientDataHash, signedData } = response;
  const [algorithm, signature, x5c] = [statement.get("alg"), statement.get("sig"), statement.get("x5c")];
  requireAttested(isSignature(signature) && typeof algorithm === "number", "packed lacks sig or alg");
  requireAttested(statement.size === (x5c === undefined ? 2 : 3), "packed has unknown fields");
  const signed = Buffer.concat([signedData, clientDataHash]);
  if (x5c === undefined) {
    const { publicKey } = authenticatorData;
    const isOfKey = algorithm === publicKey.algorithm;
    requireAttested(isOfKey, "packed is signed with another algorithm than that of the key");
    requireSignature(publicKey, signed, signature);
    return;
  }
  const certificate = readCertificate(x5c, algorithm);
  requireAttested(
    certificate !== undefined,
    "packed has a wrong x5c, or another algorithm than that of its certificate",
  );
  requireRules(certificate, { aaguid: authenticatorData.aaguid, nowMs });
  requireSignature(certificate, signed, signature);
}

/** WebAuthn §8.6. CTAP §7.1 has such keys send an AAGUID of zeros. */
function requireU2f(response: RegistrationResponse): void {
  const { attestationStatement: statement, authenticatorData, clientDataHash } = response;
  const { publicKey, rpIdHash, credentialId, aaguid } = authenticatorData;
  const [signature, x5c] = [statement.get("sig"), statement.get("x5c")];
  requireAttested(isSignature(signature) && statement.size === 2, "fido-u2f lacks sig or has unknown fields");
  const certificate = Array.isArray(x5c) && x5c.length === 1 ? readCertificate(x5c, es256) : undefined;
  requireAttested(certificate !== undefined, "fido-u2f has a wrong x5c");
  requireAttested(publicKey.algorithm === es256, "fido-u2f has a key that is not ES256");
  requireAttested(
    aaguid.every((byte) => byte === 0),
    "fido-u2f has an AAGUID",
  );
  const point = publicKey.key.export({ type: "spki", format: "der" }).subarray(-65);
  const signed = [Buffer.of(0), rpIdHash, clientDataHash, credentialId, point];
  requireSignature(certificate, Buffer.concat(signed), signature);
}

const es256 = -7;

function requireSignature(key: VerifyingKey, data: Uint8Array, signature: Uint8Array): void {
  if (!isSigned(key, data, signature)) throw credentialRefused("U2F_SIGNATURE_INVALID");
}

function isSignature(value: unknown): value is Uint8Array {
  return value instanceof Uint8Array && value.length > 0 && value.length <= maxStatementBytes;
}

/** Returns the first certificate, or undefined if its key is not one for the algorithm. */
function readCertificate(x5c: unknown, algorithm: number): AttestationCertificate | undefined {
  if (!Array.isArray(x5c)) return undefined;
  const certificates: readonly unknown[] = x5c;
  if (!certificates.every((each) => each instanceof Uint8Array)) return undefined;
  const bytes = certificates.reduce((sum, { length }) => sum + length, 0);
  const [first] = certificates;
  return first === undefined || bytes > maxStatementBytes ? undefined : parseCertificate(first, algorithm);
}
