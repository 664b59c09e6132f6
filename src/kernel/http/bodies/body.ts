import type { Readable } from "node:stream";
import type { Problem } from "../../base/problem.ts";
import { bodyTooSlow, cancelled, messageTooLarge } from "../errors/refusals.ts";
import { createBudget, type Share, tooMuchHeld } from "./byte-budget.ts";
import { type ByteSink, createByteSink } from "./byte-sink.ts";
import { createDeadlines, type Deadlines } from "./deadlines.ts";
import { createDecompression, type FindDecompressor } from "./decompression.ts";

/** How large and how slow a body may be. */
export interface BodyLimits {
  /** Largest message, compressed or not. */
  readonly maxMessageBytes: number;
  /** Time for a whole body to arrive. */
  readonly bodyTimeoutMs: number;
  /** Bytes of bodies that the whole process holds at a time; requests beyond it are refused. */
  readonly maxBufferedBytes: number;
}

/** Reads bodies within limits that all requests share. */
export interface BodyReader {
  readonly maxMessageBytes: number;
  readonly bodyTimeoutMs: number;
  /**
   * Reads the whole body. Raises MESSAGE_TOO_LARGE beyond `maxBytes`, OVERLOADED when the process holds too many
   * bodies, DEADLINE_EXCEEDED when it does not arrive in time. A decoder is applied first: the limit is for the
   * decoded body.
   */
  read(request: RequestBody, maxBytes?: number, decoder?: BodyDecoder): Promise<Uint8Array>;
  readonly findDecompressor: FindDecompressor;
}

/** A body that comes, and the headers that came before it. */
export interface RequestBody {
  readonly body: Readable;
  header(name: string): string | undefined;
}

/** Undoes the encoding of one body while it comes. */
export interface BodyDecoder {
  /** Decodes the next piece as far as possible; undefined when it is not valid in the encoding. */
  decode(chunk: Uint8Array): Uint8Array | undefined;
  /** Whether the body may end here: nothing is left over. */
  isWhole(): boolean;
  /** Describes the fault of a body that is not valid in the encoding. */
  problem(): Problem;
  /** Computes the fewest bytes that a valid body of that length makes. */
  leastLength(encodedLength: number): number;
}

const noBytes = new Uint8Array(0);

/** Creates a reader of bodies. All bodies that it reads or decompresses share one budget. */
export function createBodyReader(limits: BodyLimits): BodyReader {
  const budget = createBudget(limits.maxBufferedBytes);
  const deadlines = createDeadlines(limits.bodyTimeoutMs);
  return {
    maxMessageBytes: limits.maxMessageBytes,
    bodyTimeoutMs: limits.bodyTimeoutMs,
    read(request, maxBytes = limits.maxMessageBytes, decoder) {
      const declared = Number(request.header("content-length") ?? 0);
      const least = decoder === undefined ? declared : decoder.leastLength(declared);
      if (least > maxBytes) return Promise.reject(messageTooLarge(limits.maxMessageBytes));
      if (request.body.readableEnded) return Promise.resolve(noBytes);
      return collect(request.body, { ...limits, maxBytes, share: budget.open(), deadlines, decoder });
    },
    findDecompressor: createDecompression(budget),
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
    // The listeners stay until the body is gone: removing them costs more than calling them in vain.
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
