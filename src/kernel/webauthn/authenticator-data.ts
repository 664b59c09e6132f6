import { readCbor } from "./cbor.ts";
import { type PublicKey, toPublicKey } from "./public-key.ts";
import { malformedCredential } from "./refusal.ts";

/** The data of the authenticator (WebAuthn §6.1). */
export interface AuthenticatorData {
  readonly rpIdHash: Uint8Array;
  readonly isUserPresent: boolean;
  readonly isUserVerified: boolean;
  /** Whether the credential may be copied to other devices of its user (WebAuthn §6.1.3); that never changes. */
  readonly isBackupEligible: boolean;
  /** Whether there is such a copy at the moment. */
  readonly isBackedUp: boolean;
  /** How often the authenticator has signed, 0 if it does not count (WebAuthn §6.1.1). */
  readonly counter: number;
}

/** The credential in the data of a registration (WebAuthn §6.5.1). */
export interface AttestedCredential {
  /** 16 bytes that name the model; zeros if it does not say. */
  readonly aaguid: Uint8Array;
  readonly credentialId: Uint8Array;
  /** The COSE key as it was sent, and what it means. */
  readonly publicKeyBytes: Uint8Array;
  readonly publicKey: PublicKey;
}

const headBytes = 37; // hash of the relying party id, flags, counter
const maxCredentialIdBytes = 1023; // WebAuthn §7.1 step 25 (level 3)
const what = "the authenticator data";

/** Reads the data of a login, which holds no credential. Raises U2F_CREDENTIAL_MALFORMED. */
export function parseAssertionData(bytes: Uint8Array): AuthenticatorData {
  const { data, hasCredential, hasExtensions } = readDataHead(bytes);
  if (hasCredential) throw malformedCredential(`${what} holds a credential`);
  requireEnd(bytes, headBytes, hasExtensions);
  return data;
}

/** Reads the data of a registration, which holds the credential. Raises U2F_CREDENTIAL_MALFORMED. */
export function parseRegistrationData(bytes: Uint8Array): AuthenticatorData & AttestedCredential {
  const { data, hasCredential, hasExtensions } = readDataHead(bytes);
  if (bytes.length < 55 || !hasCredential) throw malformedCredential(`${what} holds no credential`);
  const idLength = (bytes[53] ?? 0) * 256 + (bytes[54] ?? 0);
  if (idLength === 0 || idLength > maxCredentialIdBytes) {
    throw malformedCredential(`${what} has a credential id of a wrong length`);
  }
  const keyStart = 55 + idLength;
  const key = readCbor(bytes, keyStart);
  if (key === undefined) throw malformedCredential(`${what} is truncated or too long`);
  requireEnd(bytes, key.end, hasExtensions);
  return {
    ...data,
    aaguid: bytes.slice(headBytes, 53),
    credentialId: bytes.slice(55, keyStart),
    publicKeyBytes: bytes.slice(keyStart, key.end),
    publicKey: toPublicKey(key.value),
  };
}

function readDataHead(bytes: Uint8Array) {
  if (bytes.length < headBytes) throw malformedCredential(`${what} is truncated`);
  const flags = bytes[32] ?? 0;
  const data: AuthenticatorData = {
    rpIdHash: bytes.slice(0, 32),
    isUserPresent: (flags & 0x01) !== 0,
    isUserVerified: (flags & 0x04) !== 0,
    isBackupEligible: (flags & 0x08) !== 0,
    isBackedUp: (flags & 0x10) !== 0,
    counter: Buffer.from(bytes).readUInt32BE(33),
  };
  if (data.isBackedUp && !data.isBackupEligible) {
    throw malformedCredential(`${what} has contradicting flags`);
  }
  return { data, hasCredential: (flags & 0x40) !== 0, hasExtensions: (flags & 0x80) !== 0 };
}

/** Every byte must be accounted for: behind the extensions, which are a map, there is nothing. */
function requireEnd(bytes: Uint8Array, end: number, hasExtensions: boolean): void {
  const extensions = hasExtensions ? readCbor(bytes, end) : { value: new Map(), end };
  if (extensions?.end !== bytes.length) throw malformedCredential(`${what} is truncated or too long`);
  if (!(extensions.value instanceof Map)) {
    throw malformedCredential(`${what} has extensions that are not a map`);
  }
}
