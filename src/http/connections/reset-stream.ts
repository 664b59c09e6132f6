import type { ServerHttp2Stream } from "node:http2";

/** The event of a session with a stream that was reset and whose reset is not sent yet. */
export const resetWaits = Symbol("gatehouse.resetWaits");

/**
 * Resets a stream, and lets the guard of its session know when the peer leaves no room for that on the line. Such a stream
 * stays, and with it, in the memory of the process, all that is written to the connection.
 */
export function resetStream(stream: ServerHttp2Stream, code: number): void {
  const { session } = stream;
  stream.close(code);
  if (!stream.destroyed) session?.emit(resetWaits, stream);
}
