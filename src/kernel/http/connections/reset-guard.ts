import type { ServerHttp2Session, ServerHttp2Stream } from "node:http2";
import { constants } from "node:http2";

/** The part of `maxResets` that is given back each second. */
const partPerSecond = 0.1;

/**
 * Counts the streams of a session that end before their answers do: cancelled by the peer (CVE-2023-44487), or broken off here
 * because of what the peer sent on them (CVE-2025-8671). Each of them costs the service more than its caller. Beyond `maxResets`,
 * `onSpent` is called, which ends the session. nghttp2 counts only the first kind, cannot tell a flood from a gateway whose
 * deadlines expire, and ends its session with INTERNAL_ERROR. Call the returned function for each stream that has closed.
 */
export function guardResets(
  session: ServerHttp2Session,
  maxResets: number,
  onSpent: () => void,
): (stream: ServerHttp2Stream) => void {
  let left = maxResets;
  let countedMs = performance.now();
  return (stream) => {
    // When a session ends, all its streams close with it.
    if (isAnswered(stream) || session.destroyed) return;
    const nowMs = performance.now();
    left = Math.min(maxResets, left + ((nowMs - countedMs) / 1000) * partPerSecond * maxResets) - 1;
    countedMs = nowMs;
    if (left >= 0) return;
    // nghttp2 reports resets while it sends. Ending the session at that moment would lose the reason.
    if (ofPeers.has(stream.rstCode ?? 0)) onSpent();
    else setImmediate(onSpent);
  };
}

/** Codes with which nghttp2 never resets a stream by itself. */
const ofPeers: ReadonlySet<number> = new Set([constants.NGHTTP2_NO_ERROR, constants.NGHTTP2_CANCEL]);

/** Says whether the whole answer went out. On a fast line a stream may close before Node reports that it was written. */
function isAnswered(stream: ServerHttp2Stream): boolean {
  if (stream.aborted) return false;
  return stream.writableFinished || (stream.writableEnded && stream.rstCode === constants.NGHTTP2_NO_ERROR);
}
