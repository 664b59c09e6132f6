import type { IncomingMessage } from "node:http";
import { promisify } from "node:util";
import { brotliDecompress, gunzip, inflate } from "node:zlib";
import { requestInvalid } from "../base/problem.ts";
import type { Problem } from "../base/problem.ts";
import { bodyTooSlow, cancelled, encodingUnsupported, messageTooLarge, overloaded } from "./refusals.ts";

export interface BodyLimits {
  /** Largest message, compressed or not. */
  readonly maxMessageBytes: number;
  /** Time for a whole body to arrive. */
  readonly bodyTimeoutMs: number;
  /** Bytes of bodies that are held at the same time in the whole process; beyond that calls are refused. */
  readonly maxBufferedBytes: number;
}

export interface BodyReader {
  readonly maxMessageBytes: number;
  /**
   * Returns the whole body. Raises MESSAGE_TOO_LARGE beyond `maxBytes`, OVERLOADED when the process holds too many
   * bodies, DEADLINE_EXCEEDED when it does not arrive in time.
   */
  read(request: IncomingMessage, maxBytes?: number): Promise<Uint8Array>;
}

/** Returns a reader of bodies; all bodies that it reads share one budget. */
export function createBodyReader(limits: BodyLimits): BodyReader {
  let heldBytes = 0;
  return {
    maxMessageBytes: limits.maxMessageBytes,
    read(request, maxBytes = limits.maxMessageBytes) {
      const declared = Number(request.headers["content-length"] ?? 0);
      if (declared > maxBytes) return Promise.reject(messageTooLarge(limits.maxMessageBytes));
      if (request.readableEnded) return Promise.resolve(new Uint8Array(0));
      return new Promise((resolve, reject) => {
        const sink = createByteSink();
        let counted = 0;
        const settle = (settled: () => void): void => {
          clearTimeout(timer);
          heldBytes -= counted;
          counted = 0;
          request.off("data", onData).off("end", onEnd).off("error", onGone).off("close", onGone);
          request.on("error", () => {});
          settled();
        };
        const refuse = (problem: Problem): void => settle(() => reject(problem));
        const onData = (chunk: Buffer): void => {
          counted += chunk.length;
          heldBytes += chunk.length;
          if (sink.length + chunk.length > maxBytes) return refuse(messageTooLarge(limits.maxMessageBytes));
          if (heldBytes > limits.maxBufferedBytes)
            return refuse(overloaded("too much is being sent at the moment"));
          sink.append(chunk);
        };
        const onEnd = (): void => settle(() => resolve(sink.bytes()));
        const onGone = (): void => refuse(cancelled());
        const timer = setTimeout(() => refuse(bodyTooSlow(limits.bodyTimeoutMs)), limits.bodyTimeoutMs);
        request.on("data", onData).once("end", onEnd).once("error", onGone).once("close", onGone);
      });
    },
  };
}

/** Collects chunks in one growing buffer, so that a body in pieces of one byte costs no more than its length. */
export interface ByteSink {
  readonly length: number;
  append(chunk: Uint8Array): void;
  bytes(): Uint8Array;
  /** Takes the first `count` bytes out. */
  take(count: number): Uint8Array;
}

export function createByteSink(): ByteSink {
  let buffer: Uint8Array = new Uint8Array(0);
  let length = 0;
  return {
    get length() {
      return length;
    },
    append(chunk) {
      if (length === 0) {
        buffer = chunk;
        length = chunk.length;
        return;
      }
      // A chunk taken over as it came is never written to: it is full, so the first append makes a new buffer.
      if (length + chunk.length > buffer.length) {
        const grown = new Uint8Array(Math.max(1024, 2 * (length + chunk.length)));
        grown.set(buffer.subarray(0, length));
        buffer = grown;
      }
      buffer.set(chunk, length);
      length += chunk.length;
    },
    bytes: () => buffer.subarray(0, length),
    take(count) {
      const taken = buffer.slice(0, count);
      buffer = buffer.slice(count, length);
      length -= count;
      return taken;
    },
  };
}

type Decompress = (bytes: Uint8Array, options: { maxOutputLength: number }) => Promise<Uint8Array>;

const decompressors: Readonly<Record<string, Decompress>> = {
  gzip: promisify<Uint8Array, { maxOutputLength: number }, Uint8Array>(gunzip),
  deflate: promisify<Uint8Array, { maxOutputLength: number }, Uint8Array>(inflate),
  br: promisify<Uint8Array, { maxOutputLength: number }, Uint8Array>(brotliDecompress),
};

/** The compressions that requests may use. */
export const encodings: readonly string[] = ["identity", ...Object.keys(decompressors)];

/**
 * Returns the function that undoes the compression, or undefined for none. Raises ENCODING_UNSUPPORTED. The function
 * raises MESSAGE_TOO_LARGE before it holds more than the limit, and INVALID_REQUEST for broken data.
 */
export function findDecompressor(
  encoding: string | undefined,
  maxBytes: number,
): ((bytes: Uint8Array) => Promise<Uint8Array>) | undefined {
  const name = (encoding ?? "").trim().toLowerCase();
  if (name === "" || name === "identity") return undefined;
  const decompress = Object.hasOwn(decompressors, name) ? decompressors[name] : undefined;
  if (decompress === undefined) throw encodingUnsupported(encodings);
  return async (bytes) => {
    if (bytes.length === 0) return bytes;
    try {
      return await decompress(bytes, { maxOutputLength: maxBytes });
    } catch (error) {
      if (isTooLarge(error)) throw messageTooLarge(maxBytes);
      throw requestInvalid(`the body is not valid ${name}`);
    }
  };
}

function isTooLarge(error: unknown): boolean {
  return (
    typeof error === "object" && error !== null && "code" in error && error.code === "ERR_BUFFER_TOO_LARGE"
  );
}
