import { XmlError } from "./scan.ts";

/**
 * Decodes a document in UTF-8, with or without byte order mark. Raises an XmlError with the fault `encoding` for bytes that are no
 * UTF-8, and for a document that names another encoding.
 */
export function decodeXml(bytes: Uint8Array): string {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    throw notUtf8(cause);
  }
  // UTF-16 and UTF-32 without byte order mark are valid UTF-8 as long as the text is ASCII: XML 1.0 appendix F.
  if (text.slice(0, 4).includes("\0") || !/^utf-8$/i.test(declaredEncoding(text))) throw notUtf8();
  return text;
}

function declaredEncoding(text: string): string {
  const declaration = /^<\?xml\s[^>]*>/.exec(text)?.[0] ?? "";
  return /\sencoding\s*=\s*["']([^"']*)["']/.exec(declaration)?.[1] ?? "UTF-8";
}

function notUtf8(cause?: unknown): XmlError {
  return new XmlError("must be encoded in UTF-8", { fault: "encoding", cause });
}
