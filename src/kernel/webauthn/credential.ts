import { decodeAttestationObject } from "@simplewebauthn/server/helpers";
import { endOfCborItem } from "./cbor.ts";
import { type ClientData, parseClientData, readBytes, readObject } from "./client-data.ts";
import { parsePublicKey } from "./public-key.ts";
import { decode, malformedCredential } from "./refusal.ts";

/** The response of an authenticator to a registration (WebAuthn §5.1), taken apart and well-formed. */
export interface RegistrationResponse {
  readonly credentialId: Uint8Array;
  readonly clientDataJson: Uint8Array;
  readonly clientData: ClientData;
  readonly attestationObject: Uint8Array;
  readonly attestationFormat: string;
  readonly attestationStatement: ReadonlyMap<unknown, unknown>;
  readonly authenticatorData: AuthenticatorData;
}

/** The data of the authenticator (WebAuthn §6.1). */
export interface AuthenticatorData {
  readonly rpIdHash: Uint8Array;
  readonly isUserPresent: boolean;
  readonly isUserVerified: boolean;
  /** Whether the credential may be copied to other devices of its user (WebAuthn §6.1.3); that never changes. */
  readonly isBackupEligible: boolean;
  /** Whether there is such a copy at the moment. */
  readonly isBackedUp: boolean;
  readonly credentialId: Uint8Array;
  /** COSE number of the algorithm of the key: one of `supportedAlgorithms`. */
  readonly algorithm: number;
}

/** The result of a successful registration. */
export interface VerifiedCredential {
  /** base64url. */
  readonly credentialId: string;
  /** base64url of the COSE key. */
  readonly publicKey: string;
  readonly counter: number;
  readonly aaguid: string;
  readonly attestationFormat: string;
  /** As in `AuthenticatorData`. */
  readonly isBackupEligible: boolean;
  /** As in `AuthenticatorData`. */
  readonly isBackedUp: boolean;
}

const maxCredentialIdBytes = 1023; // WebAuthn §7.1 step 25 (level 3)
const cborMap = 5; // major type, RFC 8949 §3.1

/**
 * Parses a PublicKeyCredential in JSON; binary values are base64url or base64. Raises U2F_CREDENTIAL_MALFORMED for
 * any deviation from the specification, and no other problem.
 */
export function parseCredential(credential: unknown): RegistrationResponse {
  const outer = readObject(credential, "the credential");
  const response = readObject(outer["response"], "response");
  if (outer["type"] !== "public-key") throw malformedCredential("type must be public-key");
  const credentialId = readBytes(outer["id"], "id");
  if (!Buffer.from(credentialId).equals(readBytes(outer["rawId"], "rawId"))) {
    throw malformedCredential("id and rawId differ");
  }
  const clientDataJson = readBytes(response["clientDataJSON"], "response.clientDataJSON");
  const clientData = parseClientData(clientDataJson, "webauthn.create");
  const attestationObject = readBytes(response["attestationObject"], "response.attestationObject");
  const attestation = parseAttestationObject(attestationObject);
  const authenticatorData = parseAuthenticatorData(attestation.authenticatorData);
  if (!Buffer.from(credentialId).equals(authenticatorData.credentialId)) {
    throw malformedCredential("id is not that of the authenticator data");
  }
  return {
    credentialId,
    clientDataJson,
    clientData,
    attestationObject,
    attestationFormat: attestation.format,
    attestationStatement: attestation.statement,
    authenticatorData,
  };
}

function parseAttestationObject(bytes: Uint8Array) {
  const what = "response.attestationObject";
  if (endOfCborItem(bytes, 0) !== bytes.length)
    throw malformedCredential(`${what} is not one item of canonical CBOR`);
  // The type of the decoder is a claim about its input; it decodes any item that comes first.
  const decoded: unknown = decode(() => decodeAttestationObject(new Uint8Array(bytes)), what);
  if (!(decoded instanceof Map)) throw malformedCredential(`${what} is not a map`);
  const fields: ReadonlyMap<unknown, unknown> = decoded;
  const format = fields.get("fmt");
  const statement = fields.get("attStmt");
  const authenticatorData = fields.get("authData");
  if (
    typeof format !== "string" ||
    !(statement instanceof Map) ||
    !(authenticatorData instanceof Uint8Array)
  ) {
    throw malformedCredential(`${what} lacks fmt, attStmt or authData`);
  }
  return { format, statement: statement as ReadonlyMap<unknown, unknown>, authenticatorData };
}

/** Reads the layout of WebAuthn §6.1 and §6.5.1; every byte must be accounted for. */
function parseAuthenticatorData(bytes: Uint8Array): AuthenticatorData {
  const what = "the authenticator data";
  const flags = bytes[32] ?? 0;
  const hasCredential = (flags & 0x40) !== 0;
  const hasExtensions = (flags & 0x80) !== 0;
  const isBackedUp = (flags & 0x10) !== 0;
  const isBackupEligible = (flags & 0x08) !== 0;
  if (bytes.length < 55 || !hasCredential) throw malformedCredential(`${what} holds no credential`);
  if (isBackedUp && !isBackupEligible) throw malformedCredential(`${what} has contradicting flags`);
  const idLength = (bytes[53] ?? 0) * 256 + (bytes[54] ?? 0);
  if (idLength === 0 || idLength > maxCredentialIdBytes) {
    throw malformedCredential(`${what} has a credential id of a wrong length`);
  }
  const keyStart = 55 + idLength;
  const keyEnd = endOfCborItem(bytes, keyStart);
  const end = keyEnd !== undefined && hasExtensions ? endOfCborItem(bytes, keyEnd) : keyEnd;
  if (keyEnd === undefined || end !== bytes.length)
    throw malformedCredential(`${what} is truncated or too long`);
  if (hasExtensions && (bytes[keyEnd] ?? 0) >> 5 !== cborMap) {
    throw malformedCredential(`${what} has extensions that are not a map`);
  }
  return {
    rpIdHash: bytes.slice(0, 32),
    isUserPresent: (flags & 0x01) !== 0,
    isUserVerified: (flags & 0x04) !== 0,
    isBackupEligible,
    isBackedUp,
    credentialId: bytes.slice(55, keyStart),
    algorithm: parsePublicKey(bytes.slice(keyStart, keyEnd)),
  };
}
