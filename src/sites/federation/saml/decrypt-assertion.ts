import { constants, createDecipheriv, createSecretKey, type KeyObject, privateDecrypt } from "node:crypto";
import { decodeBase64 } from "../../../kernel/xml/base64.ts";
import { attributeOf, childrenOf, isNamed } from "../../../kernel/xml/document.ts";
import { signatureNamespace } from "../../../kernel/xml/signatures/algorithms.ts";
import type { TextElement } from "../../../kernel/xml/text-document.ts";
import { ProviderFailure } from "../provider/provider-failure.ts";

const encryptionNamespace = "http://www.w3.org/2001/04/xmlenc#";
const encryption11Namespace = "http://www.w3.org/2009/xmlenc11#";

/** XML Encryption §5.2.2, §5.2.4. */
const contentCiphers = new Map<string, ContentCipher>([
  [`${encryption11Namespace}aes256-gcm`, { name: "aes-256-gcm", keyBytes: 32 }],
  [`${encryption11Namespace}aes128-gcm`, { name: "aes-128-gcm", keyBytes: 16 }],
  [`${encryptionNamespace}aes256-cbc`, { name: "aes-256-cbc", keyBytes: 32 }],
  [`${encryptionNamespace}aes128-cbc`, { name: "aes-128-cbc", keyBytes: 16 }],
]);

interface ContentCipher {
  readonly name: "aes-256-gcm" | "aes-128-gcm" | "aes-256-cbc" | "aes-128-cbc";
  readonly keyBytes: number;
}

/** A sender has one for each of our keys. */
const maxEncryptedKeys = 4;

/**
 * Decrypts an EncryptedAssertion (SAML Core §2.3.4) with one of our keys, and returns its text. Raises a ProviderFailure, which does
 * not say what is wrong where that would help somebody to decrypt. Keys are encrypted by RSA-OAEP alone. CBC, which anybody can
 * change without the key, is read only where `isSigned`: inside of a signature that was found good.
 */
export function decryptAssertion(
  encrypted: TextElement,
  { keys, isSigned }: { readonly keys: readonly KeyObject[]; readonly isSigned: boolean },
): string {
  const [data, ...others] = childrenOf(encrypted, encryptionNamespace, "EncryptedData");
  if (data === undefined || others.length > 0)
    throw new ProviderFailure("refused", "EncryptedAssertion shape");
  const cipher = contentCiphers.get(algorithmOf(data) ?? "");
  if (cipher === undefined) throw new ProviderFailure("refused", "content cipher");
  if (cipher.name.endsWith("cbc") && !isSigned)
    throw new ProviderFailure("refused", "CBC without a signed Response");
  const content = cipherValueOf(data);
  // Beside the data, or in its KeyInfo: SAML Core errata E93 leaves both.
  const infos = childrenOf(data, signatureNamespace, "KeyInfo");
  const encryptedKeys = [encrypted, ...infos]
    .flatMap((each) => childrenOf(each, encryptionNamespace, "EncryptedKey"))
    .slice(0, maxEncryptedKeys);
  for (const each of encryptedKeys)
    for (const key of keys) {
      const opened = open(each, key, { cipher, content });
      if (opened !== undefined) return opened;
    }
  throw new ProviderFailure("refused", "decryption");
}

function open(
  encryptedKey: TextElement,
  privateKey: KeyObject,
  { cipher, content }: { readonly cipher: ContentCipher; readonly content: Buffer },
): string | undefined {
  const oaepHash = hashOfOaep(encryptedKey);
  if (oaepHash === undefined) throw new ProviderFailure("refused", "key transport");
  try {
    const padding = constants.RSA_PKCS1_OAEP_PADDING;
    const key = privateDecrypt({ key: privateKey, padding, oaepHash }, cipherValueOf(encryptedKey));
    if (key.length !== cipher.keyBytes) return undefined;
    return new TextDecoder("utf-8", { fatal: true }).decode(decryptContent(content, cipher, key));
  } catch (error) {
    if (error instanceof ProviderFailure) throw error;
    return undefined; // for whatever reason: nobody learns which
  }
}

function decryptContent(content: Buffer, { name }: ContentCipher, key: Uint8Array): Buffer {
  const secret = createSecretKey(key);
  if (name === "aes-256-cbc" || name === "aes-128-cbc") {
    const decryption = createDecipheriv(name, secret, content.subarray(0, 16)).setAutoPadding(false);
    const padded = Buffer.concat([decryption.update(content.subarray(16)), decryption.final()]);
    const padding = padded.at(-1) ?? 0; // XML Encryption §5.2: only the last byte of the padding is fixed
    if (padding < 1 || padding > 16) throw new Error("the padding is wrong");
    return padded.subarray(0, -padding);
  }
  const decryption = createDecipheriv(name, secret, content.subarray(0, 12), { authTagLength: 16 });
  decryption.setAuthTag(content.subarray(-16));
  return Buffer.concat([decryption.update(content.subarray(12, -16)), decryption.final()]);
}

/** XML Encryption §5.5.2. Node uses one hash for both places of OAEP, so a mix of two is refused. */
function hashOfOaep(encryptedKey: TextElement): string | undefined {
  const [method] = childrenOf(encryptedKey, encryptionNamespace, "EncryptionMethod");
  if (method === undefined) return undefined;
  const digest = hashes.get(algorithmIn(method, signatureNamespace, "DigestMethod") ?? sha1);
  switch (attributeOf(method, "Algorithm")) {
    case `${encryptionNamespace}rsa-oaep-mgf1p`: // its mask is by SHA-1
      return digest === "sha1" ? digest : undefined;
    case `${encryption11Namespace}rsa-oaep`: {
      const mask = algorithmIn(method, encryption11Namespace, "MGF") ?? `${encryption11Namespace}mgf1sha1`;
      return digest !== undefined && mask === `${encryption11Namespace}mgf1${digest}` ? digest : undefined;
    }
    default:
      return undefined;
  }
}

const sha1 = `${signatureNamespace}sha1`;
const hashes = new Map([
  [sha1, "sha1"],
  [`${encryptionNamespace}sha256`, "sha256"],
  [`${encryptionNamespace}sha512`, "sha512"],
]);

function algorithmOf(encrypted: TextElement): string | undefined {
  return algorithmIn(encrypted, encryptionNamespace, "EncryptionMethod");
}

function algorithmIn(parent: TextElement, namespace: string, name: string): string | undefined {
  const found = parent.children.find((each) => isNamed(each, namespace, name));
  return found && attributeOf(found, "Algorithm");
}

function cipherValueOf(encrypted: TextElement): Buffer {
  const [data] = childrenOf(encrypted, encryptionNamespace, "CipherData");
  const [value] = data === undefined ? [] : childrenOf(data, encryptionNamespace, "CipherValue");
  const bytes = value?.text === undefined ? undefined : decodeBase64(value.text);
  if (bytes === undefined || bytes.length < 29) throw new ProviderFailure("refused", "CipherValue");
  return bytes;
}
