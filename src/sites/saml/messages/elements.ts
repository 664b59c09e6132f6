import { parseDateTime } from "../../../kernel/xml/date-time.ts";
import { attributeOf, childrenOf } from "../../../kernel/xml/document.ts";
import type { TextElement } from "../../../kernel/xml/text-document.ts";
import { SamlFault } from "../bindings/saml-fault.ts";

/** Returns the one child with this name, or undefined without one. Raises a SamlFault when there are several. */
export function onlyChildOf(
  parent: TextElement,
  namespace: string,
  localName: string,
): TextElement | undefined {
  const [first, ...others] = childrenOf(parent, namespace, localName);
  if (others.length > 0) throw malformedMessage();
  return first;
}

/**
 * Returns the text of an element, which is one run without comments, CDATA and elements: what a signature covers must not be read in two
 * ways. Raises a SamlFault for any other content, and for none.
 */
export function textOf(element: TextElement): string {
  if (element.text === undefined || element.text === "") throw malformedMessage();
  return element.text;
}

/** Returns the text of an element that holds a URI, without the white space around it (XML Schema 2 §3.2.17): see `textOf`. */
export function uriOf(element: TextElement): string {
  const uri = textOf(element).trim();
  if (uri === "") throw malformedMessage();
  return uri;
}

/** Reads an xs:boolean, false when it is absent. Raises a SamlFault for any other text. */
export function readBoolean(element: TextElement, name: string): boolean {
  switch (attributeOf(element, name)) {
    case undefined:
    case "false":
    case "0":
      return false;
    case "true":
    case "1":
      return true;
    default:
      throw malformedMessage();
  }
}

/** Reads an xs:unsignedShort, undefined when it is absent. Raises a SamlFault for any other text. */
export function readIndex(element: TextElement, name: string): number | undefined {
  const text = attributeOf(element, name);
  if (text === undefined) return undefined;
  if (!/^\d{1,5}$/.test(text) || Number(text) > maxIndex) throw malformedMessage();
  return Number(text);
}

/** Reads an xs:dateTime as milliseconds since 1970, undefined when it is absent. Raises a SamlFault for any other text. */
export function readInstant(element: TextElement, name: string): number | undefined {
  const text = attributeOf(element, name);
  if (text === undefined) return undefined;
  const instantMs = parseDateTime(text);
  if (instantMs === undefined) throw malformedMessage();
  return instantMs;
}

/** Returns the fault of a message that does not have the structure that the schema of SAML gives it. */
export function malformedMessage(): SamlFault {
  return new SamlFault("malformed", "the message does not have the structure of a SAML message");
}

const maxIndex = 65_535;
