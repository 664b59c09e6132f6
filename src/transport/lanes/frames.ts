import type { IncomingMessage } from "node:http";
import { requestInvalid } from "../../base/problem.ts";
import { createByteSink } from "../body.ts";
import { messageTooLarge } from "../refusals.ts";

/** One message on the wire of gRPC, gRPC-web and Connect streams: a byte of flags, four of length, the data. */
export interface Frame {
  readonly flags: number;
  readonly data: Uint8Array;
}

export const headBytes = 5;

/** Returns the frame as it goes over the wire. */
export function encodeFrame(flags: number, data: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(headBytes + data.length);
  bytes[0] = flags;
  new DataView(bytes.buffer).setUint32(1, data.length);
  bytes.set(data, headBytes);
  return bytes;
}

/** Returns the frames of a body that is there as a whole. Raises INVALID_REQUEST and MESSAGE_TOO_LARGE. */
export function splitFrames(body: Uint8Array, maxBytes: number): readonly Frame[] {
  const frames: Frame[] = [];
  let at = 0;
  while (at < body.length) {
    const head = readHead(body.subarray(at), maxBytes);
    if (head === undefined || body.length < at + headBytes + head.length) throw incomplete();
    const from = at + headBytes;
    frames.push({ flags: head.flags, data: body.subarray(from, from + head.length) });
    at = from + head.length;
  }
  return frames;
}

/** Yields the frames of a body as they come. Raises as splitFrames does. */
export async function* readFrames(
  request: IncomingMessage,
  maxBytes: number,
): AsyncGenerator<Frame, void, undefined> {
  const sink = createByteSink();
  for await (const chunk of request) {
    sink.append(chunk as Buffer); // a request without an encoding yields buffers
    for (;;) {
      const head = readHead(sink.bytes(), maxBytes);
      if (head === undefined || sink.length < headBytes + head.length) break;
      yield { flags: head.flags, data: sink.take(headBytes + head.length).subarray(headBytes) };
    }
  }
  if (sink.length > 0) throw incomplete();
}

function readHead(
  bytes: Uint8Array,
  maxBytes: number,
): { readonly flags: number; readonly length: number } | undefined {
  if (bytes.length < headBytes) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, headBytes);
  const length = view.getUint32(1);
  if (length > maxBytes) throw messageTooLarge(maxBytes);
  return { flags: view.getUint8(0), length };
}

function incomplete() {
  return requestInvalid("the body ends in the middle of a message");
}
