import { type RawAttribute, XmlError } from "./scan.ts";

/** A qualified name of Namespaces in XML 1.0. */
export interface ExpandedName {
  /** Empty for a name in no namespace. */
  readonly namespace: string;
  readonly localName: string;
}

/** The namespace bindings at a place in a document. One per document; enter and leave elements in their order. */
export interface Namespaces {
  /**
   * Adds the declarations in the start tag of an element. Returns the name of the element and its other attributes by
   * name; an attribute in a namespace has a key such as `xml:id` or `3:id`. Raises an XmlError unless the tag is
   * namespace-well-formed (Namespaces in XML §7).
   */
  enter(name: string, attributes: readonly RawAttribute[]): EnteredElement;
  /** Forgets the declarations of the element that was entered last. */
  leave(): void;
}

/** An element as `enter` returns it. */
export interface EnteredElement extends ExpandedName {
  readonly attributes: readonly RawAttribute[];
}

interface Binding {
  readonly namespace: string;
  /**
   * Stands for the namespace in keys, which would otherwise be as long as the namespace: a document can have
   * thousands of them.
   */
  readonly key: string;
}

const xmlKey = "xml"; // so that `xml:id` is the key of that attribute
const xmlNamespace = "http://www.w3.org/XML/1998/namespace";
const xmlnsNamespace = "http://www.w3.org/2000/xmlns/";
const noAttributes: readonly RawAttribute[] = [];
const noPrefixes: readonly string[] = [];

/** Returns the bindings of a document at its start: `xml`, and no default namespace. Longer names of namespaces are refused. */
export function createNamespaces(maxLength = Infinity): Namespaces {
  const keys = new Map([[xmlNamespace, xmlKey]]);
  const bound = new Map<string, Binding[]>([
    ["xml", [{ namespace: xmlNamespace, key: xmlKey }]],
    ["", [{ namespace: "", key: "" }]],
  ]);
  const declared: (readonly string[])[] = [];
  const declare = (prefix: string, namespace: string) => {
    requireAllowed(prefix, namespace);
    if (namespace.length > maxLength)
      throw new XmlError(`must not have names of namespaces of more than ${maxLength} characters`);
    let key = keys.get(namespace);
    if (key === undefined) {
      key = String(keys.size);
      keys.set(namespace, key);
    }
    const bindings = bound.get(prefix);
    if (bindings === undefined) bound.set(prefix, [{ namespace, key }]);
    else bindings.push({ namespace, key });
  };
  const find = (prefix: string): Binding => {
    const binding = bound.get(prefix)?.at(-1);
    if (binding === undefined) throw new XmlError("must not have a prefix without a namespace");
    return binding;
  };
  return {
    enter(name, attributes) {
      const prefixes = attributes.length === 0 ? noPrefixes : prefixesIn(attributes);
      declared.push(prefixes);
      if (prefixes.length > 0) {
        for (const [at, value] of attributes)
          if (isDeclaration(at)) declare(at.slice("xmlns:".length), value);
      }
      const { prefix, localName } = split(name);
      const { namespace } = find(prefix);
      const hasMore = attributes.length > prefixes.length;
      return { namespace, localName, attributes: hasMore ? expand(attributes, find) : noAttributes };
    },
    leave() {
      for (const prefix of declared.pop() ?? noPrefixes) bound.get(prefix)?.pop();
    },
  };
}

/** Returns the prefixes that the attributes declare, the empty one for the default. */
function prefixesIn(attributes: readonly RawAttribute[]): readonly string[] {
  const prefixes: string[] = [];
  for (const [name] of attributes) if (isDeclaration(name)) prefixes.push(name.slice("xmlns:".length));
  if (prefixes.length > 1 && new Set(prefixes).size < prefixes.length) throw repeated();
  return prefixes;
}

/** The constraints of Namespaces in XML §3 on reserved prefixes and §5 on undeclared prefixes. */
function requireAllowed(prefix: string, namespace: string): void {
  const isXml = prefix === "xml";
  const isWrong =
    prefix === "xmlns" ||
    namespace === xmlnsNamespace ||
    isXml !== (namespace === xmlNamespace) ||
    (prefix !== "" && namespace === "");
  if (isWrong) throw new XmlError("must not declare a prefix against the rules of namespaces");
}

/**
 * Returns the attributes that declare no namespace. The default namespace does not apply to attributes: Namespaces in
 * XML §6.2.
 */
function expand(
  attributes: readonly RawAttribute[],
  find: (prefix: string) => Binding,
): readonly RawAttribute[] {
  const expanded: RawAttribute[] = [];
  for (const attribute of attributes) {
    const [name, value] = attribute;
    if (isDeclaration(name)) continue;
    const { prefix, localName } = split(name);
    expanded.push(prefix === "" ? attribute : [`${find(prefix).key}:${localName}`, value]);
  }
  if (expanded.length > 1) requireUnique(expanded);
  return expanded;
}

/**
 * Two attributes must not have the same name, or the same local name in one namespace: XML 1.0 §3.1, Namespaces in
 * XML §6.3.
 */
function requireUnique(attributes: readonly RawAttribute[]): void {
  const names = new Set<string>();
  for (const [name] of attributes) names.add(name);
  if (names.size < attributes.length) throw repeated();
}

function isDeclaration(name: string): boolean {
  return name.startsWith("xmlns") && (name.length === "xmlns".length || name[5] === ":");
}

/** The scan guarantees at most one colon, with a name on either side. */
function split(name: string): { readonly prefix: string; readonly localName: string } {
  const colon = name.indexOf(":");
  if (colon < 0) return { prefix: "", localName: name };
  return { prefix: name.slice(0, colon), localName: name.slice(colon + 1) };
}

function repeated(): XmlError {
  return new XmlError("must not repeat an attribute in an element");
}
