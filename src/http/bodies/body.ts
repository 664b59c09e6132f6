import type { Readable, Transform } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { requestInvalid } from "../../base/problem.ts";
import type { Problem } from "../../base/problem.ts";
import { createDeadlines, type Deadlines } from "./deadlines.ts";
import type { Exchange } from "../exchanges/exchange.ts";
import { bodyTooSlow, cancelled, encodingUnsupported, messageTooLarge, overloaded } from "../refusals.ts";

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
  readonly bodyTimeoutMs: number;
  /**
   * Returns the whole body. Raises MESSAGE_TOO_LARGE beyond `maxBytes`, OVERLOADED when the process holds too many
   * bodies, DEADLINE_EXCEEDED when it does not arrive in time. With a decoder the body is what that makes of it, in its
   * length too.
   */
  read(
    exchange: Pick<Exchange, "body" | "header">,
    maxBytes?: number,
    decoder?: BodyDecoder,
  ): Promise<Uint8Array>;
  /**
   * Returns the function that undoes the compression, or undefined for none. Raises ENCODING_UNSUPPORTED. The function
   * raises MESSAGE_TOO_LARGE before it holds more than the limit, OVERLOADED when the process holds too many bodies, and
   * INVALID_REQUEST for broken data.
   */
  findDecompressor(encoding: string | undefined, maxBytes: number): Decompress | undefined;
}

/** Undoes the encoding of one body while it comes. */
export interface BodyDecoder {
  /** Returns what the next piece makes whole; undefined when it is not of the encoding. */
  decode(chunk: Uint8Array): Uint8Array | undefined;
  /** Whether the body may end here: nothing is left over. */
  isWhole(): boolean;
  /** Returns what is wrong with a body that is not of the encoding. */
  problem(): Problem;
  /** Returns how many bytes a valid body of that length makes at least. */
  leastLength(encodedLength: number): number;
}

const noBytes = new Uint8Array(0);

export type Decompress = (bytes: Uint8Array) => Promise<Uint8Array>;

/**
 * Decompressions at the same time: as many as libuv has threads for them. Each needs memory that no budget counts before it
 * is there, such as the window of brotli, up to 16 MiB.
 */
const maxDecompressions = 4;

/** Returns a reader of bodies; all bodies that it reads or decompresses share one budget. */
export function createBodyReader(limits: BodyLimits): BodyReader {
  const budget = createBudget(limits.maxBufferedBytes);
  const deadlines = createDeadlines(limits.bodyTimeoutMs);
  const inTurn = createTurns(maxDecompressions);
  return {
    maxMessageBytes: limits.maxMessageBytes,
    bodyTimeoutMs: limits.bodyTimeoutMs,
    read(exchange, maxBytes = limits.maxMessageBytes, decoder) {
      const declared = Number(exchange.header("content-length") ?? 0);
      const least = decoder === undefined ? declared : decoder.leastLength(declared);
      if (least > maxBytes) return Promise.reject(messageTooLarge(limits.maxMessageBytes));
      if (exchange.body.readableEnded) return Promise.resolve(noBytes);
      return collect(exchange.body, { ...limits, maxBytes, share: budget.open(), deadlines, decoder });
    },
    findDecompressor(encoding, maxBytes) {
      const name = (encoding ?? "").trim().toLowerCase();
      if (name === "" || name === "identity") return undefined;
      const open = Object.hasOwn(decompressors, name) ? decompressors[name] : undefined;
      if (open === undefined) throw encodingUnsupported(encodings);
      return async (bytes) => {
        if (bytes.length === 0) return bytes;
        const share = budget.open();
        try {
          if (!share.take(bytes.length)) throw tooMuchHeld();
          return await inTurn(() => decompress(open(), bytes, { name, maxBytes, share }));
        } finally {
          share.close();
        }
      };
    },
  };
}

/** Collects the body while it is within its bounds. */
function collect(
  body: Readable,
  bounds: BodyLimits & {
    readonly maxBytes: number;
    readonly share: Share;
    readonly deadlines: Deadlines;
    readonly decoder: BodyDecoder | undefined;
  },
): Promise<Uint8Array> {
  const { maxMessageBytes, bodyTimeoutMs, maxBytes, share, deadlines, decoder } = bounds;
  return new Promise((resolve, reject) => {
    let first: Uint8Array = noBytes; // most bodies come in one piece
    let sink: ByteSink | undefined;
    // The listeners stay until the body is gone: to take them off costs more than to call them in vain.
    let isSettled = false;
    const settle = (): boolean => {
      if (isSettled) return false;
      isSettled = true;
      deadline.clear();
      share.close();
      return true;
    };
    const refuse = (problem: Problem): void => {
      if (settle()) reject(problem);
    };
    const onData = (piece: Buffer): void => {
      if (isSettled) return;
      let chunk: Uint8Array = piece;
      if (decoder !== undefined) {
        const decoded = decoder.decode(piece);
        if (decoded === undefined) return refuse(decoder.problem());
        chunk = decoded;
      }
      if (first.length + (sink?.length ?? 0) + chunk.length > maxBytes)
        return refuse(messageTooLarge(maxMessageBytes));
      if (!share.take(chunk.length)) return refuse(tooMuchHeld());
      if (sink === undefined && first.length === 0) first = chunk;
      else {
        sink ??= createByteSink();
        if (first.length > 0) sink.append(first);
        first = noBytes;
        sink.append(chunk);
      }
    };
    const onEnd = (): void => {
      if (decoder?.isWhole() === false) return refuse(decoder.problem());
      if (settle()) resolve(sink?.bytes() ?? first);
    };
    const onGone = (): void => {
      if (!isSettled) refuse(cancelled()); // an error costs what a query does
    };
    const deadline = deadlines.set(() => refuse(bodyTooSlow(bodyTimeoutMs)));
    body.on("data", onData).on("end", onEnd).on("error", onGone).on("close", onGone);
  });
}

/** The bytes that many may hold together. */
export interface Budget {
  open(): Share;
}

/** What one body takes of the bytes that the process may hold. */
export interface Share {
  /** Takes bytes, or says that there are not as many left. */
  take(bytes: number): boolean;
  /** Gives all of them back. */
  close(): void;
}

/** Returns a budget of which nothing is taken. */
export function createBudget(maxBytes: number): Budget {
  let heldBytes = 0;
  return {
    open() {
      let own = 0;
      return {
        take(bytes) {
          if (heldBytes + bytes > maxBytes) return false;
          own += bytes;
          heldBytes += bytes;
          return true;
        },
        close() {
          heldBytes -= own;
          own = 0;
        },
      };
    },
  };
}

/** Returns a function that runs work, at most so much at the same time; the rest waits in the order in which it came. */
function createTurns(count: number): <T>(work: () => Promise<T>) => Promise<T> {
  let free = count;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (free > 0) free--;
    else
      await new Promise<void>((resolve) => {
        waiting.push(resolve);
      });
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) free++;
      else next();
    }
  };
}

function tooMuchHeld(): Problem {
  return overloaded("too much is being sent at the moment");
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
  let start = 0;
  let end = 0;
  return {
    get length() {
      return end - start;
    },
    append(chunk) {
      if (start === end) {
        buffer = chunk;
        start = 0;
        end = chunk.length;
        return;
      }
      // A chunk taken over as it came is never written to: it is full, so the first append makes a new buffer.
      if (end + chunk.length > buffer.length) {
        const length = end - start;
        const grown = new Uint8Array(Math.max(1024, 2 * (length + chunk.length)));
        grown.set(buffer.subarray(start, end));
        [buffer, start, end] = [grown, 0, length];
      }
      buffer.set(chunk, end);
      end += chunk.length;
    },
    bytes: () => buffer.subarray(start, end),
    take(count) {
      const taken = buffer.slice(start, start + count);
      start += count;
      return taken;
    },
  };
}

const decompressors: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/** The compressions that requests may use. */
export const encodings: readonly string[] = ["identity", ...Object.keys(decompressors)];

/** Counts each piece as it comes: what a few bytes unfold to is known at the end only. */
function decompress(
  stream: Transform,
  bytes: Uint8Array,
  { name, maxBytes, share }: { readonly name: string; readonly maxBytes: number; readonly share: Share },
): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    let length = 0;
    const refuse = (problem: Problem): void => {
      reject(problem);
      stream.destroy();
    };
    stream.on("data", (part: Buffer) => {
      length += part.length;
      if (length > maxBytes) return refuse(messageTooLarge(maxBytes));
      if (!share.take(part.length)) return refuse(tooMuchHeld());
      parts.push(part);
    });
    stream.once("error", () => reject(requestInvalid(`the body is not valid ${name}`)));
    stream.once("end", () => resolve(Buffer.concat(parts)));
    stream.end(bytes);
  });
}
