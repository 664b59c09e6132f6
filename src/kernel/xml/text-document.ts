import { requireUniqueIds } from "./document.ts";
import { createNamespaces, type EnteredElement } from "./namespaces.ts";
import { type RawAttribute, scanXml, type XmlCounts, XmlError } from "./scan.ts";

/** A processing instruction: its target, and what follows the target ("" for nothing). */
export interface TextInstruction {
  readonly target: string;
  readonly data: string;
}

/** An element of a document, with its text. */
export interface TextElement extends EnteredElement {
  readonly children: readonly TextElement[];
  /**
   * Its text with references resolved, if it is one run without elements, comments, instructions and CDATA sections ("" when
   * empty), else undefined. Readers differ in what they take for the text of anything else (CVE-2017-11427, CVE-2025-29775).
   */
  readonly text: string | undefined;
  /** The name as written, with the prefix. */
  readonly name: string;
  /** All attributes as written, with their prefixes, and the declarations of namespaces, in the order of the tag. */
  readonly written: readonly RawAttribute[];
  /** Texts, elements and instructions in the order of the document: what its canonical form consists of. */
  readonly content: readonly (string | TextElement | TextInstruction)[];
}

/** A parsed XML document with its texts. */
export interface TextDocument {
  readonly root: TextElement;
  /** All elements, in the order of the document. */
  readonly elements: readonly TextElement[];
}

/** What a document may have. */
export interface TextLimits extends XmlCounts {
  /** The length of the name of a namespace, in UTF-16 units. */
  namespaceLength: number;
}

/**
 * Parses a well-formed XML 1.0 document with well-formed namespaces and without DOCTYPE, in which no ID is repeated (the attributes ID,
 * Id and xml:id). It has at most 1,000 elements and 3,000 attributes, and names of namespaces of at most 1,024 characters, or what
 * `limits` says; with an empty object those of `scanXml` hold. Raises an XmlError when it is not such a document.
 */
export function parseTextXml(text: string, limits: Partial<TextLimits> = messageLimits): TextDocument {
  const elements: OpenElement[] = [];
  const open: OpenElement[] = [];
  const namespaces = createNamespaces(limits.namespaceLength);
  const add = (content: string | TextInstruction, isPlain: boolean) => {
    const parent = open.at(-1);
    parent?.content.push(content);
    if (!isPlain && parent !== undefined) parent.isPlain = false;
  };
  const handler = {
    start(name: string, written: readonly RawAttribute[]) {
      const { namespace, localName, attributes } = namespaces.enter(name, written);
      const element = new OpenElement({ namespace, localName, attributes, name, written });
      const parent = open.at(-1);
      parent?.children.push(element);
      parent?.content.push(element);
      elements.push(element);
      open.push(element);
    },
    end() {
      open.pop();
      namespaces.leave();
    },
    content: {
      text: (run: string) => add(run, true),
      section: (section: string) => add(section, false),
      comment: () => add("", false),
      instruction: (target: string, data: string) => add({ target, data }, false),
    },
  };
  scanXml(text, handler, limits);
  const [root] = elements;
  if (root === undefined) throw new XmlError("must have a root element"); // the scan has seen one
  requireUniqueIds({ elements });
  return { root, elements };
}

/** Messages have some twenty elements; each costs time to canonicalize, and perhaps writes the name of its namespace again. */
const messageLimits = { elements: 1000, attributes: 3000, namespaceLength: 1024 };

class OpenElement implements TextElement {
  readonly namespace: string;
  readonly localName: string;
  readonly attributes: readonly RawAttribute[];
  readonly name: string;
  readonly written: readonly RawAttribute[];
  readonly children: OpenElement[] = [];
  readonly content: (string | OpenElement | TextInstruction)[] = [];
  /** Whether nothing but text and elements has been seen in it. */
  isPlain = true;

  constructor(tag: EnteredElement & Pick<TextElement, "name" | "written">) {
    this.namespace = tag.namespace;
    this.localName = tag.localName;
    this.attributes = tag.attributes;
    this.name = tag.name;
    this.written = tag.written;
  }

  get text(): string | undefined {
    if (!this.isPlain || this.content.length > 1) return undefined;
    const [only = ""] = this.content;
    return typeof only === "string" ? only : undefined;
  }
}
