import type { IncomingMessage, ServerResponse } from "node:http";
import { constants, type ServerHttp2Stream } from "node:http2";

// `Expect: 100-continue` (RFC 9110 §10.1.1): the caller sends the body once it is asked for, or after a while.

const expecting = Symbol("expects 100-continue");

type Expecting = IncomingMessage & { [expecting]?: boolean };

/** Notes that the caller waits for 100 before the body. */
export function expectContinue(request: Expecting): void {
  request[expecting] = true;
}

/** Says whether the caller still waits to be asked for the body. */
export function waitsForContinue(request: Expecting): boolean {
  return request[expecting] === true;
}

/** Asks a caller who waits for the body to send it. An answer that has begun says as much. */
export function askForBody(request: Expecting, response: ServerResponse): void {
  if (!waitsForContinue(request)) return;
  request[expecting] = false;
  if (!response.headersSent && !response.destroyed) response.writeContinue();
}

/** How long the caller has to read an answer before the bytes that are sent after all destroy it. */
const lingerMs = 1000;

/**
 * Ends a connection of HTTP/1.1 after the answer to come, whose body nobody has asked for. Whether it follows all the same is not
 * known: the bytes after the headers may be the body or the next request (RFC 9112 §9.3), so nothing more is read.
 */
export function endUnasked({ socket }: IncomingMessage, response: ServerResponse): void {
  response.shouldKeepAlive = false;
  // Node would close it as soon as the answer is written. A reset because of unread bytes could overtake the answer (RFC 9112 §9.6).
  socket.destroySoon = () => {
    socket.pause();
    socket.end();
    const timer = setTimeout(() => socket.destroy(), lingerMs);
    socket.once("close", () => clearTimeout(timer));
  };
}

/** How long a stream of HTTP/2 goes on after its answer, so that a reset does not overtake what the session still has to send. */
const answeredMs = 100;

/** Ends a stream of HTTP/2 behind its answer: NO_ERROR asks the caller not to send the body (RFC 9113 §8.1). */
export function endUnaskedStream(stream: ServerHttp2Stream): void {
  const timer = setTimeout(() => {
    stream.close(constants.NGHTTP2_NO_ERROR);
    stream.resume(); // a stream is not over before it was read
  }, answeredMs);
  stream.once("close", () => clearTimeout(timer));
}
