// Writes requests and signatures as an attacker does who knows the standards: everything can be different. What is not meant to be
// wrong is right, so that a request is refused for its attack alone.
import { DOMParser } from "@xmldom/xmldom";
import { createHash, type KeyObject, sign } from "node:crypto";
import { deflateRawSync } from "node:zlib";
import { ExclusiveCanonicalization } from "xml-crypto";

export const names = {
  protocol: "urn:oasis:names:tc:SAML:2.0:protocol",
  assertion: "urn:oasis:names:tc:SAML:2.0:assertion",
  metadata: "urn:oasis:names:tc:SAML:2.0:metadata",
  signature: "http://www.w3.org/2000/09/xmldsig#",
  more: "http://www.w3.org/2001/04/xmldsig-more#",
  encryption: "http://www.w3.org/2001/04/xmlenc#",
  exclusive: "http://www.w3.org/2001/10/xml-exc-c14n#",
  enveloped: "http://www.w3.org/2000/09/xmldsig#enveloped-signature",
  post: "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST",
  redirect: "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect",
} as const;

/** What a message is made of. An attribute that is undefined is absent. */
export interface MessageParts {
  readonly root: string;
  readonly attributes: Readonly<Record<string, string | undefined>>;
  /** The element Issuer, as it is written. */
  readonly issuer: string;
  /** What follows it. */
  readonly content?: string;
}

/** Writes a message. */
export function writeMessage({ root, attributes, issuer, content = "" }: MessageParts): string {
  const written = Object.entries(attributes).flatMap(([name, value]) =>
    value === undefined ? [] : [` ${name}="${escape(value)}"`],
  );
  return `<samlp:${root} xmlns:samlp="${names.protocol}" xmlns:saml="${names.assertion}"${written.join("")}>${issuer}${content}</samlp:${root}>`;
}

export function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}

/** What a signature is made of; by default as SAML Core §5.4 says, with RSA and SHA-256. */
export interface SignatureParts {
  readonly key: KeyObject;
  /** What it says that it signs. */
  readonly id: string;
  readonly method?: string;
  /** The attribute URI, as it is written. */
  readonly uri?: string;
  /** Signs the octets in another way. Returns base64. */
  readonly signOctets?: (octets: Buffer) => string;
  /** Behind SignatureValue: KeyInfo and Object. */
  readonly rest?: string;
}

/** Signs a whole message, as others canonicalize it, and returns the element Signature. */
export function signatureOf(xml: string, parts: SignatureParts): string {
  const {
    method = `${names.more}rsa-sha256`,
    uri = ` URI="#${parts.id}"`,
    signOctets = (octets) => sign(hashOf(method), octets, parts.key).toString("base64"),
    rest = "",
  } = parts;
  const digest = createHash("sha256").update(canonicalize(xml)).digest("base64");
  const transforms = [names.enveloped, names.exclusive].map((each) => element("Transform", each)).join("");
  const inside =
    `${element("CanonicalizationMethod", names.exclusive)}${element("SignatureMethod", method)}` +
    `<ds:Reference${uri}><ds:Transforms>${transforms}</ds:Transforms>` +
    `${element("DigestMethod", `${names.encryption}sha256`)}<ds:DigestValue>${digest}</ds:DigestValue></ds:Reference></ds:SignedInfo>`;
  const signed = signOctets(canonicalize(`<ds:SignedInfo xmlns:ds="${names.signature}">${inside}`));
  return `<ds:Signature xmlns:ds="${names.signature}"><ds:SignedInfo>${inside}<ds:SignatureValue>${signed}</ds:SignatureValue>${rest}</ds:Signature>`;
}

function element(name: string, algorithm: string): string {
  return `<ds:${name} Algorithm="${algorithm}"></ds:${name}>`;
}

/** Signs a message and puts the signature behind its Issuer. */
export function signMessage(xml: string, parts: SignatureParts): string {
  return insertSignature(xml, signatureOf(xml, parts));
}

/** Puts something behind the first Issuer. */
export function insertSignature(xml: string, signature: string): string {
  return xml.replace(/<\/saml:Issuer>/, (end) => end + signature);
}

/** The exclusive canonical form without comments, by xml-crypto. */
export function canonicalize(xml: string): Buffer {
  const root = new DOMParser().parseFromString(xml, "text/xml").documentElement;
  // Both packages describe the same DOM in types of their own.
  return Buffer.from(new ExclusiveCanonicalization().process(root as never, {}));
}

function hashOf(algorithm: string): string {
  return /md5|sha\d+/.exec(algorithm)?.[0] ?? "sha256";
}

/** What a query is made of. A parameter that is undefined is absent. */
export interface QueryParts {
  readonly xml: string;
  readonly relayState?: string | undefined;
  readonly key?: KeyObject;
  readonly algorithm?: string;
}

/** Writes a query of HTTP-Redirect (Bindings §3.4.4), signed if there is a key. */
export function writeQuery(parts: QueryParts): string {
  const { xml, relayState, key, algorithm = `${names.more}rsa-sha256` } = parts;
  const message = [`SAMLRequest=${encodeURIComponent(deflate(xml))}`];
  if (relayState !== undefined) message.push(`RelayState=${encodeURIComponent(relayState)}`);
  if (key === undefined) return message.join("&");
  const octets = [...message, `SigAlg=${encodeURIComponent(algorithm)}`].join("&");
  const signature = sign(hashOf(algorithm), Buffer.from(octets), key).toString("base64");
  return `${octets}&Signature=${encodeURIComponent(signature)}`;
}

export function deflate(xml: string | Buffer): string {
  return deflateRawSync(xml).toString("base64");
}
