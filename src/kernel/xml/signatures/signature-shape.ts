import { decodeBase64 } from "../base64.ts";
import { attributeOf, isNamed } from "../document.ts";
import type { InclusivePrefixes } from "../canonical.ts";
import type { TextDocument, TextElement } from "../text-document.ts";
import {
  canonicalXml11,
  envelopedSignature,
  exclusiveCanonicalization,
  findDigestHash,
  findSignatureAlgorithm,
  type SignatureAlgorithm,
  signatureNamespace,
} from "./algorithms.ts";
import { type BadSignature, badSignature, refusedAlgorithm } from "./signature-finding.ts";

/** An element that is signed, and the elements around it, the root first. */
export interface SignedElement {
  readonly element: TextElement;
  readonly ancestors: readonly TextElement[];
}

/** A signature over the element whose child it is, not yet verified. */
export interface EnvelopedSignature {
  readonly kind: "signature";
  readonly element: TextElement;
  readonly signedInfo: TextElement;
  readonly signedInfoPrefixes: InclusivePrefixes;
  readonly algorithm: SignatureAlgorithm;
  readonly value: Uint8Array;
  readonly digestHash: string;
  readonly digest: Uint8Array;
  readonly documentPrefixes: InclusivePrefixes;
}

/** Returns all signatures of a document, wherever they stand. */
export function signaturesIn({ elements }: TextDocument): readonly TextElement[] {
  return elements.filter((each) => isNamed(each, signatureNamespace, "Signature"));
}

/**
 * Reads a signature of the only shape that is accepted (SAML Core §5.4, XML Signature §4): a child of the signed element with one
 * SignedInfo, which has one Reference, to the ID of that element. So what is signed is always the element that its reader has in
 * hand, as a rule the root of its document, and nobody can put another element in the place of the one that was signed. KeyInfo is not read: the sender of a key vouches for nothing with it.
 */
export function readSignature(
  { element: root, ancestors }: SignedElement,
  signature: TextElement,
): EnvelopedSignature | BadSignature {
  if (!root.children.includes(signature)) return badSignature("shape");
  const [signedInfo, valueElement, ...rest] = signature.children;
  const hasShape = isOurs(signedInfo, "SignedInfo") && isOurs(valueElement, "SignatureValue");
  if (!hasShape || rest.length > 1 || (rest.length === 1 && !isOurs(rest[0], "KeyInfo")))
    return badSignature("shape");
  const [canonicalization, method, reference, ...others] = signedInfo.children;
  const hasParts =
    isOurs(canonicalization, "CanonicalizationMethod") &&
    isOurs(method, "SignatureMethod") &&
    isOurs(reference, "Reference");
  if (!hasParts || others.length > 0 || method.children.length > 0) return badSignature("shape");
  const signedInfoPrefixes = readCanonicalization(canonicalization);
  if (signedInfoPrefixes === undefined) return badSignature("shape");
  // Canonical XML 1.1 §2.4: SignedInfo would inherit them.
  const around = [...ancestors, root, signature];
  if (signedInfoPrefixes === "all" && around.some(hasXmlAttribute)) return badSignature("shape");
  const algorithm = findSignatureAlgorithm(attributeOf(method, "Algorithm"));
  if (algorithm === undefined) return refusedAlgorithm(attributeOf(method, "Algorithm"));
  const value = decodeText(valueElement);
  if (value === undefined) return badSignature("shape");
  const referred = readReference(root, reference);
  if ("kind" in referred) return referred;
  if (referred.documentPrefixes === "all" && ancestors.some(hasXmlAttribute)) return badSignature("shape");
  return {
    kind: "signature",
    element: signature,
    signedInfo,
    signedInfoPrefixes,
    algorithm,
    value,
    ...referred,
  };
}

type Referred = Pick<EnvelopedSignature, "digestHash" | "digest" | "documentPrefixes">;

function readReference(root: TextElement, reference: TextElement): Referred | BadSignature {
  const id = attributeOf(root, "ID") ?? "";
  if (id === "" || attributeOf(reference, "URI") !== `#${id}`) return badSignature("reference");
  const [transforms, method, valueElement, ...others] = reference.children;
  const hasShape =
    isOurs(transforms, "Transforms") && isOurs(method, "DigestMethod") && isOurs(valueElement, "DigestValue");
  if (!hasShape || others.length > 0 || method.children.length > 0) return badSignature("shape");
  const documentPrefixes = readTransforms(transforms);
  if (documentPrefixes === undefined) return badSignature("reference");
  const digestHash = findDigestHash(attributeOf(method, "Algorithm"));
  if (digestHash === undefined) return refusedAlgorithm(attributeOf(method, "Algorithm"));
  const digest = decodeText(valueElement);
  return digest === undefined ? badSignature("shape") : { digestHash, digest, documentPrefixes };
}

/** SAML Core §5.4.4: no other transforms, which could choose a part of the document, or nothing. */
function readTransforms(transforms: TextElement): InclusivePrefixes | undefined {
  const [enveloped, canonicalization, ...others] = transforms.children;
  const hasShape = isOurs(enveloped, "Transform") && isOurs(canonicalization, "Transform");
  if (!hasShape || others.length > 0 || enveloped.children.length > 0) return undefined;
  if (attributeOf(enveloped, "Algorithm") !== envelopedSignature) return undefined;
  return readCanonicalization(canonicalization);
}

/**
 * Returns the prefixes of the PrefixList, or all for Canonical XML 1.1; undefined if this is neither that nor exclusive
 * canonicalization, each without comments.
 */
function readCanonicalization(method: TextElement): InclusivePrefixes | undefined {
  const algorithm = attributeOf(method, "Algorithm");
  if (algorithm === canonicalXml11) return method.children.length === 0 ? "all" : undefined;
  if (algorithm !== exclusiveCanonicalization) return undefined;
  const [inclusive, ...others] = method.children;
  if (inclusive === undefined) return new Set();
  const isList = isNamed(inclusive, exclusiveCanonicalization, "InclusiveNamespaces");
  if (!isList || others.length > 0 || inclusive.children.length > 0) return undefined;
  const prefixes = (attributeOf(inclusive, "PrefixList") ?? "").split(/[ \t\r\n]+/);
  return new Set(
    prefixes.filter((prefix) => prefix !== "").map((prefix) => (prefix === "#default" ? "" : prefix)),
  );
}

function hasXmlAttribute({ written }: TextElement): boolean {
  for (const [name] of written) if (name.startsWith("xml:")) return true;
  return false;
}

/** Comments, CDATA and elements in a value are refused (CVE-2025-29775): others would read another value. */
function decodeText({ text }: TextElement): Uint8Array | undefined {
  const bytes = text === undefined ? undefined : decodeBase64(text);
  return bytes === undefined || bytes.length === 0 ? undefined : bytes;
}

function isOurs(element: TextElement | undefined, localName: string): element is TextElement {
  return element !== undefined && isNamed(element, signatureNamespace, localName);
}
