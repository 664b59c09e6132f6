// The text format of gRPC-web: frames in base64, for browsers whose XMLHttpRequest hands out only text while an answer comes in.
// https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-WEB.md
import { requestInvalid } from "../../../kernel/base/problem.ts";
import type { BodyDecoder } from "../../../kernel/http/bodies/body.ts";
import type { Exchange } from "../../../kernel/http/exchanges/exchange.ts";

const padding = 64;
const foreign = 255;
/** The value of each character: RFC 4648 §4. */
const values = new Uint8Array(256).fill(foreign);
for (const [value, char] of Array.from(
  "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=",
).entries())
  values[char.charCodeAt(0)] = value;

/**
 * Creates the decoder of the base64 of one body. Its pieces may be cut anywhere, and every group of four may end in padding: a
 * client sends what it has, padded, and goes on (PROTOCOL-WEB, "text-encoded streams").
 */
export function createTextDecoder(): BodyDecoder {
  let bits = 0;
  let count = 0; // characters of the group so far
  let padded = 0; // how many of them are padding
  return {
    decode(chunk) {
      const bytes = Buffer.allocUnsafe(Math.ceil((count + chunk.length) / 4) * 3);
      let length = 0;
      // By index: an iterator would take longer than the work itself.
      for (let at = 0; at < chunk.length; at++) {
        const value = values[chunk[at] ?? 0] ?? foreign;
        if (value === padding && count >= 2) padded++;
        else if (value >= padding || padded > 0) return undefined;
        bits = (bits << 6) | (value & 63);
        if (++count < 4) continue;
        bytes[length++] = bits >> 16;
        if (padded < 2) bytes[length++] = bits >> 8;
        if (padded < 1) bytes[length++] = bits;
        bits = count = padded = 0;
      }
      return bytes.subarray(0, length);
    },
    isWhole: () => count === 0,
    problem: () => requestInvalid("the body is not valid base64"),
    // Each group of four makes at least one byte.
    leastLength: (encodedLength) => Math.floor(encodedLength / 4),
  };
}

/** Yields the decoded pieces of a body. Raises INVALID_REQUEST. */
export async function* decodeChunks(
  body: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  const decoder = createTextDecoder();
  for await (const chunk of body) {
    const decoded = decoder.decode(chunk);
    if (decoded === undefined) throw decoder.problem();
    yield decoded;
  }
  if (!decoder.isWhole()) throw decoder.problem();
}

/** Encodes the bytes as a piece of text that can be read by itself. */
export function encodeText({ buffer, byteOffset, byteLength }: Uint8Array): Uint8Array {
  return Buffer.from(Buffer.from(buffer, byteOffset, byteLength).toString("base64"), "latin1");
}

/** Yields each piece of an answer as text that can be decoded as soon as it arrives. */
export async function* encodeChunks(
  body: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const chunk of body) yield encodeText(chunk);
}

/**
 * Says whether the answer has to be text: `accept` decides (PROTOCOL-WEB, "text-encoded response streams"); if it names no format
 * of gRPC-web, the answer has the format of the request.
 */
export function wantsText(
  exchange: Pick<Exchange, "header">,
  { protocol, isText }: { readonly protocol: string; readonly isText: boolean },
): boolean {
  if (protocol !== "grpc-web") return false;
  const accepted = /application\/grpc-web(?<text>-text)?/i.exec(exchange.header("accept") ?? "");
  return accepted === null ? isText : accepted.groups?.["text"] !== undefined;
}

/** Names the content type of an answer of gRPC-web. */
export function webTypeOf(isText: boolean): string {
  return isText ? "application/grpc-web-text+proto" : "application/grpc-web+proto";
}
