import { createPublicKey, type KeyObject } from "node:crypto";

const signature = "http://www.w3.org/2000/09/xmldsig#";
const signature11 = "http://www.w3.org/2009/xmldsig11#";

/** Returns a KeyDescriptor with that KeyInfo. */
export function keyDescriptor(
  info: string,
  { use, ciphers = [] }: { readonly use?: string; readonly ciphers?: readonly string[] } = {},
): string {
  const methods = ciphers.map((uri) => `<md:EncryptionMethod Algorithm="${uri}"/>`).join("");
  const attribute = use === undefined ? "" : ` use="${use}"`;
  return `<md:KeyDescriptor${attribute}><ds:KeyInfo xmlns:ds="${signature}">${info}</ds:KeyInfo>${methods}</md:KeyDescriptor>`;
}

/** Returns the content of a KeyInfo with certificates. */
export function certificates(...all: readonly Uint8Array[]): string {
  const elements = all.map(
    (der) => `<ds:X509Certificate>${Buffer.from(der).toString("base64")}</ds:X509Certificate>`,
  );
  return `<ds:X509Data>${elements.join("")}</ds:X509Data>`;
}

/** Returns the content of a KeyInfo with a bare key of RSA or a curve of NIST (XML Signature §4.5.2). */
export function keyValue(key: KeyObject): string {
  const { kty, n = "", e = "", x = "", y = "" } = key.export({ format: "jwk" });
  const packed = (text: string) => Buffer.from(text, "base64url").toString("base64");
  if (kty === "RSA") {
    return `<ds:KeyValue><ds:RSAKeyValue><ds:Modulus>${packed(n)}</ds:Modulus><ds:Exponent>${packed(e)}</ds:Exponent></ds:RSAKeyValue></ds:KeyValue>`;
  }
  const point = Buffer.concat([Buffer.of(4), Buffer.from(x, "base64url"), Buffer.from(y, "base64url")]);
  return `<ds:KeyValue><ec:ECKeyValue xmlns:ec="${signature11}"><ec:NamedCurve URI="${curveOf(key)}"/><ec:PublicKey>${point.toString("base64")}</ec:PublicKey></ec:ECKeyValue></ds:KeyValue>`;
}

/** Returns an RSA key of that size, which nobody has the private key of, with that exponent and last byte of the modulus. */
export function rsaKeyOf(bits: number, exponent = "AQAB", lastByte = 0xff): KeyObject {
  const modulus = Buffer.alloc(Math.ceil(bits / 8), 0xff);
  modulus[0] = 0xff >> ((8 - (bits % 8)) % 8);
  modulus[modulus.length - 1] = lastByte;
  const jwk = { kty: "RSA", n: modulus.toString("base64url"), e: exponent };
  return createPublicKey({ key: jwk, format: "jwk" });
}

function curveOf(key: KeyObject): string {
  const curve = key.asymmetricKeyDetails?.namedCurve;
  if (curve === "prime256v1") return "urn:oid:1.2.840.10045.3.1.7";
  return curve === "secp384r1" ? "urn:oid:1.3.132.0.34" : "urn:oid:1.3.132.0.35";
}
