import { XmlError } from "./scan.ts";

/**
 * Decodes a document in UTF-8, with or without byte order mark. Raises an XmlError with the fault `encoding` for bytes that are no
 * UTF-8, and for a document that names another encoding.
 */
export function decodeXml(bytes: Uint8Array): string {
  return decodeAs("utf-8", bytes, notUtf8);
}

/**
 * Decodes a document in UTF-8, or in UTF-16 with a byte order mark (XML 1.0 §4.3.3). The text of the latter is that of the same document
 * in UTF-8: its declaration says so. Raises as decodeXml does.
 */
export function decodeXmlOrUtf16(bytes: Uint8Array): string {
  if (!isUtf16(bytes)) return decodeAs("utf-8", bytes, neither);
  const text = decodeAs(bytes[0] === 0xff ? "utf-16le" : "utf-16be", bytes, neither);
  return text.replace(declaration, (whole) =>
    whole.replace(encodingIn, (found, name: string) => found.replace(name, "UTF-8")),
  );
}

/** Says whether a document begins with the byte order mark of UTF-16, without which no document in it is valid. */
export function isUtf16([first, second]: Uint8Array): boolean {
  return (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
}

const declaration = /^<\?xml\s[^>]*>/;
const encodingIn = /\sencoding\s*=\s*["']([^"']*)["']/;

type Encoding = "utf-8" | "utf-16le" | "utf-16be";

function decodeAs(encoding: Encoding, bytes: Uint8Array, fault: (cause?: unknown) => XmlError): string {
  let text: string;
  try {
    text = new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch (cause) {
    throw fault(cause);
  }
  // UTF-16 without byte order mark, and UTF-32 with that of UTF-16, are valid as long as the text is ASCII: XML 1.0 appendix F.
  if (text.slice(0, 4).includes("\0")) throw fault();
  const declared = encodingIn.exec(declaration.exec(text)?.[0] ?? "")?.[1];
  const family = encoding === "utf-8" ? "utf-8" : "utf-16";
  if (declared !== undefined && declared.toLowerCase() !== family) throw fault();
  return text;
}

function notUtf8(cause?: unknown): XmlError {
  return new XmlError("must be encoded in UTF-8", { fault: "encoding", cause });
}

function neither(cause?: unknown): XmlError {
  const words =
    "must be encoded in UTF-8, or in UTF-16 with a byte order mark, and declare no other encoding";
  return new XmlError(words, { fault: "encoding", cause });
}
