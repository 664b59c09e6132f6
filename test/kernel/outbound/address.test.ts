import { describe, expect, test } from "@jest/globals";
import { isLoopbackAddress, isPublicAddress } from "../../../src/kernel/outbound/address.ts";

// The first and the last address of every block.
const specialIpv4 = [
  ["0.0.0.0", "0.255.255.255"],
  ["10.0.0.0", "10.255.255.255"],
  ["100.64.0.0", "100.127.255.255"],
  ["127.0.0.0", "127.255.255.255"],
  ["169.254.0.0", "169.254.255.255"],
  ["172.16.0.0", "172.31.255.255"],
  ["192.0.0.0", "192.0.0.255"],
  ["192.0.2.0", "192.0.2.255"],
  ["192.88.99.0", "192.88.99.255"],
  ["192.168.0.0", "192.168.255.255"],
  ["198.18.0.0", "198.19.255.255"],
  ["198.51.100.0", "198.51.100.255"],
  ["203.0.113.0", "203.0.113.255"],
  ["224.0.0.0", "239.255.255.255"],
  ["240.0.0.0", "255.255.255.255"],
  ["168.63.129.16", "168.63.129.16"],
].flat();

const publicIpv4 = [
  "1.0.0.0",
  "8.8.8.8",
  "9.255.255.255",
  "11.0.0.0",
  "100.63.255.255",
  "100.128.0.0",
  "126.255.255.255",
  "128.0.0.0",
  "168.63.129.15",
  "168.63.129.17",
  "169.253.255.255",
  "169.255.0.0",
  "172.15.255.255",
  "172.32.0.0",
  "191.255.255.255",
  "192.0.1.0",
  "192.0.3.0",
  "192.167.255.255",
  "192.169.0.0",
  "198.17.255.255",
  "198.20.0.0",
  "203.0.112.255",
  "203.0.114.0",
  "223.255.255.255",
];

describe("an IPv4 address", () => {
  test.each(specialIpv4)("%s is not public, nor is an IPv6 address that stands for it", (address) => {
    const spellings = [address, `::ffff:${address}`, `64:ff9b::${address}`];
    expect(spellings.filter(isPublicAddress)).toEqual([]);
  });

  test.each(publicIpv4)("%s is public, and so is an IPv6 address that stands for it", (address) => {
    const spellings = [address, `::ffff:${address}`, `64:ff9b::${address}`];
    expect(spellings.filter(isPublicAddress)).toEqual(spellings);
  });
});

describe("an IPv6 address", () => {
  test.each([
    ["unspecified", "::"],
    ["loopback", "::1"],
    ["IPv4-compatible", "::8.8.8.8"],
    ["IPv4-translated", "::ffff:0:8.8.8.8"],
    ["NAT64 of local use", "64:ff9b:1::8.8.8.8"],
    ["discard-only", "100::1"],
    ["dummy prefix", "100:0:0:1::1"],
    ["below global unicast", "1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"],
    ["Teredo", "2001::1"],
    ["benchmarking", "2001:2::1"],
    ["ORCHID", "2001:10::1"],
    ["ORCHIDv2", "2001:20::1"],
    ["end of the IETF protocol assignments", "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff"],
    ["documentation", "2001:db8::1"],
    ["end of documentation", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff"],
    ["6to4", "2002:808:808::1"],
    ["6to4 of a private address", "2002:a00:1::1"],
    ["new documentation", "3fff::1"],
    ["end of new documentation", "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff"],
    ["above global unicast", "4000::1"],
    ["segment routing", "5f00::1"],
    ["unique local", "fc00::1"],
    ["metadata service of AWS", "fd00:ec2::254"],
    ["metadata service of Google", "fd20:ce::254"],
    ["link-local", "fe80::1"],
    ["link-local with a zone", "fe80::1%eth0"],
    ["global with a zone", "2606:4700::1%eth0"],
    ["site-local", "fec0::1"],
    ["multicast", "ff02::1"],
    ["global multicast", "ff0e::1"],
  ])("is not public when it is %s", (_name, address) => {
    expect(isPublicAddress(address)).toBe(false);
  });

  test.each([
    "2000::1",
    "2001:200::1",
    "2001:4860:4860::8888",
    "2001:db7:ffff::1",
    "2001:db9::1",
    "2003::1",
    "2606:4700::1111",
    "2a00::1",
    "3ffe::1",
    "3fff:1000::1",
  ])("is public: %s", (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });
});

test.each([
  "",
  "localhost",
  "8.8.8",
  "8.8.8.8.8",
  "08.8.8.8",
  "0x8.8.8.8",
  "[::1]",
  "2606:4700::1/64",
  "8.8.8.8 ",
])("what is no address is neither public nor loopback: %p", (text) => {
  expect([isPublicAddress(text), isLoopbackAddress(text)]).toEqual([false, false]);
});

test.each(["127.0.0.1", "127.255.255.255", "::1", "0:0:0:0:0:0:0:1", "::ffff:127.0.0.1", "::ffff:7f00:1"])(
  "%s is loopback",
  (address) => {
    expect(isLoopbackAddress(address)).toBe(true);
  },
);

test.each([
  "0.0.0.0",
  "126.0.0.1",
  "128.0.0.1",
  "::",
  "::2",
  "::ffff:10.0.0.1",
  "64:ff9b::127.0.0.1",
  "::127.0.0.1",
])("%s is not loopback", (address) => {
  expect(isLoopbackAddress(address)).toBe(false);
});
