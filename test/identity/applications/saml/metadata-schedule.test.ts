import { describe, expect, test } from "@jest/globals";
import * as fc from "fast-check";
import { nextRefresh } from "../../../../src/identity/applications/saml/metadata-schedule.ts";

const nowMs = Date.UTC(2026, 5, 1);
const minuteMs = 60_000;
const random = (share: number) => ({
  bytes: () => new Uint8Array(),
  below: (limit: number) => Math.min(limit - 1, Math.floor(limit * share)),
});
const next = (outcome: Parameters<typeof nextRefresh>[0], failures = 0, share = 0) => {
  const refresh = nextRefresh(outcome, { failures, nowMs, random: random(share) });
  return { pauseMs: refresh.nextMs - nowMs, failures: refresh.failures };
};

describe("nextRefresh", () => {
  test.each(["document", "unusable"] as const)("comes daily after an answer: %s", (outcome) => {
    expect(next(outcome, 5)).toEqual({ pauseMs: 24 * 60 * minuteMs, failures: 0 });
  });

  test("comes with pauses that double from a minute to an hour while nothing answers", () => {
    const pauses = [0, 1, 2, 3, 4, 5, 6, 7, 5000].map((failures) => next("unreachable", failures));
    expect(pauses.map((each) => each.pauseMs / minuteMs)).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60]);
    expect(pauses.map((each) => each.failures)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 5001]);
  });

  test("comes soon when the organization was busy, which is no failure", () => {
    expect(next("busy", 3)).toEqual({ pauseMs: 10_000, failures: 3 });
  });

  test("takes off up to a fifth at random, and never adds", () => {
    const outcomes = fc.constantFrom("document", "unusable", "unreachable", "busy" as const);
    fc.assert(
      fc.property(
        outcomes,
        fc.nat(20),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (outcome, failures, share) => {
          const longest = next(outcome, failures, 0).pauseMs;
          const { pauseMs } = next(outcome, failures, share);
          expect(pauseMs).toBeLessThanOrEqual(longest);
          expect(pauseMs).toBeGreaterThanOrEqual(longest * 0.8);
        },
      ),
    );
    expect(next("unreachable", 0, 1).pauseMs).toBeLessThan(minuteMs);
  });
});
