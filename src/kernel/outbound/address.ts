import { BlockList, isIP } from "node:net";

/**
 * Says whether the address is public, so that the service may connect to it for a caller. False for a text that is
 * not an address, and for an address with a zone (`fe80::1%eth0`).
 *
 * IPv4: all addresses except the blocks of the IANA IPv4 Special-Purpose Address Registry, multicast and reserved
 * ones. IPv6: only global unicast (2000::/3) without the special blocks in it, and addresses that stand for a public
 * IPv4 address (IPv4-mapped; NAT64, through which an IPv6-only network reaches IPv4).
 */
export function isPublicAddress(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !forbidden.check(address, "ipv4");
    case 6:
      return !address.includes("%") && unicast.check(address, "ipv6") && !forbidden.check(address, "ipv6");
    default:
      return false;
  }
}

/** Says whether the address is this machine's own: 127.0.0.0/8 (also IPv4-mapped) or ::1. */
export function isLoopbackAddress(address: string): boolean {
  const version = isIP(address);
  return version !== 0 && loopback.check(address, version === 4 ? "ipv4" : "ipv6");
}

/**
 * https://www.iana.org/assignments/iana-ipv4-special-registry, except the blocks that it calls globally reachable.
 * Those inside 192.0.0.0/24 are included: they are anycast addresses of PCP and TURN, not of web servers.
 */
const specialIpv4: readonly (readonly [block: string, bits: number])[] = [
  ["0.0.0.0", 8], // this network, RFC 791 §3.2; 0.0.0.0 connects to this machine
  ["10.0.0.0", 8], // private use, RFC 1918
  ["100.64.0.0", 10], // shared address space, RFC 6598; metadata service of Alibaba Cloud
  ["127.0.0.0", 8], // loopback, RFC 1122 §3.2.1.3
  ["169.254.0.0", 16], // link-local, RFC 3927; metadata service of most clouds
  ["172.16.0.0", 12], // private use, RFC 1918
  ["192.0.0.0", 24], // IETF protocol assignments, RFC 6890; metadata service of Oracle Cloud
  ["192.0.2.0", 24], // documentation, RFC 5737
  ["192.88.99.0", 24], // 6to4 relay anycast, deprecated by RFC 7526
  ["192.168.0.0", 16], // private use, RFC 1918
  ["198.18.0.0", 15], // benchmarking, RFC 2544
  ["198.51.100.0", 24], // documentation, RFC 5737
  ["203.0.113.0", 24], // documentation, RFC 5737
  ["224.0.0.0", 4], // multicast, RFC 5771
  ["240.0.0.0", 4], // reserved, RFC 1112 §4, with the limited broadcast, RFC 8190
  // Not in the registry: a public address, but inside Azure it is the host agent that hands out secrets.
  // https://learn.microsoft.com/azure/virtual-network/what-is-ip-address-168-63-129-16
  ["168.63.129.16", 32],
];

/** https://www.iana.org/assignments/iana-ipv6-special-registry, the blocks inside 2000::/3. */
const specialIpv6: readonly (readonly [block: string, bits: number])[] = [
  ["2001::", 23], // IETF protocol assignments, RFC 2928: Teredo, benchmarking, ORCHID and others
  ["2001:db8::", 32], // documentation, RFC 3849
  ["2002::", 16], // 6to4, RFC 3056; its relays are gone (RFC 7526)
  ["3fff::", 20], // documentation, RFC 9637
];

/** Prefixes of 96 bits in front of an IPv4 address: IPv4-mapped, RFC 4291 §2.5.5.2, and NAT64, RFC 6052 §2.1. */
const ipv4InIpv6: readonly string[] = ["::ffff:", "64:ff9b::"];

const unicast = blockList((list) => {
  list.addSubnet("2000::", 3, "ipv6"); // RFC 4291 §2.4 and the IANA IPv6 address space registry
  for (const prefix of ipv4InIpv6) list.addSubnet(`${prefix}0.0.0.0`, 96, "ipv6");
});

const forbidden = blockList((list) => {
  for (const [block, bits] of specialIpv6) list.addSubnet(block, bits, "ipv6");
  for (const [block, bits] of specialIpv4) {
    list.addSubnet(block, bits, "ipv4");
    for (const prefix of ipv4InIpv6) list.addSubnet(`${prefix}${block}`, 96 + bits, "ipv6");
  }
});

const loopback = blockList((list) => {
  list.addSubnet("127.0.0.0", 8, "ipv4");
  list.addSubnet("::ffff:127.0.0.0", 104, "ipv6");
  list.addAddress("::1", "ipv6");
});

function blockList(fill: (list: BlockList) => void): BlockList {
  const list = new BlockList();
  fill(list);
  return list;
}
