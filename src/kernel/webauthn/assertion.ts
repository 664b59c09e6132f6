import { endOfCborItem } from "./cbor.ts";
import { type ClientData, parseClientData, readBytes, readObject } from "./client-data.ts";
import { malformedCredential } from "./refusal.ts";

/** The response of an authenticator to a login (WebAuthn §5.1), taken apart and well-formed. */
export interface AssertionResponse {
  readonly credentialId: Uint8Array;
  readonly clientDataJson: Uint8Array;
  readonly clientData: ClientData;
  readonly authenticatorData: Uint8Array;
  readonly rpIdHash: Uint8Array;
  readonly isUserPresent: boolean;
  readonly isUserVerified: boolean;
  /** Whether the credential may be copied to other devices of its user (WebAuthn §6.1.3). */
  readonly isBackupEligible: boolean;
  /** Whether there is such a copy at the moment. */
  readonly isBackedUp: boolean;
  /** How often the authenticator has signed, 0 if it does not count (WebAuthn §6.1.1). */
  readonly counter: number;
  readonly signature: Uint8Array;
  /** The user for whom the authenticator keeps the credential; undefined if it does not say. */
  readonly userHandle: Uint8Array | undefined;
}

const headBytes = 37; // hash of the relying party id, flags, counter
const cborMap = 5; // major type, RFC 8949 §3.1

/** Returns the credential id (base64url) that an answer names. Raises U2F_CREDENTIAL_MALFORMED. */
export function credentialIdOf(credential: unknown): string {
  const outer = readObject(credential, "the credential");
  return Buffer.from(readBytes(outer["id"], "id")).toString("base64url");
}

/**
 * Parses a PublicKeyCredential in JSON (AuthenticationResponseJSON); binary values are base64url or base64. Raises
 * U2F_CREDENTIAL_MALFORMED for any deviation from the specification, and no other problem.
 */
export function parseAssertionResponse(credential: unknown): AssertionResponse {
  const outer = readObject(credential, "the credential");
  const response = readObject(outer["response"], "response");
  if (outer["type"] !== "public-key") throw malformedCredential("type must be public-key");
  const credentialId = readBytes(outer["id"], "id");
  if (!Buffer.from(credentialId).equals(readBytes(outer["rawId"], "rawId"))) {
    throw malformedCredential("id and rawId differ");
  }
  const clientDataJson = readBytes(response["clientDataJSON"], "response.clientDataJSON");
  const authenticatorData = readBytes(response["authenticatorData"], "response.authenticatorData");
  const { userHandle } = response;
  return {
    credentialId,
    clientDataJson,
    clientData: parseClientData(clientDataJson, "webauthn.get"),
    authenticatorData,
    ...parseAuthenticatorData(authenticatorData),
    signature: readBytes(response["signature"], "response.signature"),
    userHandle:
      userHandle === undefined || userHandle === null || userHandle === ""
        ? undefined
        : readBytes(userHandle, "response.userHandle"),
  };
}

/** Reads the layout of WebAuthn §6.1: an assertion holds no credential, and every byte must be accounted for. */
function parseAuthenticatorData(bytes: Uint8Array) {
  const what = "the authenticator data";
  if (bytes.length < headBytes) throw malformedCredential(`${what} is truncated`);
  const flags = bytes[32] ?? 0;
  const hasCredential = (flags & 0x40) !== 0;
  const hasExtensions = (flags & 0x80) !== 0;
  const isBackedUp = (flags & 0x10) !== 0;
  const isBackupEligible = (flags & 0x08) !== 0;
  if (hasCredential) throw malformedCredential(`${what} holds a credential`);
  if (isBackedUp && !isBackupEligible) throw malformedCredential(`${what} has contradicting flags`);
  const end = hasExtensions ? endOfCborItem(bytes, headBytes) : headBytes;
  if (end !== bytes.length) throw malformedCredential(`${what} is truncated or too long`);
  if (hasExtensions && (bytes[headBytes] ?? 0) >> 5 !== cborMap) {
    throw malformedCredential(`${what} has extensions that are not a map`);
  }
  return {
    rpIdHash: bytes.slice(0, 32),
    isUserPresent: (flags & 0x01) !== 0,
    isUserVerified: (flags & 0x04) !== 0,
    isBackupEligible,
    isBackedUp,
    counter: Buffer.from(bytes).readUInt32BE(33),
  };
}
