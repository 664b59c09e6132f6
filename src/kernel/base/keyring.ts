import { createCipheriv, createDecipheriv, createHmac, hkdfSync, type KeyObject } from "node:crypto";
import type { Random } from "./random.ts";
import { equalBytes } from "./secret.ts";

/** Bytes made with the key of that id: a ciphertext or a keyed hash. */
export interface Sealed {
  readonly keyId: string;
  readonly value: Uint8Array;
}

/** The purpose of a derived key. Keys for different purposes are unrelated. */
export type KeyUse =
  | "client-secret"
  | "target-secret"
  | "hook-secret"
  | "signing-key"
  | "saml-key"
  | "saml-pairwise"
  | "client-try"
  | "refresh-token"
  | "interaction"
  | "brought-identity"
  | "provider-visit"
  | "saml-logout"
  | "saml-participation"
  | "pushed-request"
  | "organization-key"
  | "user-key"
  | "u2f-challenge"
  | "passkey-challenge"
  | "totp-offer"
  | "phone-code"
  | "phone-factor-code"
  | "phone-number"
  | "email-code"
  | "email-factor-code"
  | "email-address"
  | "reset-code"
  | "try"
  | "page-token"
  | "search-token"
  | "idempotency"
  | "setup-link"
  | "device-code"
  | "holder"
  | "check";

/** The keys of the key file. One of them encrypts, at first the first one; all of them decrypt. */
export interface Keyring {
  /** In the order of the key file, which begins with the newest key. */
  readonly keyIds: readonly string[];
  /** The key that encrypts. */
  readonly sealingKeyId: string;
  /** Encrypts with this key from now on. Throws for an unknown key id. */
  sealWith(keyId: string): void;
  /** Uses these keys from now on, and encrypts with one of them. Throws when that is not among them. */
  replace(masterKeys: readonly MasterKey[], sealingKeyId: string): void;
  /** Encrypts with AES-256-GCM: 12 bytes nonce, ciphertext, 16 bytes tag. `context` must be the same to decrypt. */
  encrypt(use: KeyUse, plaintext: Uint8Array, context: string): Sealed;
  /** Throws when the key is missing or anything was changed. */
  decrypt(use: KeyUse, sealed: Sealed, context: string): Uint8Array;
  /** Returns the HMAC-SHA256 of the text. `keyId`: the key that makes it; default: the one that encrypts. Throws for an unknown one. */
  mac(use: KeyUse, text: string, keyId?: string): Sealed;
  /** Returns a value that only this key produces, so that a wrong key is recognised. Throws for an unknown key id. */
  checkValue(keyId: string): Uint8Array;
  /** Says in constant time whether the hash belongs to the text; false when its key is missing. */
  isMacOf(use: KeyUse, sealed: Sealed, text: string): boolean;
}

const keyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;

/** A line of the key file. */
export interface MasterKey {
  readonly id: string;
  readonly bytes: Uint8Array;
}

/**
 * Reads the text of a key file: one line per key, `<key id> <base64 of 32 bytes>`; empty lines are skipped.
 * Throws an Error that names the line, never its content.
 */
export function parseMasterKeys(text: string): readonly MasterKey[] {
  const keys: MasterKey[] = [];
  for (const [index, line] of text.split("\n").entries()) {
    if (line.trim() === "") continue;
    const match = /^([A-Za-z0-9_-]{1,64}) ([A-Za-z0-9+/]{43}=)\s*$/.exec(line);
    const [, id, encoded] = match ?? [];
    if (id === undefined || encoded === undefined) {
      throw new Error(`line ${index + 1} is not of the form "<key id> <base64 of 32 bytes>"`);
    }
    if (keys.some((key) => key.id === id)) throw new Error(`line ${index + 1} repeats a key id`);
    keys.push({ id, bytes: new Uint8Array(Buffer.from(encoded, "base64")) });
  }
  if (keys.length === 0) throw new Error("it contains no key");
  return keys;
}

/** Returns the text of a new key file with one key. */
export function newMasterKeyText(random: Random): string {
  const id = Buffer.from(random.bytes(4)).toString("hex");
  return `${id} ${Buffer.from(random.bytes(keyBytes)).toString("base64")}\n`;
}

/** Derives the keys of each use (HKDF-SHA256, info `gatehouse/<use>/v1`) from the master keys. */
export function createKeyring(masterKeys: readonly MasterKey[], random: Random): Keyring {
  const [first] = masterKeys;
  if (first === undefined) throw new Error("a keyring needs a key");
  let keys = createDerivedKeys(masterKeys);
  let sealingKeyId = first.id;
  const get = (use: KeyUse, keyId: string): Uint8Array => {
    const key = keys.find(use, keyId);
    if (key === undefined) throw missingKey(keyId);
    return key;
  };
  const sealing = (use: KeyUse) => ({ keyId: sealingKeyId, key: get(use, sealingKeyId) });
  return {
    get keyIds() {
      return keys.ids;
    },
    get sealingKeyId() {
      return sealingKeyId;
    },
    sealWith(keyId) {
      if (!keys.ids.includes(keyId)) throw missingKey(keyId);
      sealingKeyId = keyId;
    },
    replace(others, keyId) {
      const next = createDerivedKeys(others);
      if (!next.ids.includes(keyId)) throw missingKey(keyId);
      keys = next;
      sealingKeyId = keyId;
    },
    encrypt(use, plaintext, context) {
      const { keyId, key } = sealing(use);
      return { keyId, value: encryptWith({ key, plaintext, context, nonce: random.bytes(nonceBytes) }) };
    },
    decrypt: (use, sealed, context) =>
      decryptWith({ key: get(use, sealed.keyId), value: sealed.value, context }),
    mac(use, text, keyId = sealingKeyId) {
      return { keyId, value: hash(get(use, keyId), text) };
    },
    checkValue: (keyId) => hash(get("check", keyId), "gatehouse"),
    isMacOf(use, sealed, text) {
      const key = keys.find(use, sealed.keyId);
      return key !== undefined && equalBytes(hash(key, text), sealed.value);
    },
  };
}

/** Derives the key of each use from master keys, once. */
function createDerivedKeys(masterKeys: readonly MasterKey[]) {
  const derived = new Map<string, Uint8Array>();
  return {
    ids: masterKeys.map((key) => key.id),
    find(use: KeyUse, keyId: string): Uint8Array | undefined {
      const name = `${use}/${keyId}`;
      const known = derived.get(name);
      if (known !== undefined) return known;
      const master = masterKeys.find((key) => key.id === keyId);
      if (master === undefined) return undefined;
      const key = new Uint8Array(hkdfSync("sha256", master.bytes, "", `gatehouse/${use}/v1`, keyBytes));
      derived.set(name, key);
      return key;
    },
  };
}

function hash(key: Uint8Array, text: string): Uint8Array {
  return new Uint8Array(createHmac("sha256", key).update(text).digest());
}

function missingKey(keyId: string): Error {
  return new Error(`the key ${keyId} is not in the key file`);
}

/** Encrypts with AES-256-GCM: 12 bytes nonce, ciphertext, 16 bytes tag. A nonce must never be used twice with a key. */
export function encryptWith(options: {
  key: KeyObject | Uint8Array;
  plaintext: Uint8Array;
  context: string;
  nonce: Uint8Array;
  /** Bytes that the result starts with. */
  head?: readonly number[];
}): Uint8Array {
  const { head = [], nonce } = options;
  const cipher = createCipheriv("aes-256-gcm", options.key, nonce, { authTagLength: tagBytes });
  cipher.setAAD(Buffer.from(options.context, "utf8"));
  const ciphertext = cipher.update(options.plaintext);
  cipher.final(); // returns nothing more: GCM has no blocks to fill
  const value = new Uint8Array(head.length + nonceBytes + ciphertext.length + tagBytes);
  value.set(head);
  value.set(nonce, head.length);
  value.set(ciphertext, head.length + nonceBytes);
  value.set(cipher.getAuthTag(), value.length - tagBytes);
  return value;
}

/** Reverses `encryptWith`. Throws when key, context or any byte differs. */
export function decryptWith(options: { key: Uint8Array; value: Uint8Array; context: string }): Uint8Array {
  const { value } = options;
  if (value.length < nonceBytes + tagBytes) throw new Error("the ciphertext is too short");
  const decipher = createDecipheriv("aes-256-gcm", options.key, value.subarray(0, nonceBytes), {
    authTagLength: tagBytes,
  });
  decipher.setAAD(Buffer.from(options.context, "utf8"));
  decipher.setAuthTag(value.subarray(value.length - tagBytes));
  const plaintext = decipher.update(value.subarray(nonceBytes, value.length - tagBytes));
  return new Uint8Array(Buffer.concat([plaintext, decipher.final()]));
}
