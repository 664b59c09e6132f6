import type { IncomingMessage, ServerResponse } from "node:http";
import type { Http2SecureServer, Http2Server, ServerHttp2Session } from "node:http2";
import { createBudget } from "../bodies/byte-budget.ts";
import type { Connections, RequestHandler } from "../connections/connections.ts";
import type { Limits } from "../connections/limits.ts";
import { streamOf } from "../connections/request-stream.ts";
import { createStreamQueues, type OpenedStream } from "../connections/stream-queue.ts";

/** The handlers of requests. */
export interface RequestHandlers {
  /** Serves a request. It calls `giveWay` when a stream of HTTP/2 has its answer, or may last forever. */
  readonly onRequest: (request: IncomingMessage, response: ServerResponse, giveWay: () => void) => void;
  /** Serves a stream of HTTP/2 as it is, or leaves it to `onRequest` by false. */
  readonly onStream: (opened: OpenedStream) => boolean;
}

/** The ways in which requests come from Node's servers. */
export interface Requests {
  /** Takes HTTP/1.1 requests, and HTTP/2 streams that came through Node's compatibility layer. */
  readonly handle: RequestHandler;
  /** Takes over the streams of a server. Call the returned function for each session: its streams then begin in their turn. */
  takeStreams(server: Http2Server | Http2SecureServer): (session: ServerHttp2Session) => void;
}

/** Lets calls begin in their turn. Offers each HTTP/2 stream to `onStream` before Node's compatibility layer gets it. */
export function createRequests(
  { limits, onRequest, onStream }: RequestHandlers & { readonly limits: Limits },
  connections: Connections,
): Requests {
  const left = new WeakMap<object, OpenedStream>();
  return {
    handle: connections.around((request, response) => {
      const stream = streamOf(request);
      if (stream === undefined) return onRequest(request, response, () => {});
      if (stream.readableEnded) request.push(null); // an empty body ended before its turn, and nobody heard of it
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
      return createStreamQueues({
        maxStreams: limits.maxStreams,
        budget: createBudget(limits.maxBufferedBytes),
        start,
      });
    },
  };
}
