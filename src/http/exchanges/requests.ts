import type { IncomingMessage, ServerResponse } from "node:http";
import type { Http2SecureServer, Http2Server, ServerHttp2Session } from "node:http2";
import { createBudget } from "../bodies/byte-budget.ts";
import type { Connections, RequestHandler } from "../connections/connections.ts";
import type { Limits } from "../limits.ts";
import { streamOf } from "./node-exchange.ts";
import { createTurns, type OpenedStream } from "../connections/stream-queue.ts";

/** Who serves what comes in. */
export interface RequestHandlers {
  /** Serves a request; `giveWay` is to be called when a stream of HTTP/2 has its answer, or may last for ever. */
  readonly onRequest: (request: IncomingMessage, response: ServerResponse, giveWay: () => void) => void;
  /** Serves the streams of HTTP/2 that it takes; false gives one to onRequest. */
  readonly onStream: (opened: OpenedStream) => boolean;
}

/** The ways in which requests come from the servers of Node. */
export interface Requests {
  /** Takes requests of HTTP/1.1, and the streams of HTTP/2 that come through Node's compatibility layer. */
  readonly handle: RequestHandler;
  /** Returns what is to be told of each session: from then on its streams begin in their turn. */
  takeStreams(server: Http2Server | Http2SecureServer): (session: ServerHttp2Session) => void;
}

/** Begins calls in their turn. Asks for each stream of HTTP/2 before Node's compatibility layer gets it, which makes requests and answers of the others. */
export function createRequests(
  { limits, onRequest, onStream }: RequestHandlers & { readonly limits: Limits },
  connections: Connections,
): Requests {
  const left = new WeakMap<object, OpenedStream>();
  return {
    handle: connections.around((request, response) => {
      const stream = streamOf(request);
      if (stream === undefined) return onRequest(request, response, () => {});
      if (stream.readableEnded) request.push(null); // an empty body was over before its turn, and nobody heard of it
      onRequest(request, response, () => left.get(stream)?.giveWay());
    }),
    takeStreams(server) {
      const own = server.listeners("stream");
      server.removeAllListeners("stream");
      const start = (opened: OpenedStream): void => {
        if (onStream(opened)) return;
        const { stream, headers, flags, rawHeaders } = opened;
        left.set(stream, opened);
        for (const listener of own) Reflect.apply(listener, server, [stream, headers, flags, rawHeaders]);
      };
      return createTurns({
        maxStreams: limits.maxStreams,
        budget: createBudget(limits.maxBufferedBytes),
        start,
      });
    },
  };
}
