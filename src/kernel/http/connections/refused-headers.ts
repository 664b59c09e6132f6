import type { ServerHttp2Session } from "node:http2";

/**
 * Maximum number of streams of a session that Node may refuse by itself, because their header list is broken or
 * expands from a few bytes to one that is too large. Node answers each with a reset, which costs up to 0.2 ms, and a
 * peer may repeat it forever.
 */
const burst = 100;
const perSecond = 20;
/** Interval at which the counters of sessions are read. Such streams cause no event. */
const lookEveryMs = 25;
/** Reading one costs a microsecond, and most sessions are idle: with thousands of them, each is read less often. */
const looksAtOnce = 200;
/**
 * The minimum number of bytes that open a stream: the head of a frame and a field. So a client is not charged for ids
 * that it skips.
 */
const leastBytes = 10;

/** Counts the streams that Node has refused by itself. */
export interface RefusedHeaders {
  /**
   * Watches a session until it closes. Call the returned function for each stream that was not refused. `onSpent` is called when
   * too many were.
   */
  watch(session: ServerHttp2Session, onSpent: () => void): () => void;
}

/** Creates a watch with one timer for all sessions, which runs as long as there are any. */
export function createRefusedHeaders(): RefusedHeaders {
  const looks = new Set<() => void>();
  let turn = looks.values();
  let timer: NodeJS.Timeout | undefined;
  const lookAtSome = (): void => {
    for (let count = 0; count < looksAtOnce; count++) {
      const { value: look } = turn.next();
      if (look === undefined) {
        turn = looks.values();
        return;
      }
      look();
    }
  };
  return {
    watch(session, onSpent) {
      const count = createCount(session);
      const look = (): void => {
        if (!count.isSpent()) return;
        looks.delete(look);
        onSpent();
      };
      looks.add(look);
      timer ??= setInterval(lookAtSome, lookEveryMs).unref();
      session.once("close", () => {
        looks.delete(look);
        if (looks.size > 0) return;
        clearInterval(timer);
        timer = undefined;
      });
      return count.seen;
    },
  };
}

function createCount(session: ServerHttp2Session): { seen(): void; isSpent(): boolean } {
  let left = burst;
  let lookedMs = performance.now();
  let lastId = -1;
  let lastBytes = 0;
  let streams = 0;
  return {
    seen: () => void streams++,
    isSpent() {
      const { lastProcStreamID: id } = session.state;
      if (id === undefined || id <= lastId) return false;
      const nowMs = performance.now();
      const bytes = session.socket.bytesRead;
      const unseen = Math.min((id - lastId) / 2 - streams, (bytes - lastBytes) / leastBytes);
      left = Math.min(burst, left + ((nowMs - lookedMs) / 1000) * perSecond) - Math.max(0, unseen);
      [lastId, lastBytes, lookedMs, streams] = [id, bytes, nowMs, 0];
      return left < 0;
    },
  };
}
