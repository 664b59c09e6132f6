import { type DescMethod, type Message, toJson } from "@bufbuild/protobuf";
import { requestInvalid } from "../../../kernel/base/problem.ts";
import { decodeBinary } from "./binary/codec.ts";
import { scanBinary } from "./binary/scan.ts";
import type { BodyDecoder, BodyReader } from "../../../kernel/http/bodies/body.ts";
import type { Decompress } from "../../../kernel/http/bodies/decompression.ts";
import type { Exchange } from "../../../kernel/http/exchanges/exchange.ts";
import { messageFromJson, parseJsonBody } from "./json/codec.ts";
import type { Method } from "../calls/method.ts";
import type { NodeExchange } from "../../../kernel/http/exchanges/node-exchange.ts";
import { compressionUnnamed } from "../errors/refusals.ts";
import { encodeFrame, type Frame, headBytes, readFrames, splitFrames } from "./frames.ts";
import { createTextDecoder, decodeChunks } from "./web-text.ts";

/** The protocol and the encoding that a content type names. */
export interface FramedType {
  readonly protocol: "grpc" | "grpc-web" | "connect";
  readonly codec: "json" | "proto";
  /** Whether the frames are in base64, only in gRPC-web. */
  readonly isText: boolean;
  readonly contentType: string;
}

/** A request whose body is still to be read. */
export interface FramedRequest extends FramedType {
  readonly exchange: Exchange;
  readonly method: Method;
  /** Largest message, compressed or not. */
  readonly maxBytes: number;
}

/**
 * Reads the body once it is asked for, and hands it on in whole, uncompressed messages. So the limits of all lanes hold, and
 * Connect, which counts all chunks again with each new one, gets few.
 */
export async function* readFramedBody(
  bodies: BodyReader,
  call: FramedRequest,
): AsyncGenerator<Uint8Array, void, undefined> {
  const { exchange, method, maxBytes, protocol, isText } = call;
  const name = protocol === "connect" ? "connect-content-encoding" : "grpc-encoding";
  const decompress = bodies.findDecompressor(exchange.header(name), maxBytes);
  const frames = isStreamed(method.descriptor)
    ? readFrames(isText ? decodeChunks(exchange.body) : exchange.body, {
        maxBytes,
        timeoutMs: bodies.bodyTimeoutMs,
      })
    : splitFrames(await bodies.read(exchange, maxBytes + headBytes, decoderOf(call)), maxBytes);
  let isOver = false;
  for await (const frame of frames) {
    if (isOver) throw behindTrailers();
    isOver = isTrailers(call, frame);
    if (isOver) continue;
    const data = await unpack(frame, decompress);
    if (call.codec === "proto") scanBinary(method.descriptor.input, data);
    yield encodeFrame(0, call.codec === "json" ? toStrictJson(method.descriptor, data) : data);
  }
}

/** Yields the messages of a complete body whose call names no compression. */
export function* messagesOf(call: FramedRequest, body: Uint8Array): Generator<Message, void, undefined> {
  let isOver = false;
  for (const frame of splitFrames(body, call.maxBytes)) {
    if (isOver) throw behindTrailers();
    isOver = isTrailers(call, frame);
    if (!isOver) yield decodeBinary(call.method.descriptor, plainDataOf(frame));
  }
}

/** Creates the decoder of the body; undefined when the body is not encoded. */
export function decoderOf({ isText }: FramedType): BodyDecoder | undefined {
  return isText ? createTextDecoder() : undefined;
}

/** Says whether any number of requests may come, one by one, each with the limits of a message. */
function isStreamed({ methodKind }: DescMethod): boolean {
  return methodKind === "client_streaming" || methodKind === "bidi_streaming";
}

/** Says whether a frame is the trailers of the caller, which mean nothing here. */
function isTrailers({ protocol }: FramedRequest, { flags }: Frame): boolean {
  return protocol === "grpc-web" && flags === 0x80;
}

/** Yields the answer, and cuts off a caller who does not read any of it for too long. */
export async function* dropUnread(
  body: AsyncIterable<Uint8Array>,
  exchange: NodeExchange,
): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const chunk of body) {
    // Connect asks for the next chunk once this one is written.
    const release = exchange.unread.hold(chunk.length, () => exchange.cut());
    try {
      yield chunk;
    } finally {
      release();
    }
  }
  exchange.holdUntilRead(0);
}

/** Refuses messages after the trailers, which PROTOCOL-WEB has last: another reader may understand them differently. */
function behindTrailers() {
  return requestInvalid("there are bytes after the trailers");
}

async function unpack(frame: Frame, decompress: Decompress | undefined): Promise<Uint8Array> {
  return frame.flags === 1 && decompress !== undefined ? await decompress(frame.data) : plainDataOf(frame);
}

function plainDataOf({ flags, data }: Frame): Uint8Array {
  if (flags === 0) return data;
  if (flags !== 1) throw requestInvalid("the message has unknown flags");
  throw compressionUnnamed();
}

/** Checks and rewrites the JSON of a message: the JSON lanes are stricter than Connect's decoder. */
function toStrictJson({ input }: DescMethod, data: Uint8Array): Uint8Array {
  return Buffer.from(JSON.stringify(toJson(input, messageFromJson(input, parseJsonBody(input, data)))));
}
