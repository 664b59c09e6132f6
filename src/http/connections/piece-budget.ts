import { Readable } from "node:stream";

/**
 * A piece of a body is a frame of HTTP/2, or a chunk or read of HTTP/1.1. It costs some microseconds whatever is in it: with a
 * byte in each, 3 MB a second keep the thread busy. So the pieces of a connection must carry so much on average; what
 * lacks is taken from a reserve. A body in 1,000 pieces of a byte takes half of that.
 */
const bytesPerPiece = 64;
const reserveBytes = 2000 * bytesPerPiece;
/** What fills the reserve: time, for those who send little now and then, and each request, whose body may be short. */
const refillBytesPerSecond = 200 * bytesPerPiece;
const refillBytesPerRequest = 4 * bytesPerPiece;

/** The pieces that one connection may still send with next to nothing in them. */
export interface PieceBudget {
  /** Counts the pieces of a body as they come in, whether anybody reads them or not. To be called before the first one. */
  count(body: Readable): void;
}

/**
 * Returns a full reserve. `onSpent` is called once, for the piece that was one too many; it, and all that come after it on the
 * connection, are thrown away.
 */
export function createPieceBudget(
  onSpent: () => void,
  monotonicMs: () => number = () => performance.now(),
): PieceBudget {
  let left = reserveBytes;
  let filledMs = monotonicMs();
  let isSpent = false;
  const spend = (bytes: number): boolean => {
    left = Math.min(reserveBytes, left + bytes - bytesPerPiece);
    if (left >= 0) return false;
    const nowMs = monotonicMs();
    left = Math.min(reserveBytes, left + ((nowMs - filledMs) / 1000) * refillBytesPerSecond);
    filledMs = nowMs;
    return left < 0;
  };
  // A listener would make the body flow, and would not see what waits unread.
  const push: Readable["push"] = function push(this: Readable, piece: Buffer | null, encoding) {
    if (isSpent) return false;
    if (piece !== null && spend(piece.length)) {
      isSpent = true;
      onSpent();
      return false;
    }
    return Readable.prototype.push.call(this, piece, encoding);
  };
  return {
    count(body) {
      left = Math.min(reserveBytes, left + refillBytesPerRequest);
      body.push = push;
    },
  };
}
