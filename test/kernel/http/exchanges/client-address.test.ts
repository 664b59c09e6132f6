import { describe, expect, test } from "@jest/globals";
import { createRemoteAddress } from "../../../../src/kernel/http/exchanges/client-address.ts";

const behind = createRemoteAddress(["10.0.0.0/8", "fd00::/8"]);

describe("a hop of X-Forwarded-For", () => {
  test.each([
    ["203.0.113.7", "203.0.113.7"],
    ["203.0.113.7:51544", "203.0.113.7"],
    ["2001:db8::1", "2001:db8::1"],
    ["[2001:db8::1]", "2001:db8::1"],
    ["[2001:db8::1]:443", "2001:db8::1"],
    ["::ffff:203.0.113.7", "203.0.113.7"],
    ["[::ffff:203.0.113.7]:443", "203.0.113.7"],
    ["198.51.100.1, 203.0.113.7:1", "203.0.113.7"],
    ["203.0.113.7:51544, 10.0.0.2:8080, [fd00::1]:80", "203.0.113.7"],
  ])("%s is read", (header, address) => {
    expect(behind("10.0.0.1", header)).toBe(address);
  });

  test.each([
    "unknown",
    "203.0.113.7:",
    "203.0.113.7:123456",
    "203.0.113:80",
    "[2001:db8::1",
    "[]:443",
    "[x]:1",
  ])("%s is no address: the proxy counts", (header) => {
    expect(behind("10.0.0.1", header)).toBe("10.0.0.1");
  });
});

test("each header is reported that does not count because there are no proxies, and no other", () => {
  let count = 0;
  const alone = createRemoteAddress([], () => void count++);
  expect([alone("192.0.2.1", "203.0.113.7"), count]).toEqual(["192.0.2.1", 1]);
  expect([alone("192.0.2.1", undefined), count]).toEqual(["192.0.2.1", 1]);
  const proxied = createRemoteAddress(["10.0.0.1"], () => void count++);
  expect([proxied("192.0.2.1", "203.0.113.7"), count]).toEqual(["192.0.2.1", 1]);
});
