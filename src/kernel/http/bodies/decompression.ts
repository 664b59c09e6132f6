import type { Transform } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { type Problem, requestInvalid } from "../../base/problem.ts";
import { encodingUnsupported, messageTooLarge } from "../errors/refusals.ts";
import { type Budget, type Share, tooMuchHeld } from "./byte-budget.ts";

/** Undoes the compression of one body or message. */
export type Decompress = (bytes: Uint8Array) => Promise<Uint8Array>;

/**
 * Finds the function that undoes a compression; undefined when there is none. Raises ENCODING_UNSUPPORTED. The
 * function raises MESSAGE_TOO_LARGE before it holds more than `maxBytes`, OVERLOADED when the process holds too many
 * bodies, and INVALID_REQUEST for broken data.
 */
export type FindDecompressor = (encoding: string | undefined, maxBytes: number) => Decompress | undefined;

const decompressors: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/** The compressions that requests may use. */
export const encodings: readonly string[] = ["identity", ...Object.keys(decompressors)];

/**
 * Maximum number of concurrent decompressions: the number of libuv's threads. Each needs memory that no budget counts
 * in advance, such as the window of brotli, up to 16 MiB.
 */
const maxDecompressions = 4;

/** Creates decompressors whose results share one budget. */
export function createDecompression(budget: Budget): FindDecompressor {
  const inSlot = createSlots(maxDecompressions);
  return (encoding, maxBytes) => {
    const name = (encoding ?? "").trim().toLowerCase();
    if (name === "" || name === "identity") return undefined;
    const open = Object.hasOwn(decompressors, name) ? decompressors[name] : undefined;
    if (open === undefined) throw encodingUnsupported(encodings);
    return async (bytes) => {
      if (bytes.length === 0) return bytes;
      const share = budget.open();
      try {
        if (!share.take(bytes.length)) throw tooMuchHeld();
        return await inSlot(() => decompress(open(), bytes, { name, maxBytes, share }));
      } finally {
        share.close();
      }
    };
  };
}

/** Counts each piece as it comes: the size of the result is known only at the end. */
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

/** Creates a function that runs up to `count` pieces of work at a time; the rest waits in the order in which it came. */
function createSlots(count: number): <T>(work: () => Promise<T>) => Promise<T> {
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
