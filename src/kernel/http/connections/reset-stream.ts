import type { ServerHttp2Stream } from "node:http2";

/** The event of a session when one of its streams was reset and the reset is not sent yet. */
export const resetWaits = Symbol("gatehouse.resetWaits");

/**
 * Resets a stream, and tells the guard of its session when the reset cannot be sent because the peer does not read. Such a stream
 * stays in memory, together with everything that was written to the connection.
 */
export function resetStream(stream: ServerHttp2Stream, code: number): void {
  const { session } = stream;
  stream.close(code);
  if (!stream.destroyed) session?.emit(resetWaits, stream);
}
