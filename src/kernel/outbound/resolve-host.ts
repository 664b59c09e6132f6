import { promises as dns } from "node:dns";
import type { ResolvedAddress, ResolveHost } from "./connection.ts";

/** Makes a resolver for one look-up. */
export type OpenResolver = () => dns.Resolver;

/** Makes a resolver that asks the DNS servers of this machine, each twice: a name that one does not answer for takes about 4 s. */
export function openSystemResolver(): dns.Resolver {
  return new dns.Resolver({ timeout: 1000, tries: 2 });
}

/**
 * Returns a look-up that asks DNS servers without a thread. So names whose servers do not answer, of which callers can give any
 * number, keep no other look-up waiting. It knows neither /etc/hosts nor search domains. IPv4 addresses come first.
 */
export function createDnsLookup(openResolver: OpenResolver): ResolveHost {
  return async (hostname, signal) => {
    const resolver = openResolver();
    const cancel = () => {
      resolver.cancel();
    };
    signal.addEventListener("abort", cancel);
    try {
      const families = await Promise.allSettled([
        resolver.resolve4(hostname).then((addresses) => toResolved(addresses, 4)),
        resolver.resolve6(hostname).then((addresses) => toResolved(addresses, 6)),
      ]);
      // A name may have addresses of one family only, and some servers answer for one only.
      return families.flatMap((family) => (family.status === "fulfilled" ? family.value : []));
    } finally {
      signal.removeEventListener("abort", cancel);
    }
  };
}

/**
 * Looks up a name as other programs of this machine do, which takes a thread of the few that Node has for as long as the operating
 * system waits: only for names that the operator chooses. Cannot be stopped.
 */
export const lookUpBySystem: ResolveHost = (hostname) => dns.lookup(hostname, { all: true });

function toResolved(addresses: readonly string[], family: number): readonly ResolvedAddress[] {
  return addresses.map((address) => ({ address, family }));
}
