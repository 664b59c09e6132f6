import { createNamespaces, type EnteredElement } from "./namespaces.ts";
import { scanXml, XmlError } from "./scan.ts";

/** An element of a document, without its text: metadata has everything that we read in names and attributes. */
export interface XmlElement extends EnteredElement {
  readonly children: readonly XmlElement[];
}

/** A parsed XML document. */
export interface XmlDocument {
  readonly root: XmlElement;
  /** All elements, in the order of the document. */
  readonly elements: readonly XmlElement[];
}

/**
 * Parses a well-formed XML 1.0 document with well-formed namespaces, of limited size and without DOCTYPE. Raises an
 * XmlError when it is not such a document.
 */
export function parseXml(text: string): XmlDocument {
  const elements: XmlElement[] = [];
  const open: XmlElement[][] = [[]];
  const namespaces = createNamespaces();
  scanXml(text, {
    start(name, raw) {
      const children: XmlElement[] = [];
      const { namespace, localName, attributes } = namespaces.enter(name, raw);
      const element = { namespace, localName, attributes, children };
      elements.push(element);
      open.at(-1)?.push(element);
      open.push(children);
    },
    end() {
      open.pop();
      namespaces.leave();
    },
  });
  const [root] = elements;
  if (root === undefined) throw new XmlError("must have a root element"); // the scan has seen one
  return { root, elements };
}

/** Returns the elements directly below one, with this name in this namespace, in the order of the document. */
export function childrenOf<Child extends XmlElement>(
  parent: { readonly children: readonly Child[] },
  namespace: string,
  localName: string,
): readonly Child[] {
  return parent.children.filter((child) => isNamed(child, namespace, localName));
}

/** Compares the expanded name (Namespaces in XML 1.0 §2.1): the prefix does not count. */
export function isNamed(element: XmlElement, namespace: string, localName: string): boolean {
  return element.localName === localName && element.namespace === namespace;
}

/** Returns the value of the attribute without namespace, or undefined when it is absent. */
export function attributeOf(element: XmlElement, name: string): string | undefined {
  return element.attributes.find(([own]) => own === name)?.[1];
}

/**
 * Raises an XmlError when two elements have the same ID. A signature must refer to exactly one element: XML 1.0 §3.3.1, the
 * attributes of type ID in SAML, XML Signature and XML.
 */
export function requireUniqueIds({ elements }: { readonly elements: readonly EnteredElement[] }): void {
  const ids = new Set<string>();
  for (const { attributes } of elements) {
    for (const [name, value] of attributes) {
      if (name !== "ID" && name !== "Id" && name !== "xml:id") continue;
      if (ids.has(value)) throw new XmlError("must not have the same ID twice");
      ids.add(value);
    }
  }
}
