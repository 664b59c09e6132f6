import type { Clock } from "../kernel/base/clock.ts";

/** A clock that goes on like another one, ahead of it by as much as it was turned. */
export interface TurnedClock extends Clock {
  /** Turns it forward. */
  advance(ms: number): void;
  /** Shows the time of the other clock again. */
  reset(): void;
}

/** Creates a clock that was not turned yet. */
export function createTurnedClock(clock: Clock): TurnedClock {
  let aheadMs = 0;
  return {
    nowMs: () => clock.nowMs() + aheadMs,
    advance(ms) {
      aheadMs += ms;
    },
    reset() {
      aheadMs = 0;
    },
  };
}
