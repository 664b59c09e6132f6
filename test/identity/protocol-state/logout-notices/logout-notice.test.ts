import { expect, test } from "@jest/globals";
import {
  claimMs,
  isInTime,
  isSpent,
  nextTryMs,
  tryMs,
} from "../../../../src/identity/protocol-state/logout-notices/logout-notice.ts";

test("there are three tries, with growing pauses", () => {
  expect([1, 2, 3].map((tries) => nextTryMs({ tries }, 1000))).toEqual([11_000, 61_000, undefined]);
});

test("a notice is of no use after its third try", () => {
  expect([0, 1, 2, 3, 4].map((tries) => isSpent({ tries }))).toEqual([false, false, false, true, true]);
});

test("a try ends before a process whose clock is two minutes ahead takes its notice over", () => {
  expect(claimMs).toBe(150_000);
  const claimed = { nextMs: 1000 + claimMs };
  expect([1000, 26_000, 26_001].map((nowMs) => isInTime(claimed, nowMs))).toEqual([true, true, false]);
  expect(26_000 + tryMs + 120_000).toBeLessThanOrEqual(claimed.nextMs);
});
