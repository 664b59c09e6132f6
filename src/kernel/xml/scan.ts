/** Describes the fault of an XML document, in words that follow `the document`. */
export class XmlError extends Error {
  /**
   * `two-roots`: the document is well-formed except for what follows its root. `declaration`: it has a DOCTYPE or
   * another declaration. `encoding`: its bytes are not UTF-8.
   */
  readonly fault: "malformed" | "two-roots" | "declaration" | "encoding";

  constructor(
    message: string,
    options: { readonly fault?: XmlError["fault"]; readonly cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause });
    this.fault = options.fault ?? "malformed";
  }
}

/** An attribute as written: its name with the prefix, and its normalized value. */
export type RawAttribute = readonly [name: string, value: string];

/** Receives the elements of a document, in their order. The name is as written, with the prefix. */
export interface XmlHandler {
  start(name: string, attributes: readonly RawAttribute[]): void;
  end(): void;
  /** Receives what else stands inside of the root. Line ends are normalized (XML 1.0 §2.11). */
  readonly content?: XmlContentHandler;
}

/** Receives the content of elements that is no element, in the order of the document. */
export interface XmlContentHandler {
  /** A run of text between two pieces of markup, with its references resolved. */
  text(run: string): void;
  /** A CDATA section. */
  section(text: string): void;
  comment(): void;
  /** A processing instruction. Its data is empty when nothing follows the target. */
  instruction(target: string, data: string): void;
}

/** How many there may be of each in a document. Namespace declarations count as attributes. */
export interface XmlCounts {
  depth: number;
  elements: number;
  attributes: number;
  /** Comments, processing instructions and CDATA sections. */
  others: number;
  /** `&amp;`, `&#38;` and the like. */
  references: number;
}

const commonLimits: Readonly<XmlCounts> = {
  depth: 50,
  elements: 10_000,
  attributes: 20_000,
  others: 1000,
  references: 5000,
};

const maxAttributeBytes = 64 * 1024;

/**
 * Goes through an XML 1.0 document once, in linear time, and tells of its elements. Raises an XmlError for one that is not
 * well-formed, larger than the limits, or has a DOCTYPE or another declaration; inside of comments, instructions and CDATA
 * sections the words are words. Text is checked, and reported only to a handler of content. Namespaces are the handler's. The
 * limits are 50 levels, 10,000 elements, 20,000 attributes, 5,000 references, 1,000 of all else, or what `narrower` says.
 */
export function scanXml(text: string, handler: XmlHandler, narrower: Partial<XmlCounts> = {}): void {
  const forbidden = forbiddenCharacter.exec(text);
  if (forbidden !== null) throw malformed(text, forbidden.index);
  const counts: XmlCounts = { depth: 0, elements: 0, attributes: 0, others: 0, references: 0 };
  const limits = { ...commonLimits, ...narrower };
  const scan: Scan = { ...counts, limits, text, handler, open: [], at: 0 };
  if (text.startsWith("<?xml") && tryMatch(scan, xmlDeclaration) !== null) count(scan, "others");
  while (scan.at < text.length) {
    const start = scan.at;
    if (text[start] !== "<") scanText(scan);
    else if (text.startsWith("<!--", start)) scanComment(scan);
    else if (text.startsWith("<![CDATA[", start) && scan.depth > 0) scanSection(scan);
    else if (text.startsWith("<?", start)) scanInstruction(scan);
    else if (text.startsWith("</", start)) scanEndTag(scan);
    else if (isDeclaration(text, start))
      throw new XmlError("must not have declarations", { fault: "declaration" });
    else scanStartTag(scan);
  }
  if (scan.depth > 0 || scan.elements === 0) throw malformed(text, scan.at);
}

/** Says whether the text is an NCName (Namespaces in XML §3), which an ID is. */
export function isSimpleName(text: string): boolean {
  return wholeName.test(text);
}

/** Says whether a document can hold the text: XML 1.0 §2.2. */
export function isXmlText(text: string): boolean {
  return text.isWellFormed() && !forbiddenCharacter.test(text);
}

interface Scan extends XmlCounts {
  readonly limits: Readonly<XmlCounts>;
  readonly text: string;
  readonly handler: XmlHandler;
  /** The names of the elements that are open. */
  readonly open: string[];
  /** Where the next piece of markup or text starts. */
  at: number;
}

/** The characters that `Char` of XML 1.0 §2.2 excludes; decoded text has no lone surrogates. */
// oxlint-disable-next-line no-control-regex -- control characters are what it looks for
const forbiddenCharacter = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/;

/**
 * NameStartChar and NameChar of XML 1.0 §2.3, without the colon, which has a meaning of its own in Namespaces in XML.
 */
const nameStart =
  "A-Z_a-z\\u00c0-\\u00d6\\u00d8-\\u00f6\\u00f8-\\u02ff\\u0370-\\u037d\\u037f-\\u1fff\\u200c\\u200d\\u2070-\\u218f\\u2c00-\\u2fef\\u3001-\\ud7ff\\uf900-\\ufdcf\\ufdf0-\\ufffd\\u{10000}-\\u{effff}";
const nameRest = `${nameStart}\\-.0-9\\u00b7\\u0300-\\u036f\\u203f\\u2040`;
const simpleName = `[${nameStart}][${nameRest}]*`;
const wholeName = new RegExp(`^${simpleName}$`, "u");
/** QName, Namespaces in XML §4. The first part is possessive, so that long names are not scanned again. */
const name = `${simpleName}(?::${simpleName})?`;
const space = "[ \\t\\r\\n]";

const startTag = new RegExp(`<(${name})`, "uy");
const attribute = new RegExp(`${space}+(${name})${space}*=${space}*(?:"([^"<]*)"|'([^'<]*)')`, "uy");
const endOfTag = new RegExp(`${space}*(/?)>`, "y");
const endTag = new RegExp(`</(${name})${space}*>`, "uy");
const instruction = new RegExp(`<\\?(${simpleName})(?=${space}|\\?>)`, "uy");
const reference = /&(?:(amp|lt|gt|quot|apos);|#(\d{1,10});|#x([\da-fA-F]{1,8});)?/g;

/** XML 1.0 §2.8. The encoding that it names has been checked before. */
const xmlDeclaration = new RegExp(
  `<\\?xml${attributeOf("version", "1\\.\\d+")}(?:${attributeOf("encoding", "[A-Za-z][\\w.\\-]*")})?` +
    `(?:${attributeOf("standalone", "yes|no")})?${space}*\\?>`,
  "y",
);

function attributeOf(what: string, value: string): string {
  return `${space}+${what}${space}*=${space}*(?:"(?:${value})"|'(?:${value})')`;
}

function scanText(scan: Scan): void {
  const { text, at } = scan;
  const next = text.indexOf("<", at);
  const end = next < 0 ? text.length : next;
  const content = text.slice(at, end);
  const isFault = scan.depth === 0 ? /[^ \t\r\n]/.test(content) : content.includes("]]>");
  if (isFault) throw malformed(text, at);
  const { content: receiver } = scan.handler;
  const run = resolveReferences(scan, receiver === undefined ? content : normalizeLines(content));
  if (scan.depth > 0) receiver?.text(run);
  scan.at = end;
}

function scanSection(scan: Scan): void {
  const start = scan.at + "<![CDATA[".length;
  skipPast(scan, "]]>");
  scan.handler.content?.section(normalizeLines(scan.text.slice(start, scan.at - "]]>".length)));
}

/** XML 1.0 §2.11. A reference to a carriage return is none, so this comes before references are resolved. */
function normalizeLines(text: string): string {
  return text.includes("\r") ? text.replaceAll(/\r\n?/g, "\n") : text;
}

/** A comment holds no `--`: XML 1.0 §2.5. */
function scanComment(scan: Scan): void {
  const dashes = scan.text.indexOf("--", scan.at + "<!--".length);
  if (dashes < 0 || scan.text[dashes + 2] !== ">") throw malformed(scan.text, scan.at);
  scan.at = dashes; // `<!-->` is no whole comment
  skipPast(scan, "-->");
  if (scan.depth > 0) scan.handler.content?.comment();
}

/** The target has no colon (Namespaces in XML §7), and `xml` in any case is not free (XML 1.0 §2.6). */
function scanInstruction(scan: Scan): void {
  const [, target = ""] = match(scan, instruction);
  if (target.toLowerCase() === "xml") throw malformed(scan.text, scan.at);
  const start = scan.at;
  skipPast(scan, "?>");
  if (scan.depth === 0) return;
  const data = normalizeLines(scan.text.slice(start, scan.at - "?>".length));
  scan.handler.content?.instruction(target, data.replace(/^[ \t\n]+/, ""));
}

/** In any letter case, because a lenient reader might accept more than XML allows. */
function isDeclaration(text: string, at: number): boolean {
  return /^<!(?:DOCTYPE|ENTITY)/i.test(text.slice(at, at + "<!DOCTYPE".length));
}

function skipPast(scan: Scan, end: string): void {
  const found = scan.text.indexOf(end, scan.at);
  if (found < 0) throw malformed(scan.text, scan.at);
  count(scan, "others");
  scan.at = found + end.length;
}

function scanStartTag(scan: Scan): void {
  const [, tagName = ""] = match(scan, startTag);
  if (scan.depth === 0 && scan.elements > 0)
    throw new XmlError("must have one root element", { fault: "two-roots" });
  count(scan, "elements");
  const attributes: RawAttribute[] = [];
  for (let found = tryMatch(scan, attribute); found !== null; found = tryMatch(scan, attribute)) {
    count(scan, "attributes");
    attributes.push([found[1] ?? "", toValue(scan, found[2] ?? found[3] ?? "")]);
  }
  const isEmpty = match(scan, endOfTag)[1] === "/";
  count(scan, "depth"); // an empty element has a depth too
  scan.handler.start(tagName, attributes);
  scan.open.push(tagName);
  if (isEmpty) endElement(scan);
}

function scanEndTag(scan: Scan): void {
  const [, tagName] = match(scan, endTag);
  if (scan.depth === 0 || tagName !== scan.open.at(-1)) throw malformed(scan.text, scan.at);
  endElement(scan);
}

function endElement(scan: Scan): void {
  scan.depth--;
  scan.open.pop();
  scan.handler.end();
}

/** Normalizes a value: XML 1.0 §3.3.3, after the line ends of §2.11. */
function toValue(scan: Scan, written: string): string {
  if (written.length * 3 > maxAttributeBytes && Buffer.byteLength(written) > maxAttributeBytes) {
    throw new XmlError(`must not have attributes of more than ${maxAttributeBytes} bytes`);
  }
  return resolveReferences(scan, written.replaceAll(/\r\n|[\t\n\r]/g, " "));
}

function resolveReferences(scan: Scan, content: string): string {
  if (!content.includes("&")) return content;
  let resolved = "";
  let from = 0;
  // Not `replace`, which would find all references before the first is counted.
  for (const found of content.matchAll(reference)) {
    count(scan, "references");
    resolved += content.slice(from, found.index) + characterOf(scan, found);
    from = found.index + found[0].length;
  }
  return resolved + content.slice(from);
}

function characterOf(scan: Scan, [whole, entity, decimal, hexadecimal]: RegExpExecArray): string {
  if (entity !== undefined) return entities[entity] ?? "";
  const code = decimal === undefined ? Number.parseInt(hexadecimal ?? "", 16) : Number(decimal);
  if (whole === "&" || !isCharacter(code)) throw malformed(scan.text, scan.at);
  return String.fromCodePoint(code);
}

const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

/** XML 1.0 §4.1, Legal Character. */
function isCharacter(code: number): boolean {
  if (code > 0x10_ffff || (code >= 0xd800 && code <= 0xdfff)) return false;
  return !forbiddenCharacter.test(String.fromCodePoint(code));
}

function match(scan: Scan, pattern: RegExp): RegExpExecArray {
  const found = tryMatch(scan, pattern);
  if (found === null) throw malformed(scan.text, scan.at);
  return found;
}

/** Matches a sticky pattern at the current position and moves past the match. */
function tryMatch(scan: Scan, pattern: RegExp): RegExpExecArray | null {
  pattern.lastIndex = scan.at;
  const found = pattern.exec(scan.text);
  if (found !== null) scan.at = pattern.lastIndex;
  return found;
}

function count(scan: Scan, what: keyof XmlCounts): void {
  scan[what]++;
  if (scan[what] > scan.limits[what])
    throw new XmlError(`must not have more than ${scan.limits[what]} ${limitNames[what]}`);
}

const limitNames: Readonly<Record<keyof XmlCounts, string>> = {
  depth: "levels of elements",
  elements: "elements",
  attributes: "attributes",
  others: "comments, processing instructions and CDATA sections",
  references: "character and entity references",
};

function malformed(text: string, at: number): XmlError {
  const line = text.slice(0, at).split("\n").length;
  return new XmlError(`is not well-formed XML at line ${line}`);
}
