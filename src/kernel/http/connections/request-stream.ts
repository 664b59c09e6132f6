import type { IncomingMessage } from "node:http";
import type { ServerHttp2Stream } from "node:http2";

/**
 * Finds the stream of a request of HTTP/2; undefined on HTTP/1.1. The version that a request names proves nothing: the parser of
 * HTTP/1.1 takes `GET / HTTP/2.0`.
 */
export function streamOf(request: IncomingMessage): ServerHttp2Stream | undefined {
  return (request as unknown as { stream?: ServerHttp2Stream }).stream; // Http2ServerRequest has it
}
