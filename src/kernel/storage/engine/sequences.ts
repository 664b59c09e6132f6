import type { Clock } from "../../base/clock.ts";

/** Gives the sequences of events. */
export interface Sequences {
  /** Returns the last one that was given. */
  last(): number;
  /** Learns the last one that another process has given. */
  learn(lastGiven: number): void;
  /** Reserves so many consecutive ones and returns the last of them. */
  reserve(count: number): number;
}

/** Creates a hybrid clock: the wall clock in microseconds, or the last value plus one. Sequences may leave gaps. */
export function createSequences(lastGiven: number, clock: Clock): Sequences {
  let last = lastGiven;
  return {
    last: () => last,
    learn(given) {
      last = Math.max(last, given);
    },
    reserve(count) {
      last = Math.max(clock.nowMs() * 1000, last + 1) + count - 1;
      return last;
    },
  };
}
