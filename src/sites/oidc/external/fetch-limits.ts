import { networkOf } from "../../../kernel/base/network.ts";

const windowMs = 60_000;
const perAddress = 10;
const perHost = 20;
const atOnce = 50;
/** Beyond these the counts that are over are forgotten. */
const maxCounted = 10_000;

/** A fetch that somebody wants. */
export interface WantedFetch {
  readonly remoteAddress: string | undefined;
  readonly host: string;
  readonly nowMs: number;
}

/** Counts the fetches that strangers cause: nobody makes the service a means to flood others. */
export interface FetchLimits {
  /** Fetches, unless an address, a host or the service has reached its limit: then nothing is fetched, and the answer is `busy`. */
  enter<T>(wanted: WantedFetch, fetch: () => Promise<T>): Promise<T | "busy">;
}

interface Count {
  readonly endMs: number;
  count: number;
}

/** Creates the limits: 10 fetches a minute for an address, 20 for a host, 50 at the same time. */
export function createFetchLimits(): FetchLimits {
  const counts = new Map<string, Count>();
  let underWay = 0;
  const countOf = (name: string, nowMs: number): Count => {
    const known = counts.get(name);
    if (known !== undefined && known.endMs > nowMs) return known;
    if (counts.size >= maxCounted) forgetOver(counts, nowMs);
    const count = { endMs: nowMs + windowMs, count: 0 };
    counts.set(name, count);
    return count;
  };
  return {
    async enter({ remoteAddress, host, nowMs }, fetch) {
      const ofAddress = countOf(`from ${networkOf(remoteAddress) ?? ""}`, nowMs);
      // Before the host is counted: one address must not fill the table, and so begin again.
      if (underWay >= atOnce || ofAddress.count >= perAddress) return "busy";
      const ofHost = countOf(`to ${host}`, nowMs);
      if (ofHost.count >= perHost) return "busy";
      ofAddress.count += 1;
      ofHost.count += 1;
      underWay += 1;
      try {
        return await fetch();
      } finally {
        underWay -= 1;
      }
    },
  };
}

function forgetOver(counts: Map<string, Count>, nowMs: number): void {
  for (const [name, { endMs }] of counts) if (endMs <= nowMs) counts.delete(name);
  if (counts.size >= maxCounted) counts.clear();
}
