import { requestInvalid } from "../../../kernel/base/problem.ts";
import { type ByteSink, createByteSink } from "../../../kernel/http/bodies/byte-sink.ts";
import { bodyTooSlow, messageTooLarge } from "../../../kernel/http/errors/refusals.ts";

/** One message on the wire of gRPC, gRPC-web and Connect streams: a byte of flags, four of length, the data. */
export interface Frame {
  readonly flags: number;
  readonly data: Uint8Array;
}

/** Bytes before each message: a flag and the length. */
export const headBytes = 5;

/** Encodes a frame as it goes over the wire. */
export function encodeFrame(flags: number, data: Uint8Array): Uint8Array {
  const bytes = Buffer.allocUnsafe(headBytes + data.length);
  bytes[0] = flags;
  bytes.writeUInt32BE(data.length, 1);
  bytes.set(data, headBytes);
  return bytes;
}

/**
 * Yields the frames of a complete body, one at a time: 8 MiB hold 1.6 million empty ones. Raises INVALID_REQUEST and
 * MESSAGE_TOO_LARGE.
 */
export function* splitFrames(body: Uint8Array, maxBytes: number): Generator<Frame, void, undefined> {
  let at = 0;
  while (at < body.length) {
    const head = readHead(body, maxBytes, at);
    if (head === undefined || body.length < at + headBytes + head.length) throw incomplete();
    const from = at + headBytes;
    yield { flags: head.flags, data: body.subarray(from, from + head.length) };
    at = from + head.length;
  }
}

/**
 * Yields the frames of a body as they come. Raises as splitFrames does, and DEADLINE_EXCEEDED when a frame is not complete in time
 * after the one before it was handled.
 */
export async function* readFrames(
  request: AsyncIterable<Uint8Array>,
  { maxBytes, timeoutMs }: { readonly maxBytes: number; readonly timeoutMs: number },
): AsyncGenerator<Frame, void, undefined> {
  const sink = createByteSink();
  const chunks = request[Symbol.asyncIterator]();
  for (;;) {
    // If many small frames come at once, a timer for each would cost more than the frames.
    const isThere =
      holdsFrame(sink, maxBytes) ||
      (await withinTime(timeoutMs, () => readUntilFrame(sink, chunks, maxBytes)));
    if (!isThere) break;
    const { flags, length } = readHead(sink.bytes(), maxBytes) ?? { flags: 0, length: 0 };
    yield { flags, data: sink.take(headBytes + length).subarray(headBytes) };
  }
  if (sink.length > 0) throw incomplete();
}

/** Reads until there is a whole frame; false at the end of the body. */
async function readUntilFrame(
  sink: ByteSink,
  chunks: AsyncIterator<Uint8Array>,
  maxBytes: number,
): Promise<boolean> {
  while (!holdsFrame(sink, maxBytes)) {
    const chunk = await chunks.next();
    if (chunk.done === true) return false;
    sink.append(chunk.value);
  }
  return true;
}

function holdsFrame(sink: ByteSink, maxBytes: number): boolean {
  const head = readHead(sink.bytes(), maxBytes);
  return head !== undefined && sink.length >= headBytes + head.length;
}

async function withinTime<T>(timeoutMs: number, work: () => Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(bodyTooSlow(timeoutMs)), timeoutMs);
  try {
    return await Promise.race([work(), late]);
  } finally {
    clearTimeout(timer);
  }
}

function readHead(
  bytes: Uint8Array,
  maxBytes: number,
  at = 0,
): { readonly flags: number; readonly length: number } | undefined {
  if (bytes.length - at < headBytes) return undefined;
  const byte = (index: number) => bytes[at + index] ?? 0;
  const length = byte(1) * 2 ** 24 + (byte(2) << 16) + (byte(3) << 8) + byte(4);
  if (length > maxBytes) throw messageTooLarge(maxBytes);
  return { flags: byte(0), length };
}

function incomplete() {
  return requestInvalid("the body ends in the middle of a message");
}
