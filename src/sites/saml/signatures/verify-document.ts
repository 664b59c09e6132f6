import { hash, type KeyObject } from "node:crypto";
import { equalBytes } from "../../../kernel/base/secret.ts";
import { canonicalize } from "../../../kernel/xml/canonical.ts";
import { XmlError } from "../../../kernel/xml/scan.ts";
import type { TextDocument } from "../../../kernel/xml/text-document.ts";
import { type EnvelopedSignature, readSignature, signaturesIn } from "./signature-shape.ts";
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
  const [element, ...others] = signaturesIn(document);
  if (element === undefined) return { kind: "absent" };
  if (others.length > 0) return badSignature("shape");
  const signature = readSignature(document, element);
  if (signature.kind === "bad") return signature;
  const { algorithm, value } = signature;
  if (keysFor(algorithm, keys).length === 0) return badSignature("key");
  try {
    const octets = [toSignedOctets(document, signature)];
    const finding = await verifyOctets({ octets, signature: value, algorithm, keys });
    if (finding.kind !== "good") return finding;
    return isDigested(document, signature) ? finding : badSignature("digest");
  } catch (error) {
    if (!(error instanceof XmlError)) throw error;
    return badSignature("shape");
  }
}

/** How long a canonical form may be: four times the largest message. Those of honest messages are hardly longer than the message. */
const maxLength = 4 * 64 * 1024;

/** XML Signature §3.2.2. */
function toSignedOctets({ root }: TextDocument, signature: EnvelopedSignature): string {
  const { element, signedInfo, signedInfoPrefixes: inclusivePrefixes } = signature;
  return canonicalize(signedInfo, { ancestors: [root, element], inclusivePrefixes, maxLength });
}

/** XML Signature §3.2.1. */
function isDigested({ root }: TextDocument, signature: EnvelopedSignature): boolean {
  const { element: without, documentPrefixes: inclusivePrefixes } = signature;
  const digested = canonicalize(root, { without, inclusivePrefixes, maxLength });
  return equalBytes(hash(signature.digestHash, digested, "buffer"), signature.digest);
}
