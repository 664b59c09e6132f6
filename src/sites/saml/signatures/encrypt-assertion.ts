import { constants, createCipheriv, createSecretKey, type KeyObject, publicEncrypt } from "node:crypto";
import type { Random } from "../../../kernel/base/random.ts";
import { element, type XmlFragment } from "../../../kernel/xml/write.ts";
import { signatureNamespace } from "../../../kernel/xml/signatures/algorithms.ts";

/** The service provider that an assertion is encrypted for. */
export interface EncryptionTarget {
  /** An RSA key. */
  readonly publicKey: KeyObject;
  /** URIs of the content ciphers that it names; empty: it names none. */
  readonly ciphers: readonly string[];
}

interface ContentCipher {
  readonly uri: string;
  readonly keyBytes: number;
  readonly name: "aes-256-gcm" | "aes-128-gcm" | "aes-256-cbc" | "aes-128-cbc";
}

const assertionNamespace = "urn:oasis:names:tc:SAML:2.0:assertion";
const encryptionNamespace = "http://www.w3.org/2001/04/xmlenc#";

/** The best first. Triple DES is not among them. */
const contentCiphers: readonly ContentCipher[] = [
  { uri: "http://www.w3.org/2009/xmlenc11#aes256-gcm", keyBytes: 32, name: "aes-256-gcm" },
  { uri: "http://www.w3.org/2009/xmlenc11#aes128-gcm", keyBytes: 16, name: "aes-128-gcm" },
  { uri: "http://www.w3.org/2001/04/xmlenc#aes256-cbc", keyBytes: 32, name: "aes-256-cbc" },
  { uri: "http://www.w3.org/2001/04/xmlenc#aes128-cbc", keyBytes: 16, name: "aes-128-cbc" },
];

/** Says whether one of the content ciphers is one that we encrypt with. An empty list allows any. */
export function hasUsableCipher(ciphers: readonly string[]): boolean {
  return findCipher(ciphers) !== undefined;
}

/**
 * Encrypts an assertion, which has been signed before, as EncryptedAssertion (SAML Core §2.3.4). The cipher is the best of those that
 * the target names, else aes256-gcm (XML Encryption §5.2). Its key is encrypted with RSA-OAEP and SHA-1 (§5.5.2), the one form that
 * all service providers read; the hash needs no resistance to collisions there. The target must have a usable cipher.
 */
export function encryptAssertion(
  assertion: XmlFragment,
  how: { readonly to: EncryptionTarget; readonly random: Random },
): XmlFragment {
  const cipher = findCipher(how.to.ciphers);
  if (cipher === undefined) throw new Error("the target has no usable cipher");
  const key = how.random.bytes(cipher.keyBytes);
  const content = encryptContent(assertion.xml, { cipher, key, random: how.random });
  const oaep = { key: how.to.publicKey, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: "sha1" };
  const encryptedKey = publicEncrypt(oaep, key);
  key.fill(0);
  return element("saml:EncryptedAssertion", { "xmlns:saml": assertionNamespace }, [
    element(
      "xenc:EncryptedData",
      { "xmlns:xenc": encryptionNamespace, Type: `${encryptionNamespace}Element` },
      [
        element("xenc:EncryptionMethod", { Algorithm: cipher.uri }),
        element("ds:KeyInfo", { "xmlns:ds": signatureNamespace }, [
          element("xenc:EncryptedKey", {}, [
            element("xenc:EncryptionMethod", { Algorithm: `${encryptionNamespace}rsa-oaep-mgf1p` }, [
              element("ds:DigestMethod", { Algorithm: `${signatureNamespace}sha1` }),
            ]),
            writeCipherData(encryptedKey),
          ]),
        ]),
        writeCipherData(content),
      ],
    ),
  ]);
}

function findCipher(ciphers: readonly string[]): ContentCipher | undefined {
  return contentCiphers.find(({ uri }) => ciphers.length === 0 || ciphers.includes(uri));
}

/** XML Encryption §5.2.2 (CBC: an IV of 16 bytes in front) and §5.2.4 (GCM: an IV of 12 bytes in front, the tag behind). */
function encryptContent(
  text: string,
  { cipher: { name }, key, random }: { cipher: ContentCipher; key: Uint8Array; random: Random },
): Buffer {
  const secretKey = createSecretKey(key);
  if (name === "aes-256-cbc" || name === "aes-128-cbc") {
    const iv = random.bytes(16);
    const encryption = createCipheriv(name, secretKey, iv);
    return Buffer.concat([iv, encryption.update(text, "utf8"), encryption.final()]);
  }
  const iv = random.bytes(12);
  const encryption = createCipheriv(name, secretKey, iv);
  const encrypted = [encryption.update(text, "utf8"), encryption.final()];
  return Buffer.concat([iv, ...encrypted, encryption.getAuthTag()]);
}

function writeCipherData(bytes: Uint8Array): XmlFragment {
  const value = Buffer.from(bytes).toString("base64");
  return element("xenc:CipherData", {}, [element("xenc:CipherValue", {}, [value])]);
}
