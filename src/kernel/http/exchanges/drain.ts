import type { Readable } from "node:stream";

/** Maximum number of bytes of a refused body to read and discard, so that the caller gets to read the answer. */
const maxDrainedBytes = 16 * 1024 * 1024;
const drainTimeoutMs = 5000;

/**
 * How long a caller who has sent too much has to read the answer before the stream ends; the rest of the request is
 * not read.
 */
const answeredTimeoutMs = 100;

/**
 * Reads the rest of a request up to a limit, and discards it. Resolves with false when there was more: the body is
 * then paused, and `drain` soon asks the caller to stop sending.
 */
export function discard(body: Readable): Promise<boolean> {
  return new Promise((resolve) => {
    throwAway(body, drainTimeoutMs, () => {
      body.pause();
      resolve(false);
    });
    const onOver = (): void => resolve(true);
    body.once("end", onOver).once("close", onOver);
  });
}

/** How a request that was answered early is ended. */
export interface DrainOptions {
  /** Whether `discard` has read as much of the body as it may. */
  readonly isTooLong: boolean;
  /** Ends the stream, or the connection, of a caller who does not stop sending. */
  readonly cut: () => void;
}

/**
 * Reads the rest of a request that was answered before its end, up to a limit, and discards it: closing at once could
 * destroy the answer for a caller who is still sending. The returned function ends the waiting.
 */
export function drain(body: Readable, { isTooLong, cut }: DrainOptions): () => void {
  return throwAway(body, isTooLong ? answeredTimeoutMs : drainTimeoutMs, () => {
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
