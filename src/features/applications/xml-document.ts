import { DOMParser, type Element, type Node, onErrorStopParsing, onWarningStopParsing } from "@xmldom/xmldom";
import { scanXml, XmlError } from "./xml-scan.ts";

/** An XML document that was parsed. */
export interface XmlDocument {
  readonly root: Element;
  /** All elements, in the order of the document. */
  readonly elements: readonly Element[];
}

/**
 * Parses a well-formed XML 1.0 document with namespaces, of limited size and without DOCTYPE. Raises an XmlError when it
 * is not such a document.
 */
export function parseXml(text: string): XmlDocument {
  const counts = scanXml(text);
  const root = parseRoot(text);
  const elements: Element[] = [];
  collect(root, elements);
  // xmldom keeps the last of two attributes with one name in one namespace (a:x and b:x): Namespaces in XML §6.3.
  const attributes = elements.reduce((sum, element) => sum + element.attributes.length, 0);
  if (elements.length !== counts.elements || attributes !== counts.attributes) {
    throw new XmlError("must not repeat an attribute in an element");
  }
  return { root, elements };
}

/** Returns the elements directly below one, with this name in this namespace, in the order of the document. */
export function childrenOf(parent: Element, namespace: string, localName: string): readonly Element[] {
  return elementsBelow(parent).filter((child) => isNamed(child, namespace, localName));
}

export function isNamed(element: Element, namespace: string, localName: string): boolean {
  return element.namespaceURI === namespace && element.localName === localName;
}

/** Returns the value of the attribute without namespace, or undefined when it is absent. */
export function attributeOf(element: Element, name: string): string | undefined {
  return element.getAttributeNodeNS(null, name)?.value;
}

function parseRoot(text: string): Element {
  const parser = new DOMParser({
    locator: false, // it takes most of the time
    // U+FFFD is a character like others, but xmldom 0.9.12 warns of it, and one cannot tell its warnings apart.
    onError: text.includes("\uFFFD") ? onErrorStopParsing : onWarningStopParsing,
    normalizeLineEndings: (source) => source.replaceAll(/\r\n?/g, "\n"), // XML 1.0 §2.11; xmldom's own is that of XML 1.1
  });
  try {
    const { documentElement, doctype } = parser.parseFromString(text, "application/xml");
    if (documentElement !== null && doctype === null) return documentElement;
  } catch (cause) {
    throw new XmlError("is not well-formed XML", { cause });
  }
  throw new XmlError("is not well-formed XML");
}

function collect(element: Element, elements: Element[]): void {
  elements.push(element);
  for (const child of elementsBelow(element)) collect(child, elements);
}

function elementsBelow(parent: Element): readonly Element[] {
  const found: Element[] = [];
  for (let node: Node | null = parent.firstChild; node !== null; node = node.nextSibling) {
    if (node.nodeType === node.ELEMENT_NODE) found.push(node as Element); // that is what the type says
  }
  return found;
}
