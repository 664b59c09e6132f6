/** What is wrong with an XML document, in words that follow `the document`. */
export class XmlError extends Error {
  /** `two-roots`: the document is one but for what follows its root. `declaration`: it has a DOCTYPE or the like. */
  readonly fault: "malformed" | "two-roots" | "declaration";

  constructor(
    message: string,
    options: { readonly fault?: XmlError["fault"]; readonly cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause });
    this.fault = options.fault ?? "malformed";
  }
}

/** What a scan has counted. */
export interface XmlCounts {
  depth: number;
  elements: number;
  attributes: number;
  /** Comments, processing instructions and CDATA sections. */
  others: number;
  /** `&amp;`, `&#38;` and the like. */
  references: number;
}

/** The most that a document may hold; large metadata of real applications has a tenth of it. */
const limits: Readonly<XmlCounts> = {
  depth: 50,
  elements: 1000,
  attributes: 3000,
  others: 1000,
  references: 5000,
};

/** An entityID has 1024 at most (SAML Metadata §2.3.2), URLs hardly more. Long content, as logos, stands in text. */
const maxAttributeLength = 8192;

/**
 * Goes through the markup of an XML document once, in linear time and without building anything, and returns what it
 * counted. Raises an XmlError for a document that is too large for the parser to build in a few milliseconds, and for
 * what xmldom 0.9.12 lets pass although it is not well-formed: bare ampersands, characters that XML does not have,
 * `]]>` in text, attributes without quotes or white space. Raises one too for every DOCTYPE and entity declaration, which
 * so never come before the parser; inside of comments, instructions and CDATA sections the words are words. Leaves to the parser what it does well: names, nesting,
 * namespaces.
 */
export function scanXml(text: string): Readonly<XmlCounts> {
  const forbidden = forbiddenCharacter.exec(text);
  if (forbidden !== null) throw malformed(text, forbidden.index);
  const scan: Scan = { text, at: 0, depth: 0, elements: 0, attributes: 0, others: 0, references: 0 };
  while (scan.at < text.length) {
    const start = scan.at;
    if (text[start] !== "<") scanText(scan);
    else if (text.startsWith("<!--", start)) scanComment(scan);
    else if (text.startsWith("<![CDATA[", start) && scan.depth > 0) skipPast(scan, "]]>");
    else if (text.startsWith("<?", start)) skipPast(scan, "?>");
    else if (text.startsWith("</", start)) scanEndTag(scan);
    else if (isDeclaration(text, start))
      throw new XmlError("must not have declarations", { fault: "declaration" });
    else scanStartTag(scan);
  }
  if (scan.depth > 0 || scan.elements === 0) throw malformed(text, scan.at);
  return scan;
}

interface Scan extends XmlCounts {
  readonly text: string;
  /** Where the next piece of markup or text begins. */
  at: number;
}

/** What `Char` of XML 1.0 §2.2 leaves out; a decoded text has no lone surrogates. */
// oxlint-disable-next-line no-control-regex -- control characters are what it looks for
const forbiddenCharacter = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/;

const startTag = /<[^\s\u007f-\u009f"'<>/=&!?]+/y;
const attribute = /[ \t\r\n]+[^\s\u007f-\u009f"'<>/=&]+[ \t\r\n]*=[ \t\r\n]*(?:"([^"<]*)"|'([^'<]*)')/y;
const endOfTag = /[ \t\r\n]*(\/?)>/y;
const endTag = /<\/[^\s"'<>/=&]+[ \t\r\n]*>/y;
const reference = /&(?:(?:amp|lt|gt|quot|apos);|#(\d{1,10});|#x([\da-fA-F]{1,8});)?/g;

function scanText(scan: Scan): void {
  const { text, at } = scan;
  const next = text.indexOf("<", at);
  const end = next < 0 ? text.length : next;
  const content = text.slice(at, end);
  const isFault = scan.depth === 0 ? /[^ \t\r\n]/.test(content) : content.includes("]]>");
  if (isFault) throw malformed(text, at);
  scanReferences(scan, content);
  scan.at = end;
}

/** A comment holds no `--`: XML 1.0 §2.5. */
function scanComment(scan: Scan): void {
  const dashes = scan.text.indexOf("--", scan.at + "<!--".length);
  if (dashes < 0 || scan.text[dashes + 2] !== ">") throw malformed(scan.text, scan.at);
  skipPast(scan, "-->");
}

/** In any case, as a reader might be that takes more than XML has. */
function isDeclaration(text: string, at: number): boolean {
  return /^<!(?:DOCTYPE|ENTITY)/i.test(text.slice(at, at + "<!DOCTYPE".length));
}

function skipPast(scan: Scan, end: string): void {
  const found = scan.text.indexOf(end, scan.at + 2);
  if (found < 0) throw malformed(scan.text, scan.at);
  count(scan, "others");
  scan.at = found + end.length;
}

function scanStartTag(scan: Scan): void {
  match(scan, startTag);
  if (scan.depth === 0 && scan.elements > 0)
    throw new XmlError("must have one root element", { fault: "two-roots" });
  count(scan, "elements");
  for (let found = tryMatch(scan, attribute); found !== null; found = tryMatch(scan, attribute)) {
    const value = found[1] ?? found[2] ?? "";
    if (value.length > maxAttributeLength) {
      throw new XmlError(`must not have attributes of more than ${maxAttributeLength} characters`);
    }
    count(scan, "attributes");
    scanReferences(scan, value);
  }
  const isEmpty = match(scan, endOfTag)[1] === "/";
  count(scan, "depth"); // an empty element has a depth too
  if (isEmpty) scan.depth--;
}

function scanEndTag(scan: Scan): void {
  match(scan, endTag);
  scan.depth--;
  if (scan.depth < 0) throw malformed(scan.text, scan.at);
}

function scanReferences(scan: Scan, content: string): void {
  if (!content.includes("&")) return;
  for (const [whole, decimal, hexadecimal] of content.matchAll(reference)) {
    count(scan, "references");
    const code =
      decimal === undefined ? Number.parseInt(hexadecimal ?? "20", 16) : Number.parseInt(decimal, 10);
    if (whole === "&" || !isCharacter(code)) throw malformed(scan.text, scan.at);
  }
}

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

/** Matches a sticky pattern at the place of the scan and moves on behind it. */
function tryMatch(scan: Scan, pattern: RegExp): RegExpExecArray | null {
  pattern.lastIndex = scan.at;
  const found = pattern.exec(scan.text);
  if (found !== null) scan.at = pattern.lastIndex;
  return found;
}

function count(scan: Scan, what: keyof XmlCounts): void {
  scan[what]++;
  if (scan[what] > limits[what])
    throw new XmlError(`must not have more than ${limits[what]} ${limitNames[what]}`);
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
