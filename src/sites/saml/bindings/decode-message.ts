import { inflateRawSync } from "node:zlib";
import { decodeBase64 } from "../../../kernel/xml/base64.ts";
import { decodeXml } from "../../../kernel/xml/encoding.ts";
import { XmlError } from "../../../kernel/xml/scan.ts";
import { parseTextXml, type TextDocument } from "../../../kernel/xml/text-document.ts";
import { signaturesIn } from "../../../kernel/xml/signatures/signature-shape.ts";
import type { BoundMessage } from "./bound-message.ts";
import { SamlFault } from "./saml-fault.ts";

const maxMessageBytes = 64 * 1024;

/**
 * Decodes and parses a message of at most 64 KiB, by our own reader of XML: no package parses what strangers send. Raises a SamlFault
 * for anything else, and for a signature inside of a message by HTTP-Redirect, which signs beside it (SAML Bindings §3.4.4.1).
 */
export function decodeMessage(message: BoundMessage): TextDocument {
  const bytes = decodeBase64(message.message);
  if (bytes === undefined) throw new SamlFault("encoding", "the message is not base64");
  const isDeflated = message.binding === "redirect" || !beginsAsXml(bytes);
  const document = parse(isDeflated ? inflate(bytes) : bytes);
  if (message.binding === "redirect" && signaturesIn(document).length > 0)
    throw new SamlFault("signature", "the message has a signature inside of it");
  return document;
}

/** SAML Bindings §3.5.4 does not deflate messages of HTTP-POST, but node-saml does so unless told otherwise. */
function beginsAsXml(bytes: Buffer): boolean {
  return bytes.toString("latin1", 0, 1) === "<" || bytes.toString("utf8", 0, 4) === "\ufeff<";
}

/** SAML Bindings §3.4.4.1. Nothing may follow the compressed data. */
function inflate(bytes: Buffer): Buffer {
  try {
    const { buffer, engine } = inflateWithEngine(bytes);
    if (engine.bytesWritten === bytes.length) return buffer;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException; // zlib throws nothing else
    if (code === "ERR_BUFFER_TOO_LARGE") throw tooLarge();
  }
  throw new SamlFault("encoding", "the message is not DEFLATE");
}

/** `info` makes Node return the engine too, which its types do not know. */
function inflateWithEngine(bytes: Buffer): {
  readonly buffer: Buffer;
  readonly engine: { readonly bytesWritten: number };
} {
  const options = { maxOutputLength: maxMessageBytes, info: true };
  return inflateRawSync(bytes, options) as unknown as ReturnType<typeof inflateWithEngine>;
}

function tooLarge(): SamlFault {
  return new SamlFault("size", `the message has more than ${maxMessageBytes} bytes`);
}

function parse(bytes: Buffer): TextDocument {
  if (bytes.length > maxMessageBytes) throw tooLarge();
  try {
    return parseTextXml(decodeXml(bytes));
  } catch (error) {
    if (!(error instanceof XmlError)) throw error;
    throw new SamlFault("xml", `the message ${error.message}`, { cause: error });
  }
}
