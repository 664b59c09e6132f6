/** How long an address whose connection was cut for a flood is under suspicion. Each further cut begins it anew. */
const suspicionMs = 10_000;
/** No connection waits longer than so many pauses: others may share the address, and are to be served all the same. */
const longestWait = 10;

/**
 * Spaces the new connections of those who flood. Without it a flooder who is cut comes again at once, and what they cost
 * until they are cut, and each connection as such, keeps the service busy all the same.
 */
export interface FloodPace {
  /** Takes note that a connection of the address was cut for a flood. */
  suspect(address: string | undefined): void;
  /** Calls `enter`: at once, or in its turn when the address is under suspicion. */
  admit(address: string | undefined, enter: () => void): void;
}

interface Suspect {
  untilMs: number;
  /** When the next connection may enter. */
  nextMs: number;
}

/** Returns a pace of one connection per `pauseMs` for each address under suspicion. 0: none is ever. */
export function createFloodPace(pauseMs: number): FloodPace {
  // In the order in which the suspicion ends.
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

/** Returns the address, of IPv6 the first 64 bits: the rest is the caller's own to choose (RFC 4291 §2.5.1). */
function networkOf(address: string | undefined): string | undefined {
  if (address === undefined || !address.includes(":") || address.includes(".")) return address;
  const [left = [], right] = address
    .split("::")
    .map((part) => part.split(":").filter((group) => group !== ""));
  // RFC 4291 §2.2: the two colons stand for all groups that are missing.
  const zeros = Array.from({ length: right === undefined ? 0 : 8 - left.length - right.length }, () => "0");
  return [...left, ...zeros, ...(right ?? [])].slice(0, 4).join(":");
}
