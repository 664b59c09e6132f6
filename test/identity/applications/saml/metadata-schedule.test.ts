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
