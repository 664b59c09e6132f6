import { hash, type KeyObject } from "node:crypto";
import { equalBytes } from "../../base/secret.ts";
import { canonicalize } from "../canonical.ts";
import { XmlError } from "../scan.ts";
import type { TextDocument, TextElement } from "../text-document.ts";
import {
  type EnvelopedSignature,
  readSignature,
  type SignedElement,
  signaturesIn,
} from "./signature-shape.ts";
import { badSignature, type SignatureFinding } from "./signature-finding.ts";
import { keysFor, verifyOctets } from "./verify-octets.ts";

/**
 * Verifies the signature inside of a document with the keys of its sender, any of which may have made it. A good one is over the
 * whole document. `absent` means that there is no signature at all, wherever it may stand.
 *
 * What costs least comes first, since anybody can send anything: a sender without a key for the algorithm costs no canonical form, and
 * the document is digested only if one of the keys has signed its digest.
 */
export async function verifyDocument(
  document: TextDocument,
  keys: readonly KeyObject[],
): Promise<SignatureFinding> {
  const [signature, ...others] = signaturesIn(document);
  if (signature === undefined) return { kind: "absent" };
  if (others.length > 0) return badSignature("shape");
  return await verifySigned({ element: document.root, ancestors: [] }, signature, keys);
}

/** Verifies one signature over the element whose child it is, as `verifyDocument` does for the whole document. */
export async function verifySigned(
  signed: SignedElement,
  element: TextElement,
  keys: readonly KeyObject[],
): Promise<SignatureFinding> {
  const signature = readSignature(signed, element);
  if (signature.kind === "bad") return signature;
  const { algorithm, value } = signature;
  if (keysFor(algorithm, keys).length === 0) return badSignature("key");
  try {
    const octets = [toSignedOctets(signed, signature)];
    const finding = await verifyOctets({ octets, signature: value, algorithm, keys });
    if (finding.kind !== "good") return finding;
    return isDigested(signed, signature) ? finding : badSignature("digest");
  } catch (error) {
    if (!(error instanceof XmlError)) throw error;
    return badSignature("shape");
  }
}

/** How long a canonical form may be: four times the largest message. Those of honest messages are hardly longer than the message. */
const maxLength = 4 * 64 * 1024;

/** XML Signature §3.2.2. */
function toSignedOctets(signed: SignedElement, signature: EnvelopedSignature): string {
  const { element, signedInfo, signedInfoPrefixes: inclusivePrefixes } = signature;
  const ancestors = [...signed.ancestors, signed.element, element];
  return canonicalize(signedInfo, { ancestors, inclusivePrefixes, maxLength });
}

/** XML Signature §3.2.1. */
function isDigested({ element, ancestors }: SignedElement, signature: EnvelopedSignature): boolean {
  const { element: without, documentPrefixes: inclusivePrefixes } = signature;
  const digested = canonicalize(element, { ancestors, without, inclusivePrefixes, maxLength });
  return equalBytes(hash(signature.digestHash, digested, "buffer"), signature.digest);
}
