import { BlockList, isIP } from "node:net";

/** Finds the address of the caller behind proxies. */
export type RemoteAddress = (
  socketAddress: string | undefined,
  forwardedFor: string | undefined,
) => string | undefined;

/**
 * Creates the rule for a list of proxies, each an address or a network such as `10.0.0.0/8`; throws for anything else.
 * X-Forwarded-For counts only if the peer of the socket is a proxy, and is read from the right up to the first address that is
 * not one; a hop may have a port, such as `203.0.113.7:51544` or `[2001:db8::1]:443`. `onIgnored` is called for each request whose
 * header does not count because there are no proxies.
 */
export function createRemoteAddress(
  trustedProxies: readonly string[],
  onIgnored: () => void = () => {},
): RemoteAddress {
  const proxies = new BlockList();
  for (const proxy of trustedProxies) {
    const [address = "", prefix] = proxy.split("/");
    const family = familyOf(address);
    if (family === undefined) throw new Error(`not an address or a network: ${proxy}`);
    if (prefix === undefined) proxies.addAddress(address, family);
    else proxies.addSubnet(address, Number(prefix), family);
  }
  const isProxy = (address: string): boolean => proxies.check(address, familyOf(address) ?? "ipv4");
  return (socketAddress, forwardedFor) => {
    const peer = socketAddress === undefined ? undefined : toPlainAddress(socketAddress);
    if (trustedProxies.length === 0 && forwardedFor !== undefined) onIgnored();
    if (peer === undefined || trustedProxies.length === 0 || forwardedFor === undefined || !isProxy(peer))
      return peer;
    let last = peer;
    for (const hop of forwardedFor.split(",").toReversed()) {
      const address = toPlainAddress(withoutPort(hop.trim()));
      if (isIP(address) === 0) return last;
      last = address;
      if (!isProxy(address)) return address;
    }
    return last;
  };
}

function familyOf(address: string): "ipv4" | "ipv6" | undefined {
  const version = isIP(address);
  if (version === 0) return undefined;
  return version === 4 ? "ipv4" : "ipv6";
}

/** Takes the brackets and the port off that some proxies write. */
function withoutPort(hop: string): string {
  const { address, bracketed } =
    /^(?:\[(?<bracketed>[^\]]+)\]|(?<address>[0-9.]+))(?::[0-9]{1,5})?$/.exec(hop)?.groups ?? {};
  return bracketed ?? address ?? hop;
}

/** Turns an IPv4 address that a socket of both families has mapped into IPv6 back into IPv4. */
function toPlainAddress(address: string): string {
  return address.startsWith("::ffff:") && isIP(address.slice(7)) === 4 ? address.slice(7) : address;
}
