import { beforeEach, expect, test } from "@jest/globals";
import {
  createRefusalLimit,
  maxRefusals,
  type RefusalLimit,
} from "../../../../src/sites/saml/receiving/refusal-limit.ts";
import { createTestClock, type TestClock } from "../../../support/clock.ts";

let clock: TestClock;
let limit: RefusalLimit;
beforeEach(() => {
  clock = createTestClock();
  limit = createRefusalLimit(clock);
});

const refuse = (address: string | undefined, times: number) => {
  for (let count = 0; count < times; count++) limit.count(address);
};
const isFull = (address: string | undefined): boolean => {
  try {
    limit.requireBelow(address);
    return false;
  } catch {
    return true;
  }
};

test("so many are refused to a network within a minute, and then none is looked at", () => {
  refuse("192.0.2.1", maxRefusals - 1);
  clock.turn(1000);
  expect(isFull("192.0.2.1")).toBe(false);
  refuse("192.0.2.1", 1);
  expect(() => limit.requireBelow("192.0.2.1")).toThrow(
    expect.objectContaining({ reason: "LIMIT_REACHED", retryAfterMs: 59_000 }),
  );
  expect([isFull("192.0.2.2"), isFull(undefined)]).toEqual([false, false]);
  clock.turn(59_000);
  expect(isFull("192.0.2.1")).toBe(false);
  refuse("192.0.2.1", 1);
  expect(isFull("192.0.2.1")).toBe(false);
});

test("all addresses of a customer of IPv6 are one network", () => {
  refuse("2001:db8::1", maxRefusals - 1);
  refuse("2001:db8::2:1", 1);
  expect([isFull("2001:db8::ffff:1"), isFull("2001:db8:0:1::1")]).toEqual([true, false]);
});

test("10,000 networks are remembered, and the one that came first is forgotten first", () => {
  refuse("192.0.2.1", maxRefusals);
  refuse("192.0.2.2", maxRefusals);
  for (let network = 0; network < 9998; network++) limit.count(`net ${network}`);
  expect([isFull("192.0.2.1"), isFull("192.0.2.2")]).toEqual([true, true]);
  limit.count("one more");
  expect([isFull("192.0.2.1"), isFull("192.0.2.2")]).toEqual([false, true]);
});

test("one more message of a network that is remembered lets none be forgotten", () => {
  refuse("192.0.2.1", maxRefusals);
  refuse("192.0.2.2", maxRefusals - 1);
  for (let network = 0; network < 9998; network++) limit.count(`net ${network}`);
  refuse("192.0.2.2", 1);
  expect([isFull("192.0.2.1"), isFull("192.0.2.2")]).toEqual([true, true]);
});

test("a network whose minute is over begins another, as the one that came last", () => {
  refuse("192.0.2.1", maxRefusals);
  clock.turn(30_000);
  refuse("192.0.2.2", maxRefusals);
  clock.turn(30_000);
  refuse("192.0.2.1", maxRefusals);
  for (let network = 0; network < 9999; network++) limit.count(`net ${network}`);
  expect([isFull("192.0.2.1"), isFull("192.0.2.2")]).toEqual([true, false]);
});
