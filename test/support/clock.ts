import type { Clock } from "../../src/kernel/base/clock.ts";

/** A clock that stands still until it is turned. */
export interface TestClock extends Clock {
  /** Moves by so many milliseconds; backwards when negative. */
  turn(byMs: number): void;
}

/** Returns a clock that shows `startMs`; by default an instant in 2026. */
export function createTestClock(startMs = Date.UTC(2026, 5, 1, 12)): TestClock {
  let nowMs = startMs;
  return {
    nowMs: () => nowMs,
    turn: (byMs) => {
      nowMs += byMs;
    },
  };
}
