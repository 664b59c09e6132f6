import type { IncomingMessage, ServerResponse } from "node:http";
import type { ServerHttp2Stream } from "node:http2";
import { constants } from "node:http2";
import type { Writable } from "node:stream";
import type { UnreadAnswers } from "./unread.ts";

/** One request and the answer to it, on HTTP/1.1 or HTTP/2 (whose compatibility classes look the same). */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Made by the service for every request: 32 hexadecimal digits. */
  readonly requestId: string;
  readonly isHttp2: boolean;
  readonly verb: string;
  /** The path as it was sent, without the query. */
  readonly path: string;
  /** The query as it was sent, without the question mark; undefined when there is none. */
  readonly query: string | undefined;
  readonly remoteAddress: string | undefined;
  readonly unread: UnreadAnswers;
  /** Headers of every answer to this request: x-request-id, CORS. */
  readonly headers: Readonly<Record<string, string>>;
  /** Returns a header of the request by its name in lower case; repeated ones joined by ", ". */
  header(name: string): string | undefined;
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

/** Bytes of a refused body that are read and thrown away, so that the caller gets to read the answer. */
const maxDrainedBytes = 16 * 1024 * 1024;
const drainTimeoutMs = 5000;

/** Sends an answer in one piece. Does nothing when one is under way already. */
export function reply(exchange: Exchange, { status, headers, body = "" }: Reply): void {
  const { response } = exchange;
  if (response.headersSent || isGone(exchange)) return;
  const bytes = typeof body === "string" ? Buffer.from(body) : body;
  response.writeHead(status, {
    ...exchange.headers,
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    // RFC 9110 §8.6: an answer 204 has no length.
    ...(status === 204 ? {} : { "content-length": String(bytes.length) }),
    ...headers,
  });
  response.end(bytes);
  holdUntilRead(exchange, bytes.length);
  letGoOfRequest(exchange);
}

/** Gives the caller up who does not read the rest of an answer that is complete. */
export function holdUntilRead(exchange: Exchange, bytes: number): void {
  const { request, response, isHttp2 } = exchange;
  // The stream knows its end; the class around it does not say so for a stream that was reset.
  const answer: Writable = isHttp2 ? streamOf(request) : response;
  if (answer.destroyed || answer.writableFinished) return;
  const release = exchange.unread.hold(bytes, () => cutAnswer(exchange));
  answer.once("finish", release).once("close", release);
}

/** Ends an answer in its middle: on HTTP/2 the stream, on HTTP/1.1 the connection. */
export function cutAnswer({ request, response, isHttp2 }: Exchange): void {
  if (isHttp2) streamOf(request).close(constants.NGHTTP2_CANCEL);
  else response.destroy();
}

/**
 * Reads on what still comes in of a request that was answered before its end, up to a limit, and throws it away:
 * to close at once could take the answer from a caller who is still sending.
 */
export function letGoOfRequest({ request, isHttp2 }: Exchange): void {
  // Who stopped reading in the middle has destroyed the request, but not its stream, which nothing else would end.
  const isHalfRead = isHttp2 && request.destroyed && !streamOf(request).readableEnded;
  if ((request.complete || request.destroyed) && !isHalfRead) return;
  const cut = (): void => {
    // RFC 9113 §8.1: NO_ERROR asks the caller to stop sending without giving up the answer.
    if (isHttp2) streamOf(request).close(constants.NGHTTP2_NO_ERROR);
    else request.socket.destroy();
  };
  // On HTTP/1.1 the request no longer hears of its socket once it is answered.
  const { socket } = request;
  let drained = 0;
  const timer = setTimeout(cut, drainTimeoutMs);
  const done = (): void => {
    clearTimeout(timer);
    if (!isHttp2) socket.off("close", done);
  };
  request.once("end", done).once("close", done);
  if (isHttp2) streamOf(request).once("close", done);
  else socket.once("close", done);
  request.on("data", (chunk: Buffer) => {
    drained += chunk.length;
    if (drained > maxDrainedBytes) cut();
  });
}

/** Says whether the caller is gone, so that nobody reads the answer. Answers of HTTP/2 do not have `destroyed`. */
export function isGone({ request, response, isHttp2 }: Exchange): boolean {
  return isHttp2 ? streamOf(request).destroyed : response.destroyed;
}

/** Returns the stream of an HTTP/2 request. */
export function streamOf(request: IncomingMessage): ServerHttp2Stream {
  return (request as unknown as { stream: ServerHttp2Stream }).stream; // Http2ServerRequest has it
}

/** Says whether the headers promise a body. undefined: only its end will tell. */
export function hasBody({ request, isHttp2 }: Exchange): boolean | undefined {
  const length = request.headers["content-length"];
  if (length !== undefined) return length !== "0";
  if (!isHttp2) return request.headers["transfer-encoding"] !== undefined ? undefined : false;
  return streamOf(request).endAfterHeaders ? false : undefined;
}
