import { expect, test } from "@jest/globals";
import { idAt } from "../../../../src/kernel/base/ids.ts";
import { systemRandom } from "../../../../src/kernel/base/random.ts";
import { createIdCounter } from "../../../../src/kernel/storage/postgres/id-counter.ts";
import { createTestClock } from "../../../support/clock.ts";

test("ids grow, from now or from the last one that was given", () => {
  const clock = createTestClock();
  const counter = createIdCounter(5n, { clock, random: systemRandom });
  const first = BigInt(counter.next());
  expect(first).toBeGreaterThan(idAt(clock.nowMs()));
  clock.turn(-1000);
  const second = BigInt(counter.next());
  expect(second).toBeGreaterThan(first);
  expect(counter.last()).toBe(second);
  const other = createIdCounter(second, { clock, random: systemRandom });
  expect(BigInt(other.next())).toBeGreaterThan(second);
});

test("the steps between ids are drawn", () => {
  const clock = createTestClock();
  const counter = createIdCounter(0n, { clock, random: systemRandom });
  const ids = Array.from({ length: 100 }, () => BigInt(counter.next()));
  const steps = ids.slice(1).map((id, index) => id - (ids[index] ?? 0n));
  expect(new Set(steps).size).toBeGreaterThan(90);
});
