import { describe, expect, test } from "@jest/globals";
import * as fc from "fast-check";
import {
  earliest,
  fromDigits,
  type Instant,
  toDigits,
  toEpochMs,
  toInstant,
} from "../../../src/kernel/base/clock.ts";

const firstMs = -62_135_596_800_000;
const lastMs = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

describe("an instant", () => {
  test("has microseconds, sorts by time, and is read back exactly", () => {
    expect(toInstant(0)).toBe("1970-01-01T00:00:00.000000Z");
    expect(toEpochMs("9999-12-31T23:59:59.999999Z" as Instant)).toBe(lastMs);
    const anyMs = fc.integer({ min: firstMs, max: lastMs });
    fc.assert(
      fc.property(anyMs, anyMs, (left, right) => {
        expect(toEpochMs(toInstant(left))).toBe(left);
        expect(fromDigits(toDigits(toInstant(left)))).toBe(toInstant(left));
        expect(toInstant(left) < toInstant(right)).toBe(left < right);
      }),
    );
  });

  test("is the earliest of those that there are", () => {
    const [early, late] = [toInstant(1), toInstant(2)];
    expect(earliest([late, null, early, undefined])).toBe(early);
    expect(earliest([null, undefined])).toBeUndefined();
  });
});
