import { compareCodePoints, toCanonicalText, toCanonicalValue } from "./canonical-text.ts";
import { XmlError } from "./scan.ts";
import type { TextElement, TextInstruction } from "./text-document.ts";

/** What the canonical form of an element depends on besides the element. */
export interface CanonicalOptions {
  /** The elements around it, the root first: prefixes that it uses may be declared there. */
  readonly ancestors?: readonly TextElement[];
  /** An element in it that is left out with all that it holds. */
  readonly without?: TextElement | undefined;
  /**
   * The prefixes of the PrefixList, "" for the default namespace: those are treated as in Canonical XML 1.0. `all`: the form is the
   * inclusive one, provided that no ancestor has an attribute of the namespace of `xml`, such as `xml:lang`, which it would inherit.
   */
  readonly inclusivePrefixes?: InclusivePrefixes;
  /** How long the form may become, in UTF-16 units; absent: as long as it is. */
  readonly maxLength?: number;
}

/** The prefixes whose declarations are written wherever they stand. */
export type InclusivePrefixes = ReadonlySet<string> | "all";

/**
 * Returns the exclusive canonical form of an element without comments: Exclusive XML Canonicalization 1.0 §3. Raises an XmlError if it
 * is longer than `maxLength`, and else cannot fail for an element of a document that was parsed. A namespace is written again
 * at each sibling that uses it, so the form can be a thousand times as long as the document: what strangers send needs a `maxLength`.
 */
export function canonicalize(element: TextElement, options: CanonicalOptions = {}): string {
  const { ancestors = [], without, inclusivePrefixes = noPrefixes, maxLength = Infinity } = options;
  const scope = new Bindings();
  for (const ancestor of ancestors)
    for (const [prefix, namespace] of declarationsOf(ancestor)) scope.bind(prefix, namespace);
  const writer: Writer = {
    output: new Output(maxLength),
    scope,
    written: new Bindings(),
    without,
    inclusivePrefixes,
  };
  const inherited =
    inclusivePrefixes === "all"
      ? scope.prefixes()
      : [...inclusivePrefixes].filter((prefix) => scope.find(prefix) !== undefined);
  writeElement(writer, element, inherited);
  return writer.output.toString();
}

const noPrefixes: ReadonlySet<string> = new Set();
const xmlNamespace = "http://www.w3.org/XML/1998/namespace";

interface Writer {
  readonly output: Output;
  /** What the prefixes mean in the document. */
  readonly scope: Bindings;
  /** What they mean by the declarations that have been written. */
  readonly written: Bindings;
  readonly without: TextElement | undefined;
  readonly inclusivePrefixes: InclusivePrefixes;
}

/** What has been written. It is counted before it is put together, which would need the memory. */
class Output {
  readonly #parts: string[] = [];
  #left: number;

  constructor(maxLength: number) {
    this.#left = maxLength;
  }

  push(...parts: readonly string[]): void {
    for (const part of parts) {
      this.#left -= part.length;
      if (this.#left < 0) throw new XmlError("must not have so long a canonical form");
      this.#parts.push(part);
    }
  }

  toString(): string {
    return this.#parts.join("");
  }
}

/** The namespaces of prefixes, innermost last. */
class Bindings {
  readonly #bound = new Map<string, string[]>();

  bind(prefix: string, namespace: string): void {
    const namespaces = this.#bound.get(prefix);
    if (namespaces === undefined) this.#bound.set(prefix, [namespace]);
    else namespaces.push(namespace);
  }

  release(prefixes: readonly string[]): void {
    for (const prefix of prefixes) this.#bound.get(prefix)?.pop();
  }

  prefixes(): readonly string[] {
    return [...this.#bound.keys()];
  }

  find(prefix: string): string | undefined {
    return this.#bound.get(prefix)?.at(-1);
  }
}

type Declaration = readonly [prefix: string, namespace: string];

function writeElement(writer: Writer, element: TextElement, inherited: readonly string[]): void {
  const { output, scope, written, inclusivePrefixes } = writer;
  const declared = declarationsOf(element);
  for (const [prefix, namespace] of declared) scope.bind(prefix, namespace);
  const attributes = attributesOf(element, scope);
  const utilized = new Set([prefixOf(element.name), ...inherited]);
  for (const { prefix } of attributes) if (prefix !== "") utilized.add(prefix);
  for (const [prefix] of declared)
    if (inclusivePrefixes === "all" || inclusivePrefixes.has(prefix)) utilized.add(prefix);
  const needed = [...utilized].flatMap((prefix) => missingDeclaration(writer, prefix));
  for (const [prefix, namespace] of needed) written.bind(prefix, namespace);
  output.push("<", element.name);
  for (const [prefix, namespace] of needed.toSorted(([a], [b]) => compareCodePoints(a, b)))
    output.push(prefix === "" ? " xmlns" : ` xmlns:${prefix}`, '="', toCanonicalValue(namespace), '"');
  for (const { name, value } of attributes) output.push(" ", name, '="', toCanonicalValue(value), '"');
  output.push(">");
  for (const each of element.content) writeContent(writer, each);
  output.push("</", element.name, ">");
  written.release(needed.map(([prefix]) => prefix));
  scope.release(declared.map(([prefix]) => prefix));
}

function writeContent(writer: Writer, content: string | TextElement | TextInstruction): void {
  if (typeof content === "string") writer.output.push(toCanonicalText(content));
  else if ("target" in content) writer.output.push(toInstruction(content));
  else if (content !== writer.without) writeElement(writer, content, []);
}

function toInstruction({ target, data }: TextInstruction): string {
  return data === "" ? `<?${target}?>` : `<?${target} ${data.replaceAll("\r", "&#xD;")}?>`;
}

/** The declaration of a prefix, unless what has been written means the same. No element undeclares more than the default. */
function missingDeclaration({ scope, written }: Writer, prefix: string): readonly Declaration[] {
  const namespace = scope.find(prefix) ?? "";
  return prefix === "xml" || (written.find(prefix) ?? "") === namespace ? [] : [[prefix, namespace]];
}

function declarationsOf({ written }: TextElement): readonly Declaration[] {
  const declarations: Declaration[] = [];
  for (const [name, value] of written) {
    if (name === "xmlns") declarations.push(["", value]);
    else if (name.startsWith("xmlns:")) declarations.push([name.slice("xmlns:".length), value]);
  }
  return declarations;
}

interface CanonicalAttribute {
  readonly name: string;
  readonly prefix: string;
  readonly namespace: string;
  readonly localName: string;
  readonly value: string;
}

/** The attributes that declare no namespace, sorted by namespace and local name. The default namespace is not theirs. */
function attributesOf({ written }: TextElement, scope: Bindings): readonly CanonicalAttribute[] {
  const attributes: CanonicalAttribute[] = [];
  for (const [name, value] of written) {
    if (name === "xmlns" || name.startsWith("xmlns:")) continue;
    const prefix = prefixOf(name);
    const localName = prefix === "" ? name : name.slice(prefix.length + 1);
    const namespace = prefix === "xml" ? xmlNamespace : prefix === "" ? "" : (scope.find(prefix) ?? "");
    attributes.push({ name, prefix, namespace, localName, value });
  }
  if (attributes.length < 2) return attributes;
  const ranks = rankNamespaces(attributes);
  return attributes.toSorted(
    (left, right) =>
      (ranks.get(left.namespace) ?? 0) - (ranks.get(right.namespace) ?? 0) ||
      compareCodePoints(left.localName, right.localName),
  );
}

/** Namespaces can be long, and two of them differ in the last character alone: each is compared once, not with each attribute. */
function rankNamespaces(attributes: readonly CanonicalAttribute[]): ReadonlyMap<string, number> {
  const distinct = new Set(attributes.map(({ namespace }) => namespace));
  return new Map([...distinct].toSorted(compareCodePoints).map((namespace, rank) => [namespace, rank]));
}

function prefixOf(name: string): string {
  const colon = name.indexOf(":");
  return colon < 0 ? "" : name.slice(0, colon);
}
