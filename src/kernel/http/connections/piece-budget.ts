import { Readable } from "node:stream";

/**
 * A piece of a body is a frame of HTTP/2, or a chunk or read of HTTP/1.1. It costs a few microseconds however little
 * it contains: 3 MB a second in pieces of one byte keep the thread busy. So the pieces of a connection must carry
 * this much on average; the shortfall comes out of a reserve. A body in 1,000 pieces of a byte takes half of the
 * reserve.
 */
const bytesPerPiece = 64;
const reserveBytes = 2000 * bytesPerPiece;
/** Time refills the reserve, for peers that send little now and then; so does each request, whose body may be short. */
const refillBytesPerSecond = 200 * bytesPerPiece;
const refillBytesPerRequest = 4 * bytesPerPiece;

/** Limits the number of nearly empty pieces that a connection may send. */
export interface PieceBudget {
  /** Counts the pieces of a body as they come in, whether or not anybody reads them. Call it before the first one. */
  count(body: Readable): void;
}

/**
 * Creates a budget with a full reserve. `onSpent` is called once, for the first piece beyond the budget. That piece
 * and all later ones on the connection are discarded.
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
  // A listener would make the body flow, and would not see pieces that wait unread.
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
