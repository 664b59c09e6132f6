import { describe, expect, test } from "@jest/globals";
import * as fc from "fast-check";
import { createIdGenerator, toId } from "../../../src/kernel/base/ids.ts";
import { type Random, systemRandom } from "../../../src/kernel/base/random.ts";
import { createTestClock } from "../../support/clock.ts";
import { largeTest } from "../../support/large.ts";

const epochMs = Date.UTC(2026, 0, 1);
const lowBits = 22n;

const msOf = (id: string) => Number(BigInt(id) >> lowBits) + epochMs;
const lowOf = (id: string) => Number(BigInt(id) & ((1n << lowBits) - 1n));

/** Draws these numbers, one after the other, and notes the limits it was asked for. */
function createFixedRandom(draws: Iterable<number>): Random & { readonly limits: readonly number[] } {
  const limits: number[] = [];
  const iterator = draws[Symbol.iterator]();
  return {
    limits,
    bytes: systemRandom.bytes,
    below(limit) {
      limits.push(limit);
      const { value, done } = iterator.next();
      if (done === true) throw new Error("more was drawn than expected");
      return value;
    },
  };
}

function* countUp(): Generator<number> {
  for (let value = 0; ; value += 1) yield value;
}

describe("an id", () => {
  test("holds the milliseconds since 2026 above 22 random bits", () => {
    const clock = createTestClock();
    const random = createFixedRandom([12_345]);
    const id = createIdGenerator({ clock, random, floorMs: 0 }).next();
    expect({ ms: msOf(id), low: lowOf(id) }).toEqual({ ms: clock.nowMs(), low: 12_345 });
    expect(random.limits).toEqual([2 ** 22]);
  });

  test("is a decimal number of at most 63 bits, up to the last instant that fits", () => {
    const clock = createTestClock(epochMs + 2 ** 41 - 1);
    const ids = createIdGenerator({ clock, random: createFixedRandom([2 ** 22 - 1]), floorMs: 0 });
    expect(ids.next()).toBe((2n ** 63n - 1n).toString());
  });

  test("is positive even when the clock stands before 2026", () => {
    const ids = createIdGenerator({ clock: createTestClock(0), random: createFixedRandom([0]), floorMs: 0 });
    expect(ids.next()).toBe((1n << lowBits).toString());
  });

  test("is larger than every id of an earlier millisecond", () => {
    const clock = createTestClock();
    const ids = createIdGenerator({ clock, random: systemRandom, floorMs: 0 });
    const given = Array.from({ length: 200 }, () => {
      clock.turn(1);
      return BigInt(ids.next());
    });
    expect(given).toEqual(given.toSorted((left, right) => (left < right ? -1 : 1)));
  });

  largeTest("is unique among 100,000 of the same millisecond", () => {
    const ids = createIdGenerator({ clock: createTestClock(), random: systemRandom, floorMs: 0 });
    const given = Array.from({ length: 100_000 }, () => ids.next());
    expect(new Set(given).size).toBe(100_000);
    expect(new Set(given.map(msOf)).size).toBe(1);
  });

  test("is drawn again when another of the same millisecond has its random bits", () => {
    const random = createFixedRandom([7, 7, 7, 8]);
    const ids = createIdGenerator({ clock: createTestClock(), random, floorMs: 0 });
    expect([lowOf(ids.next()), lowOf(ids.next())]).toEqual([7, 8]);
  });

  test("may have the random bits of one of an earlier millisecond", () => {
    const clock = createTestClock();
    const ids = createIdGenerator({ clock, random: createFixedRandom([7, 7]), floorMs: 0 });
    const first = ids.next();
    clock.turn(1);
    expect(msOf(ids.next())).toBe(msOf(first) + 1);
  });
});

describe("a clock that goes back", () => {
  test("does not take ids below the floor", () => {
    const clock = createTestClock();
    const floorMs = clock.nowMs() + 3_600_000;
    const ids = createIdGenerator({ clock, random: systemRandom, floorMs });
    expect(msOf(ids.next())).toBe(floorMs + 1);
  });

  test("does not repeat an id of the millisecond of the floor itself", () => {
    const clock = createTestClock();
    const ids = createIdGenerator({ clock, random: systemRandom, floorMs: clock.nowMs() });
    expect(msOf(ids.next())).toBe(clock.nowMs() + 1);
  });

  test("does not repeat an id of the same process", () => {
    const clock = createTestClock();
    const ids = createIdGenerator({ clock, random: createFixedRandom([5, 5, 6]), floorMs: 0 });
    const first = ids.next();
    clock.turn(-3_600_000);
    const second = ids.next();
    expect({ ms: msOf(second), low: lowOf(second) }).toEqual({ ms: msOf(first), low: 6 });
  });

  test("neither repeats nor falls below the floor, however the clock moves", () => {
    const turns = fc.array(fc.integer({ min: -5, max: 5 }), { maxLength: 60 });
    fc.assert(
      fc.property(turns, fc.integer({ min: -10, max: 10 }), (moves, floorBy) => {
        const clock = createTestClock();
        const floorMs = clock.nowMs() + floorBy;
        const draws = countUp().map((draw) => draw % 97); // more values than ids, so that drawing ends
        const ids = createIdGenerator({ clock, random: createFixedRandom(draws), floorMs });
        const given = moves.map((move) => {
          clock.turn(move);
          return ids.next();
        });
        const times = given.map(msOf);
        expect(new Set(given).size).toBe(given.length);
        expect(times).toEqual(times.toSorted((left, right) => left - right));
        expect(times.filter((ms) => ms <= floorMs)).toEqual([]);
      }),
    );
  });
});

describe("toId", () => {
  test("takes any text as it is, because an id that names nothing is not found like any other", () => {
    expect(toId("not an id")).toBe("not an id");
  });
});
