import { describe, expect, test } from "@jest/globals";
import {
  addressLimits,
  decideTry,
  factorLimits,
  passwordLimits,
  type CountedTries,
  type TryLimits,
} from "../../../../src/identity/logins/tries/try.ts";

const now = Date.UTC(2026, 10, 21, 12);
const second = 1000;
const minute = 60 * second;

/** Makes so many tries, each as soon as it is allowed, and returns how long each had to wait. */
function waitsOf(limits: TryLimits, count: number): readonly number[] {
  let tries: CountedTries | undefined;
  let nowMs = now;
  return Array.from({ length: count }, () => {
    let decided = decideTry(tries, limits, nowMs);
    const waitMs = decided.isAllowed ? 0 : decided.retryAfterMs;
    nowMs += waitMs;
    decided = decideTry(tries, limits, nowMs);
    if (!decided.isAllowed) throw new Error("the wait was too short");
    tries = decided.tries;
    return waitMs / second;
  });
}

test("after 5 wrong passwords each further one waits twice as long, at most 900 seconds", () => {
  const expected = [0, 0, 0, 0, 0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900];
  expect(waitsOf(passwordLimits, 17)).toEqual(expected);
});

test("after 10 wrong factors each further one waits 15 minutes", () => {
  expect(waitsOf(factorLimits, 12)).toEqual([...Array<number>(10).fill(0), 900, 900]);
});

test("a try that is not allowed leaves no trace, so it makes no wait longer", () => {
  const tries = { count: 5, instants: [now], expirationMs: now + minute };
  expect(decideTry(tries, passwordLimits, now + 400)).toEqual({ isAllowed: false, retryAfterMs: 600 });
  expect(decideTry(tries, passwordLimits, now + second)).toMatchObject({
    isAllowed: true,
    tries: { count: 6, instants: [now + second] },
  });
});

test("a clock that went back makes no wait longer than it was", () => {
  const tries = { count: 6, instants: [now + 60 * minute], expirationMs: now + 90 * minute };
  expect(decideTry(tries, passwordLimits, now)).toEqual({ isAllowed: false, retryAfterMs: 2 * second });
});

describe("from an address 100 tries within 15 minutes may be wrong", () => {
  const window = (instants: readonly number[]): CountedTries => ({
    count: instants.length,
    instants,
    expirationMs: now + 15 * minute,
  });
  const hundred = Array.from({ length: 100 }, (_item, index) => now + index * second);

  test("and the next one waits until the first of them is 15 minutes ago", () => {
    const at = now + 100 * second;
    expect(decideTry(window(hundred.slice(1)), addressLimits, at).isAllowed).toBe(true);
    expect(decideTry(window(hundred), addressLimits, at)).toEqual({
      isAllowed: false,
      retryAfterMs: 15 * minute - 100 * second,
    });
    expect(decideTry(window(hundred), addressLimits, now + 15 * minute)).toMatchObject({
      isAllowed: true,
      tries: { count: 100 },
    });
  });
});
