import { createHash } from "node:crypto";
import { type VerifiedRegistrationResponse, verifyRegistrationResponse } from "@simplewebauthn/server";
import { hasAttestationExtensions, hasKeyFor } from "./attestation-certificate.ts";
import { isDerSignature } from "./der-signature.ts";
import { requireOrigins } from "./client-data.ts";
import { parseCredential, type RegistrationResponse, type VerifiedCredential } from "./credential.ts";
import { supportedAlgorithms } from "./public-key.ts";
import { credentialRefused } from "./refusal.ts";

/** The registration that a credential must have been made for. */
export interface ExpectedRegistration {
  /** base64url, as it was sent. */
  readonly challenge: string;
  readonly rpId: string;
  readonly isOriginAllowed: (origin: string) => boolean;
  /** Whether the authenticator must have verified its user, by a PIN or as a person. Default: false. */
  readonly mustVerifyUser?: boolean;
}

/** Statements are a few kilobytes; certificates of any size would be parsed before they are refused. */
const maxStatementBytes = 16 * 1024;

/**
 * Checks a PublicKeyCredential (WebAuthn §7.1) and returns the data to store. Raises the reason of the first check that
 * fails, and no other error: form, challenge, origin, relying party id, user presence, user verification, attestation,
 * signature. Awaits WebCrypto, so it cannot run inside a transaction.
 */
export async function verifyCredential(
  credential: unknown,
  expected: ExpectedRegistration,
): Promise<VerifiedCredential> {
  const response = parseCredential(credential);
  const { clientData, authenticatorData } = response;
  if (clientData.challenge !== expected.challenge) throw credentialRefused("U2F_CHALLENGE_INVALID");
  requireOrigins(clientData, expected.isOriginAllowed);
  const rpIdHash = createHash("sha256").update(expected.rpId).digest();
  if (!rpIdHash.equals(authenticatorData.rpIdHash)) throw credentialRefused("U2F_RP_ID_INVALID");
  if (!authenticatorData.isUserPresent) throw credentialRefused("U2F_USER_PRESENCE_MISSING");
  if (expected.mustVerifyUser === true && !authenticatorData.isUserVerified) {
    throw credentialRefused("U2F_USER_VERIFICATION_MISSING");
  }
  requireStatement(response);
  requireSignature(response);
  const { registrationInfo } = await verifyAttestation(response, expected);
  if (registrationInfo === undefined) throw credentialRefused("U2F_SIGNATURE_INVALID");
  return {
    credentialId: Buffer.from(response.credentialId).toString("base64url"),
    publicKey: Buffer.from(registrationInfo.credential.publicKey).toString("base64url"),
    counter: registrationInfo.credential.counter,
    aaguid: registrationInfo.aaguid,
    attestationFormat: response.attestationFormat,
    isBackupEligible: authenticatorData.isBackupEligible,
    isBackedUp: authenticatorData.isBackedUp,
  };
}

/**
 * Checks the form of the attestation statement (WebAuthn §8). The options ask for no attestation, so clients send
 * `none`, or a statement that the security key itself signed. The formats of platforms are refused: for these the
 * library downloads revocation lists from addresses in the sender's own certificates (for android-key before it knows
 * the root), bypassing our guarded fetch.
 */
function requireStatement(response: RegistrationResponse): void {
  const { attestationFormat: format, attestationStatement: statement } = response;
  const x5c = statement.get("x5c");
  switch (format) {
    case "none":
      requireThat(statement.size === 0, "attStmt of none must be empty");
      return;
    case "packed":
      requirePacked(response);
      return;
    case "fido-u2f":
      requireThat(
        isSignature(statement.get("sig")) && statement.size === 2,
        "fido-u2f lacks sig or has unknown fields",
      );
      requireThat(
        isCertificates(x5c) && x5c.length === 1 && hasKeyFor(-7, x5c[0]),
        "fido-u2f has a wrong x5c",
      );
      requireThat(response.authenticatorData.algorithm === -7, "fido-u2f has a key that is not ES256");
      return;
    default:
      requireThat(false, "the attestation format must be none, packed or fido-u2f");
  }
}

/** WebAuthn §8.2, except what the library checks. */
function requirePacked({ attestationStatement: statement, authenticatorData }: RegistrationResponse): void {
  const [algorithm, x5c] = [statement.get("alg"), statement.get("x5c")];
  requireThat(isSignature(statement.get("sig")) && typeof algorithm === "number", "packed lacks sig or alg");
  requireThat(statement.size === (x5c === undefined ? 2 : 3), "packed has unknown fields");
  if (x5c === undefined) {
    requireThat(
      algorithm === authenticatorData.algorithm,
      "packed is signed with another algorithm than that of the key",
    );
    return;
  }
  requireThat(isCertificates(x5c), "packed has a wrong x5c");
  requireThat(hasKeyFor(algorithm, x5c[0]), "packed has another algorithm than that of its certificate");
  requireThat(hasAttestationExtensions(x5c[0]), "packed has a certificate with wrong extensions");
}

/**
 * Refuses a signature with ECDSA that is not DER (WebAuthn §6.5.5, RFC 3279 §2.2.3). The decoder behind
 * @simplewebauthn/server 14.0.3 accepts other values for the outer tag and length; once it refuses them, delete this
 * check.
 */
function requireSignature({
  attestationFormat: format,
  attestationStatement: statement,
}: RegistrationResponse): void {
  const algorithm = format === "fido-u2f" ? -7 : statement.get("alg");
  const isEcdsa = algorithm === -7 || algorithm === -35;
  const signature = statement.get("sig");
  if (isEcdsa && signature instanceof Uint8Array && !isDerSignature(signature)) {
    throw credentialRefused("U2F_SIGNATURE_INVALID");
  }
}

/**
 * Lets the library check the rest. Its errors only describe the fault in words, so the form of the statement decides
 * the reason.
 */
async function verifyAttestation(
  response: RegistrationResponse,
  expected: ExpectedRegistration,
): Promise<VerifiedRegistrationResponse> {
  const id = Buffer.from(response.credentialId).toString("base64url");
  try {
    return await verifyRegistrationResponse({
      response: {
        id,
        rawId: id,
        type: "public-key",
        clientExtensionResults: {},
        response: {
          clientDataJSON: Buffer.from(response.clientDataJson).toString("base64url"),
          attestationObject: Buffer.from(response.attestationObject).toString("base64url"),
        },
      },
      expectedChallenge: expected.challenge,
      expectedOrigin: response.clientData.origin,
      expectedRPID: expected.rpId,
      requireUserVerification: false,
      supportedAlgorithmIDs: [...supportedAlgorithms],
    });
  } catch (cause) {
    // Without certificates only the signature and its encoding can be wrong.
    const isSelfSigned = response.attestationFormat === "packed" && !response.attestationStatement.has("x5c");
    throw credentialRefused(isSelfSigned ? "U2F_SIGNATURE_INVALID" : "U2F_ATTESTATION_INVALID", { cause });
  }
}

function requireThat(isMet: boolean, description: string): asserts isMet {
  if (!isMet) throw credentialRefused("U2F_ATTESTATION_INVALID", { description });
}

function isSignature(value: unknown): boolean {
  return value instanceof Uint8Array && value.length > 0 && value.length <= maxStatementBytes;
}

function isCertificates(value: unknown): value is readonly [Uint8Array, ...Uint8Array[]] {
  if (!Array.isArray(value) || value.length === 0) return false;
  const certificates: readonly unknown[] = value;
  let bytes = 0;
  for (const certificate of certificates) {
    if (!(certificate instanceof Uint8Array)) return false;
    bytes += certificate.length;
  }
  return bytes <= maxStatementBytes;
}
