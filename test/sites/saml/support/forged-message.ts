import { hash, type KeyObject, sign } from "node:crypto";
import { canonicalizeByXmlCrypto } from "../../../kernel/xml/support/canonical-by-others.ts";

export const ds = "http://www.w3.org/2000/09/xmldsig#";
export const exclusive = "http://www.w3.org/2001/10/xml-exc-c14n#";
export const more = "http://www.w3.org/2001/04/xmldsig-more#";
export const xenc = "http://www.w3.org/2001/04/xmlenc#";

/** How a message is signed. What is absent is as it should be. */
export interface Forgery {
  readonly key: KeyObject;
  /** The message, with `{signature}` where the signature goes. */
  readonly message?: string;
  /** What is digested, without the signature; absent: the message. */
  readonly digested?: string;
  readonly digestHash?: string;
  /** Prefixes that are treated as inclusive in what is digested, and in SignedInfo. */
  readonly prefixes?: readonly string[];
  readonly infoPrefixes?: readonly string[];
  readonly uri?: string;
  readonly transforms?: string;
  readonly digestMethod?: string;
  /** Makes the inside of DigestValue. */
  readonly digestValue?: (digest: string) => string;
  /** The whole element. */
  readonly canonicalization?: string;
  /** The whole element. */
  readonly signatureMethod?: string;
  /** More References, or what else stands at the end of SignedInfo. */
  readonly moreInfo?: string;
  /** Makes the value of the canonical SignedInfo. */
  readonly sign?: (octets: Buffer) => Buffer;
  /** Makes the inside of SignatureValue. */
  readonly signatureValue?: (value: string) => string;
  /** Stands in Signature before and behind SignedInfo and SignatureValue. */
  readonly before?: string;
  readonly behind?: string;
  /** Changes SignedInfo after it was signed, in a way that keeps the canonical form. */
  readonly rewrite?: (signedInfo: string) => string;
}

/** A message of a service provider. */
export const honestMessage = writeMessage({});

/** Writes an AuthnRequest with a place for a signature. */
export function writeMessage({ id = "_q", issuer = "https://sp.example", inner = "" }): string {
  return (
    '<samlp:AuthnRequest xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" ' +
    `xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="${id}" Version="2.0">` +
    `<saml:Issuer>${issuer}</saml:Issuer>{signature}${inner}<samlp:NameIDPolicy/></samlp:AuthnRequest>`
  );
}

/** An element with an algorithm. */
export function method(name: string, algorithm: string, inner = ""): string {
  return `<ds:${name} Algorithm="${algorithm}">${inner}</ds:${name}>`;
}

export const enveloped = method("Transform", `${ds}enveloped-signature`);
export const canonical = method("Transform", exclusive);

/** Writes one Reference. */
export function writeReference(forgery: Forgery): string {
  const { message = honestMessage, digestHash = "sha256", digestValue = (digest) => digest } = forgery;
  const { digested = message.replace("{signature}", "") } = forgery;
  const digest = hash(digestHash, canonicalizeByXmlCrypto(digested, forgery.prefixes), "base64");
  return (
    `<ds:Reference URI="${forgery.uri ?? "#_q"}"><ds:Transforms>${forgery.transforms ?? enveloped + canonical}</ds:Transforms>` +
    method("DigestMethod", forgery.digestMethod ?? `${xenc}sha256`) +
    `<ds:DigestValue>${digestValue(digest)}</ds:DigestValue></ds:Reference>`
  );
}

/** Writes a message with a signature, whose value is right for whatever is asked for. */
export function forge(forgery: Forgery): string {
  const { message = honestMessage, before = "", behind = "", rewrite = (text) => text } = forgery;
  const { signatureValue = (value) => value } = forgery;
  const info =
    (forgery.canonicalization ?? method("CanonicalizationMethod", exclusive)) +
    (forgery.signatureMethod ?? method("SignatureMethod", `${more}rsa-sha256`)) +
    `${writeReference(forgery)}${forgery.moreInfo ?? ""}</ds:SignedInfo>`;
  const around = `xmlns:ds="${ds}" xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion"`;
  const octets = canonicalizeByXmlCrypto(`<ds:SignedInfo ${around}>${info}`, forgery.infoPrefixes);
  const make = forgery.sign ?? ((bytes) => sign("sha256", bytes, forgery.key));
  const value = signatureValue(make(Buffer.from(octets)).toString("base64"));
  const signature =
    `<ds:Signature xmlns:ds="${ds}">${before}${rewrite(`<ds:SignedInfo>${info}`)}` +
    `<ds:SignatureValue>${value}</ds:SignatureValue>${behind}</ds:Signature>`;
  return message.replace("{signature}", () => signature);
}
