import { decodeBase64 } from "../../../kernel/xml/base64.ts";
import { attributeOf, childrenOf, isNamed } from "../../../kernel/xml/document.ts";
import { decodeXml } from "../../../kernel/xml/encoding.ts";
import { XmlError } from "../../../kernel/xml/scan.ts";
import { type SignedElement, signaturesIn } from "../../../kernel/xml/signatures/signature-shape.ts";
import { parseTextXml, type TextDocument, type TextElement } from "../../../kernel/xml/text-document.ts";
import { ProviderFailure } from "../provider/provider-failure.ts";
import { assertionNamespace, protocolNamespace } from "./names.ts";

/** What a Response must say. */
export interface ExpectedResponse {
  /** Our own URL, which it came to. */
  readonly acsUrl: string;
  readonly requestId: string;
  /** The entity id of the provider. */
  readonly entityId: string;
}

/** How a Response is opened. */
export interface ResponseOpener {
  /** Raises a ProviderFailure unless one of the provider's keys has made the signature. */
  verify(signed: SignedElement, signature: TextElement): Promise<void>;
  /** Returns the text of an EncryptedAssertion. `isSigned`: it stands in a signature that was found good. Raises a ProviderFailure. */
  decrypt(encrypted: TextElement, isSigned: boolean): string;
}

/** Of the message, in bytes. */
const maxMessageBytes = 128 * 1024;

/**
 * Reads a Response (SAML Core §3.3.3, Profiles §4.1.4.2) and returns the one assertion in it, whose signature was verified, or that of
 * the Response around it. What it says is not checked yet. Raises a ProviderFailure: also for a second assertion or signature wherever
 * it may stand, so that nothing but what was signed can be read.
 */
export async function openResponse(
  message: string,
  expected: ExpectedResponse,
  opener: ResponseOpener,
): Promise<TextElement> {
  const document = parse(decode(message));
  const { root } = document;
  requireResponse(root, expected);
  const found = assertionIn(document);
  const own = signaturesIn(document).filter((each) => root.children.includes(each));
  const [ownSignature, ...more] = own;
  if (more.length > 0) throw new ProviderFailure("refused", "signature shape");
  if (ownSignature !== undefined) await opener.verify({ element: root, ancestors: [] }, ownSignature);
  const isSigned = ownSignature !== undefined;
  const others = signaturesIn(document).filter((each) => !own.includes(each));
  if (!isNamed(found, assertionNamespace, "EncryptedAssertion"))
    return await requireSigned({ element: found, ancestors: [root] }, others, { opener, isSigned });
  if (others.length > 0) throw new ProviderFailure("refused", "signature shape");
  const inner = parse(opener.decrypt(found, isSigned));
  const element = inner.root;
  if (!isNamed(element, assertionNamespace, "Assertion") || countAssertions(inner) !== 1)
    throw new ProviderFailure("refused", "assertion shape");
  return await requireSigned({ element, ancestors: [] }, signaturesIn(inner), { opener, isSigned });
}

/** Verifies the signature of the assertion itself, which may be missing only in a Response that is signed. */
async function requireSigned(
  signed: SignedElement,
  signatures: readonly TextElement[],
  { opener, isSigned }: { readonly opener: ResponseOpener; readonly isSigned: boolean },
): Promise<TextElement> {
  const [signature, ...more] = signatures;
  if (more.length > 0) throw new ProviderFailure("refused", "signature shape");
  if (signature !== undefined) await opener.verify(signed, signature);
  else if (!isSigned) throw new ProviderFailure("refused", "unsigned");
  return signed.element;
}

function requireResponse(root: TextElement, { acsUrl, requestId, entityId }: ExpectedResponse): void {
  if (!isNamed(root, protocolNamespace, "Response") || attributeOf(root, "Version") !== "2.0")
    throw new ProviderFailure("refused", "Response");
  if (attributeOf(root, "InResponseTo") !== requestId) throw new ProviderFailure("refused", "InResponseTo");
  const destination = attributeOf(root, "Destination");
  const isSigned = signaturesIn({ root, elements: root.children }).length > 0;
  // SAML Bindings §3.5.5.2
  if (destination === undefined ? isSigned : destination !== acsUrl)
    throw new ProviderFailure("refused", "Destination");
  const [issuer, ...others] = childrenOf(root, assertionNamespace, "Issuer");
  if (others.length > 0 || (issuer !== undefined && issuer.text !== entityId))
    throw new ProviderFailure("refused", "Response Issuer");
  requireSuccess(root);
}

/** Nobody is let in by another status, so its signature does not matter. */
function requireSuccess(root: TextElement): void {
  const [status] = childrenOf(root, protocolNamespace, "Status");
  const [code] = status === undefined ? [] : childrenOf(status, protocolNamespace, "StatusCode");
  const value = code && attributeOf(code, "Value");
  if (value === "urn:oasis:names:tc:SAML:2.0:status:Success") return;
  throw new ProviderFailure(value === undefined ? "refused" : "denied", "Status");
}

/** A second one could be taken for the signed one. */
function assertionIn(document: TextDocument): TextElement {
  const found = ["Assertion", "EncryptedAssertion"].flatMap((name) =>
    childrenOf(document.root, assertionNamespace, name),
  );
  const [assertion] = found;
  if (assertion === undefined || countAssertions(document) !== 1)
    throw new ProviderFailure("refused", "assertion shape");
  return assertion;
}

function countAssertions({ elements }: TextDocument): number {
  return elements.filter(({ localName }) => /^(?:Encrypted)?Assertion$/.test(localName)).length;
}

function decode(message: string): string {
  const bytes = decodeBase64(message);
  if (bytes === undefined || bytes.length > maxMessageBytes) throw new ProviderFailure("refused", "encoding");
  return reading(() => decodeXml(bytes));
}

function parse(xml: string): TextDocument {
  return reading(() => parseTextXml(xml));
}

function reading<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof XmlError)) throw error;
    throw new ProviderFailure("refused", "XML");
  }
}
