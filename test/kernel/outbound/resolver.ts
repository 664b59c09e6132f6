import type { ResolvedAddress, ResolveHost } from "../../../src/kernel/outbound/connection.ts";

/** Returns a resolver that knows these names only. */
export function resolver(hosts: Readonly<Record<string, readonly string[]>>): ResolveHost {
  return async (hostname): Promise<readonly ResolvedAddress[]> => {
    const addresses = hosts[hostname];
    if (addresses === undefined) throw new Error(`getaddrinfo ENOTFOUND ${hostname}`);
    return addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
  };
}
