import type { EventEmitter } from "node:events";
import type { Readable } from "node:stream";

/** One request and the answer to it, on HTTP/1.1 or HTTP/2. */
export interface Exchange {
  /** Made by the service for every request: 32 hexadecimal digits. */
  readonly requestId: string;
  readonly isHttp2: boolean;
  readonly verb: string;
  /** The path as it was sent, without the query. */
  readonly path: string;
  /** The query as it was sent, without the question mark; undefined when there is none. */
  readonly query: string | undefined;
  readonly remoteAddress: string | undefined;
  /** Whether it has one of the places for calls under way. Kept by `CallRoom`. */
  isInside: boolean;
  /** Headers of every answer to this request: x-request-id, CORS, and what the call adds. */
  readonly headers: Record<string, string>;
  /** The body as it comes. */
  readonly body: Readable;
  /** Whether the headers promise a body. undefined: only its end will tell. */
  readonly hasBody: boolean | undefined;
  /** Emits `close` when the answer is over, or the caller is gone. */
  readonly answering: EventEmitter;
  /** Whether the headers of the answer were sent. */
  readonly isAnswered: boolean;
  /** Whether the caller is gone, so that nobody reads the answer. */
  readonly isGone: boolean;
  /** Returns a header of the request by its name in lower case; repeated ones joined by ", ". */
  header(name: string): string | undefined;
  /** Reads what still comes in of the request, up to a limit, and throws it away. */
  discard(): Promise<void>;
  /**
   * Sends an answer in one piece, and gives the caller up who does not read it in time. What still comes in of the request is
   * thrown away. Does nothing when an answer is under way already or the caller is gone.
   */
  send(answer: Answer): void;
  /** Lets the next call of the connection begin: this one is answered, or may last for ever. Harmless to repeat. */
  giveWay(): void;
  /** Ends an answer in its middle: on HTTP/2 the stream, on HTTP/1.1 the connection. */
  cut(): void;
}

export interface Answer {
  readonly status: number;
  /** All headers; the lane gives them away. */
  readonly headers: Record<string, string>;
  /** Undefined, and no trailers: the headers are all there is. */
  readonly body?: Uint8Array | undefined;
  readonly trailers?: Readonly<Record<string, string>> | undefined;
}

/** How a call ended, for the log and the metrics. */
export interface Outcome {
  /** Full name such as `gatehouse.v1.ProjectService/GetProject`; undefined when no method was reached. */
  readonly method: string | undefined;
  readonly lane: string;
  /** The canonical code of gRPC, 0 for success. */
  readonly code: number;
  /** What went wrong, for the log of internal errors. */
  readonly error?: unknown;
}

export interface Reply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

/** Sends an answer of plain HTTP. */
export function reply(exchange: Exchange, { status, headers, body = "" }: Reply): void {
  const bytes = typeof body === "string" ? Buffer.from(body) : body;
  exchange.send({
    status,
    headers: {
      ...exchange.headers,
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
      // RFC 9110 §8.6: an answer 204 has no length.
      ...(status === 204 ? {} : { "content-length": String(bytes.length) }),
      ...headers,
    },
    body: bytes,
  });
}

/** Bytes of a refused body that are read and thrown away, so that the caller gets to read the answer. */
const maxDrainedBytes = 16 * 1024 * 1024;
const drainTimeoutMs = 5000;

/** How long a caller who has sent too much may read the answer before the stream ends: of the request nothing is read on. */
const answeredTimeoutMs = 100;

/** Bodies of which `discard` has read as much as it may. Others are paused too, by whoever has read what they need of them. */
const givenUp = new WeakSet<Readable>();

/**
 * Reads what still comes in of a request, up to a limit, and throws it away. Beyond it the body is paused, and whoever sends
 * it is soon asked to stop, once they are answered.
 */
export function discard(body: Readable): Promise<void> {
  return new Promise((resolve) => {
    throwAway(body, drainTimeoutMs, () => {
      givenUp.add(body);
      body.pause();
      resolve();
    });
    body.once("end", resolve).once("close", resolve);
  });
}

/**
 * Reads on what still comes in of a request that was answered before its end, up to a limit, and throws it away: to close at
 * once could take the answer from a caller who is still sending. Returns what ends the waiting.
 */
export function drain(body: Readable, cut: () => void): () => void {
  return throwAway(body, givenUp.has(body) ? answeredTimeoutMs : drainTimeoutMs, () => {
    cut();
    body.resume(); // a stream is not over before it was read
  });
}

function throwAway(body: Readable, timeoutMs: number, onLimit: () => void): () => void {
  let bytes = 0;
  const onData = (chunk: Buffer): void => {
    bytes += chunk.length;
    if (bytes > maxDrainedBytes) stop();
  };
  const done = (): void => clearTimeout(timer);
  const stop = (): void => {
    done();
    body.off("data", onData);
    onLimit();
  };
  const timer = setTimeout(stop, timeoutMs);
  body.once("end", done).once("close", done);
  body.on("data", onData);
  return done;
}
