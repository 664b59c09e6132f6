/** What an algorithm signs with. */
export interface SignatureAlgorithm {
  readonly hash: string;
  readonly keyType: "rsa" | "ec";
}

/** The namespace of XML Signature. */
export const signatureNamespace = "http://www.w3.org/2000/09/xmldsig#";
/** Exclusive XML Canonicalization 1.0 without comments, and the namespace of its PrefixList. */
export const exclusiveCanonicalization = "http://www.w3.org/2001/10/xml-exc-c14n#";
/** Canonical XML 1.1 without comments, which is inclusive: some products, such as gosaml2, sign by it by default. */
export const canonicalXml11 = "http://www.w3.org/2006/12/xml-c14n11";
/** The transform that takes the signature out of what it signs: XML Signature §6.6.4. */
export const envelopedSignature = `${signatureNamespace}enveloped-signature`;
/** What we sign and digest with. */
export const rsaSha256 = "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256";
export const sha256 = "http://www.w3.org/2001/04/xmlenc#sha256";

const signatureAlgorithms: ReadonlyMap<string, SignatureAlgorithm> = new Map([
  [rsaSha256, { hash: "sha256", keyType: "rsa" }],
  ["http://www.w3.org/2001/04/xmldsig-more#rsa-sha384", { hash: "sha384", keyType: "rsa" }],
  ["http://www.w3.org/2001/04/xmldsig-more#rsa-sha512", { hash: "sha512", keyType: "rsa" }],
  ["http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha256", { hash: "sha256", keyType: "ec" }],
  ["http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha384", { hash: "sha384", keyType: "ec" }],
]);

const digestAlgorithms: ReadonlyMap<string, string> = new Map([
  [sha256, "sha256"],
  ["http://www.w3.org/2001/04/xmldsig-more#sha384", "sha384"],
  ["http://www.w3.org/2001/04/xmlenc#sha512", "sha512"],
]);

/** The namespaces of RFC 9231 and of XML Signature, in which the refused algorithms that we can name stand. */
const namedNamespaces = [
  signatureNamespace,
  "http://www.w3.org/2001/04/xmldsig-more#",
  "http://www.w3.org/2001/04/xmlenc#",
  "http://www.w3.org/2007/05/xmldsig-more#",
  "http://www.w3.org/2009/xmldsig11#",
];
const refusedNames: ReadonlySet<string> = new Set([
  "rsa-sha1",
  "rsa-sha224",
  "rsa-md5",
  "rsa-ripemd160",
  "dsa-sha1",
  "dsa-sha256",
  "ecdsa-sha1",
  "ecdsa-sha224",
  "ecdsa-sha512",
  "hmac-sha1",
  "hmac-sha224",
  "hmac-sha256",
  "hmac-sha384",
  "hmac-sha512",
  "hmac-md5",
  "sha1",
  "sha224",
  "md5",
  "ripemd160",
  "sha256-rsa-MGF1",
  "sha384-rsa-MGF1",
  "sha512-rsa-MGF1",
  "rsa-pss",
]);

/** Returns undefined for an algorithm that we refuse, as SHA-1, HMAC, DSA and MD5, or do not know. */
export function findSignatureAlgorithm(uri: string | undefined): SignatureAlgorithm | undefined {
  return signatureAlgorithms.get(uri ?? "");
}

/** Returns the hash of a digest method; undefined for one that we refuse, as SHA-1, or do not know. */
export function findDigestHash(uri: string | undefined): string | undefined {
  return digestAlgorithms.get(uri ?? "");
}

/** Returns the short name of an algorithm that we refuse, such as `rsa-sha1`; undefined for what is no algorithm that we know. */
export function findRefusedName(uri: string | undefined): string | undefined {
  const namespace = namedNamespaces.find((each) => uri?.startsWith(each));
  const name = uri?.slice(namespace?.length);
  return namespace !== undefined && name !== undefined && refusedNames.has(name) ? name : undefined;
}
