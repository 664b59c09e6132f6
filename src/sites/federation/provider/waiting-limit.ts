import { networkOf } from "../../../kernel/base/network.ts";
import { ProviderFailure } from "./provider-failure.ts";

/** Limits how many requests of browsers wait for the providers of one organization at once, so that slow ones leave others their places. */
export interface WaitingLimit {
  /** Runs the work, or raises a ProviderFailure if too many of the organization are waiting, or too many of its places are taken by the address. */
  run<T>(browser: WaitingBrowser, work: () => Promise<T>): Promise<T>;
}

/** A browser that waits. */
export interface WaitingBrowser {
  /** That the provider belongs to. */
  readonly organizationId: string;
  readonly remoteAddress: string | undefined;
}

/** Of one organization, in this process. A provider that answers in half a second lets 128 people in each second with it. */
const maxWaiting = 64;
/** Of these, for the whole of an IPv4 address or 64 bits of an IPv6 address: one stranger leaves the others most of the places. */
const maxOfAddress = 16;

/** Creates a limit under which nobody waits yet. */
export function createWaitingLimit(): WaitingLimit {
  /** By the id of an organization, and by that and an address. */
  const waiting = new Map<string, number>();
  const countOf = (key: string): number => waiting.get(key) ?? 0;
  return {
    async run({ organizationId, remoteAddress }, work) {
      const ofAddress = `${organizationId} ${networkOf(remoteAddress) ?? ""}`;
      if (countOf(organizationId) >= maxWaiting) throw new ProviderFailure("unavailable", "too many wait");
      if (countOf(ofAddress) >= maxOfAddress)
        throw new ProviderFailure("unavailable", "too many of an address wait");
      for (const key of [organizationId, ofAddress]) waiting.set(key, countOf(key) + 1);
      try {
        return await work();
      } finally {
        for (const key of [organizationId, ofAddress])
          if (countOf(key) > 1) waiting.set(key, countOf(key) - 1);
          else waiting.delete(key);
      }
    },
  };
}
