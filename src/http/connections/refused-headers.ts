import type { ServerHttp2Session } from "node:http2";

/**
 * Streams of a session that Node may refuse before anybody hears of them: the header list is too large, of a few bytes that
 * unfold, or it is broken. Each is answered with a reset, costs up to 0.2 ms, and may be repeated for ever.
 */
const burst = 100;
const perSecond = 20;
/** How often sessions are looked at; only their counters tell. */
const lookEveryMs = 25;
/** A look costs a microsecond, and most sessions are idle: of thousands, each is looked at less often. */
const looksAtOnce = 200;
/** No stream begins with fewer bytes: the head of a frame and a field. A client that skips ids is not charged for them. */
const leastBytes = 10;

/** Counts the streams that were refused unseen. */
export interface RefusedHeaders {
  /**
   * Watches a session until it closes. Returns what is to be called for each of its streams that is not refused. `onSpent` is
   * called when there are too many of the others.
   */
  watch(session: ServerHttp2Session, onSpent: () => void): () => void;
}

/** Returns a watch with one timer for all sessions, which runs while there are any. */
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
