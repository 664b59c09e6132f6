import { createPublicKey, hash, type KeyObject, publicEncrypt, X509Certificate } from "node:crypto";
import { attributeOf, childrenOf } from "../../../kernel/xml/document.ts";
import type { TextElement } from "../../../kernel/xml/text-document.ts";
import { metadataNamespace } from "./metadata-fault.ts";

/** A key that the metadata publishes (KeyDescriptor, SAML Metadata §2.4.1.1). */
export interface PublishedKey {
  /** Empty: both. */
  readonly use: "signing" | "encryption" | "";
  /** A bare key: dates and issuers do not count (SAML V2.0 Metadata Interoperability Profile §2.5). */
  readonly publicKey: KeyObject;
  /** SHA-256 of the certificate, or of the key where there is none around it, in hexadecimal. */
  readonly fingerprintSha256: string;
  /** From 0 to the end of 9999. Undefined: there is no certificate around the key, or its date cannot be read. */
  readonly notAfterMs: number | undefined;
  /** Such as `RSA 2048` or `EC P-256`. */
  readonly keyType: string;
  /** What we can do with it. */
  readonly isFor: { readonly verifying: boolean; readonly encrypting: boolean };
  /** Whether it is an RSA key of less than 2048 bits. */
  readonly isShort: boolean;
  /** The content ciphers that its EncryptionMethods name, as URIs; empty: they name none. */
  readonly ciphers: readonly string[];
}

/** The keys of an SPSSODescriptor. */
export interface PublishedKeys {
  /** In the order of the document. */
  readonly keys: readonly PublishedKey[];
  /** How many KeyDescriptors were left out: because nothing in them can be read, or because they are too many. */
  readonly unread: number;
}

/** Reading one takes some tenths of a millisecond. */
const maxDescriptors = 20;

/** Reads the keys of an SPSSODescriptor, of at most 20 KeyDescriptors. */
export function readPublishedKeys(provider: TextElement): PublishedKeys {
  const descriptors = childrenOf(provider, metadataNamespace, "KeyDescriptor");
  const keys = descriptors.slice(0, maxDescriptors).flatMap((descriptor) => readKey(descriptor) ?? []);
  return { keys, unread: descriptors.length - keys.length };
}

const signatureNamespace = "http://www.w3.org/2000/09/xmldsig#";
const signature11Namespace = "http://www.w3.org/2009/xmldsig11#";

function readKey(descriptor: TextElement): PublishedKey | undefined {
  const use = readUse(descriptor);
  if (use === undefined) return undefined;
  const found = readKeyInfo(descriptor);
  if (found === undefined) return undefined;
  const ciphers = childrenOf(descriptor, metadataNamespace, "EncryptionMethod")
    .map((method) => attributeOf(method, "Algorithm")?.trim() ?? "")
    .filter((uri) => uri !== "" && !isKeyTransport(uri));
  return { use, ...found, ciphers };
}

/** pysaml2 writes `both` for what is said by no attribute (SAML Metadata §2.4.1.1). */
function readUse(descriptor: TextElement): PublishedKey["use"] | undefined {
  const use = attributeOf(descriptor, "use")?.trim() ?? "";
  if (use === "signing" || use === "encryption") return use;
  return use === "" || use === "both" ? "" : undefined;
}

/** XML Encryption 1.1 §5.1: the same list names how content and how keys are encrypted. */
function isKeyTransport(uri: string): boolean {
  return /#(?:rsa-|kw-|dh|ecdh)/i.test(uri);
}

type BareKey = Pick<PublishedKey, "publicKey" | "fingerprintSha256" | "notAfterMs">;
type FoundKey = BareKey & KeyTraits;

/** A certificate counts before a bare key, and the first certificate is the one of the key: XML Signature §4.5.2, §4.5.4. */
function readKeyInfo(descriptor: TextElement): FoundKey | undefined {
  const info = childrenOf(descriptor, signatureNamespace, "KeyInfo")[0];
  if (info === undefined) return undefined;
  const certificate = childrenOf(info, signatureNamespace, "X509Data").flatMap((data) =>
    childrenOf(data, signatureNamespace, "X509Certificate"),
  )[0];
  const value = childrenOf(info, signatureNamespace, "KeyValue")[0];
  try {
    const found = certificate === undefined ? value && fromKeyValue(value) : fromCertificate(certificate);
    return found && { ...found, ...describe(found.publicKey) };
  } catch {
    return undefined; // whatever is wrong with it, nobody can use it
  }
}

function fromCertificate(element: TextElement): BareKey | undefined {
  const der = toBytes(element.text?.replaceAll(/-----(?:BEGIN|END) CERTIFICATE-----/g, ""));
  if (der === undefined) return undefined;
  const { publicKey, validToDate } = new X509Certificate(der);
  return { publicKey, fingerprintSha256: hash("sha256", der, "hex"), notAfterMs: toKnownMs(validToDate) };
}

const lastMs = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/** A certificate can name any date, or none that there is: no message of ours could hold it. It does not count in any case. */
function toKnownMs(date: Date): number | undefined {
  const ms = date.getTime();
  return ms >= 0 && ms <= lastMs ? ms : undefined;
}

function fromKeyValue(value: TextElement): BareKey | undefined {
  const jwk = toRsaJwk(value) ?? toEcJwk(value);
  if (jwk === undefined) return undefined;
  const publicKey = createPublicKey({ key: jwk, format: "jwk" });
  const spki = publicKey.export({ type: "spki", format: "der" });
  return { publicKey, fingerprintSha256: hash("sha256", spki, "hex"), notAfterMs: undefined };
}

/** XML Signature §4.5.2.2. */
function toRsaJwk(value: TextElement) {
  const rsa = childrenOf(value, signatureNamespace, "RSAKeyValue")[0];
  const [n, e] = ["Modulus", "Exponent"].map((name) =>
    toBytes(rsa && childrenOf(rsa, signatureNamespace, name)[0]?.text),
  );
  if (n === undefined || e === undefined) return undefined;
  return { kty: "RSA", n: toBase64Url(n), e: toBase64Url(e) };
}

const curves = new Map([
  ["urn:oid:1.2.840.10045.3.1.7", { crv: "P-256", bytes: 32 }],
  ["urn:oid:1.3.132.0.34", { crv: "P-384", bytes: 48 }],
]);

/** XML Signature §4.5.2.3. The point is not compressed: 0x04, x, y. */
function toEcJwk(value: TextElement) {
  const ec = childrenOf(value, signature11Namespace, "ECKeyValue")[0];
  if (ec === undefined) return undefined;
  const named = childrenOf(ec, signature11Namespace, "NamedCurve")[0];
  const curve = curves.get((named && attributeOf(named, "URI")) ?? "");
  const point = toBytes(childrenOf(ec, signature11Namespace, "PublicKey")[0]?.text);
  if (curve === undefined || point?.length !== 1 + 2 * curve.bytes || point[0] !== 4) return undefined;
  const x = toBase64Url(point.subarray(1, 1 + curve.bytes));
  return { kty: "EC", crv: curve.crv, x, y: toBase64Url(point.subarray(1 + curve.bytes)) };
}

/** Reads base64 with white space (XML Schema Datatypes §3.2.16). Node would skip what is not base64. */
function toBytes(text: string | undefined): Buffer | undefined {
  const packed = text?.replaceAll(/[ \t\r\n]+/g, "") ?? "";
  if (packed === "" || packed.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(packed)) return undefined;
  return Buffer.from(packed, "base64");
}

function toBase64Url(bytes: Buffer): string {
  return bytes.toString("base64url");
}

const rsaBits = { toVerify: 1024, enough: 2048, most: 8192 };

type KeyTraits = Pick<PublishedKey, "keyType" | "isFor" | "isShort">;

function describe(key: KeyObject): KeyTraits {
  const { modulusLength: bits = 0, publicExponent = 0n, namedCurve = "" } = key.asymmetricKeyDetails ?? {};
  switch (key.asymmetricKeyType) {
    case "rsa": {
      const isUsable =
        bits >= rsaBits.toVerify && bits <= rsaBits.most && isExponent(publicExponent) && hasOddModulus(key);
      const isShort = bits < rsaBits.enough;
      const isFor = { verifying: isUsable, encrypting: isUsable && !isShort && canEncrypt(key) };
      return { keyType: `RSA ${bits}`, isFor, isShort };
    }
    case "ec": {
      const curve = curveNames.get(namedCurve);
      const isFor = { verifying: curve !== undefined, encrypting: false };
      return { keyType: `EC ${curve ?? namedCurve}`, isFor, isShort: false };
    }
    default: {
      const isFor = { verifying: false, encrypting: false };
      return { keyType: (key.asymmetricKeyType ?? "").toUpperCase(), isFor, isShort: false };
    }
  }
}

/**
 * RFC 8017 §3.1: with 1 everybody could sign, and with an even number nobody. It is bounded because verifying with a large one takes
 * milliseconds, which others would wait for.
 */
function isExponent(exponent: bigint): boolean {
  return exponent >= 3n && exponent < 2n ** 32n && exponent % 2n === 1n;
}

/** RFC 8017 §3.1: a product of odd primes. OpenSSL reads an even one, and fails when it calculates. */
function hasOddModulus(key: KeyObject): boolean {
  const modulus = Buffer.from(key.export({ format: "jwk" }).n ?? "", "base64url");
  return (modulus.at(-1) ?? 0) % 2 === 1;
}

/** A login must not be the first to find out. */
function canEncrypt(key: KeyObject): boolean {
  try {
    publicEncrypt({ key, oaepHash: "sha1" }, new Uint8Array(32));
    return true;
  } catch {
    return false;
  }
}

/** As OpenSSL calls them. */
const curveNames = new Map([
  ["prime256v1", "P-256"],
  ["secp384r1", "P-384"],
]);
