import { networkOf } from "../../base/network.ts";

/** How long an address is under suspicion after one of its connections was cut for a flood. Each further cut restarts it. */
const suspicionMs = 10_000;
/** No connection waits longer than this many pauses: others may share the address and must still be served. */
const longestWait = 10;

/**
 * Spaces the new connections of an address that floods. Otherwise a flooder who is cut off reconnects at once, and
 * the cost of each connection until it is cut keeps the service busy.
 */
export interface FloodPace {
  /** Records that a connection of the address was cut for a flood. */
  suspect(address: string | undefined): void;
  /** Calls `enter`: at once, or when its turn comes if the address is under suspicion. */
  admit(address: string | undefined, enter: () => void): void;
}

interface Suspect {
  untilMs: number;
  /** When the next connection may enter. */
  nextMs: number;
}

/** Creates a pace of one connection per `pauseMs` for each address under suspicion. 0: no address ever is. */
export function createFloodPace(pauseMs: number): FloodPace {
  // Ordered by when the suspicion ends.
  const suspects = new Map<string, Suspect>();
  return {
    suspect(address) {
      const name = networkOf(address);
      const nowMs = performance.now();
      for (const [each, { untilMs }] of suspects) {
        if (untilMs > nowMs) break;
        suspects.delete(each);
      }
      if (pauseMs === 0 || name === undefined) return;
      const nextMs = suspects.get(name)?.nextMs ?? 0;
      suspects.delete(name);
      suspects.set(name, { untilMs: nowMs + suspicionMs, nextMs: Math.max(nextMs, nowMs + pauseMs) });
    },
    admit(address, enter) {
      const suspect = suspects.size === 0 ? undefined : suspects.get(networkOf(address) ?? "");
      const nowMs = performance.now();
      if (suspect === undefined || suspect.untilMs <= nowMs) return enter();
      const waitMs = suspect.nextMs - nowMs;
      suspect.nextMs = Math.min(Math.max(suspect.nextMs, nowMs) + pauseMs, nowMs + longestWait * pauseMs);
      if (waitMs <= 0) enter();
      else setTimeout(enter, waitMs).unref();
    },
  };
}
