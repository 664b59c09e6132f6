import { compareCodePoints, toCanonicalText, toCanonicalValue } from "./canonical-text.ts";

/** A piece of a document in its exclusive canonical form (Exclusive XML Canonicalization 1.0 §3). */
export interface XmlFragment {
  readonly xml: string;
}

/**
 * Writes an element. `xmlns:p` stands among the attributes of the element that uses the prefix first, and of no other: then the
 * element is its own exclusive canonical form. Attributes may be given in any order, and those that are undefined are left out.
 * Children that are texts are escaped; a character that XML cannot hold becomes U+FFFD (XML 1.0 §2.2). All attributes with
 * a prefix must have the same one.
 */
export function element(
  name: string,
  attributes: Readonly<Record<string, string | undefined>>,
  children: readonly (XmlFragment | string | undefined)[] = [],
): XmlFragment {
  const given = Object.entries(attributes).filter(([, value]) => value !== undefined);
  requireOnePrefix(given.map(([each]) => each));
  const written = given
    .toSorted(([a], [b]) => rankOf(a) - rankOf(b) || compareCodePoints(a, b))
    .map(([each, value = ""]) => ` ${each}="${toCanonicalValue(toCharacters(value))}"`);
  const content = children.map((child) => {
    if (child === undefined) return "";
    return typeof child === "string" ? toCanonicalText(toCharacters(child)) : child.xml;
  });
  return { xml: `<${name}${written.join("")}>${content.join("")}</${name}>` };
}

// oxlint-disable-next-line no-control-regex -- control characters are what it looks for
const impossible = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;

function toCharacters(text: string): string {
  return text.toWellFormed().replaceAll(impossible, "\ufffd");
}

/** Canonical XML 1.0 §2.2: the default namespace, then the other declarations, attributes without and those with a namespace. */
function rankOf(name: string): number {
  if (name === "xmlns") return 0;
  if (name.startsWith("xmlns:")) return 1;
  return name.includes(":") ? 3 : 2;
}

/** Attributes are sorted by the names of their namespaces, which are not known here. */
function requireOnePrefix(names: readonly string[]): void {
  const prefixes = names.filter((name) => rankOf(name) === 3).map((name) => name.slice(0, name.indexOf(":")));
  if (new Set(prefixes).size > 1) throw new Error("the attributes of an element have several prefixes");
}
