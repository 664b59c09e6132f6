/** The wall clock. Passed in wherever time matters, so that tests can set it. */
export interface Clock {
  /** Returns milliseconds since 1970-01-01T00:00:00Z. May jump backwards, as wall clocks do. */
  nowMs(): number;
}

export const systemClock: Clock = { nowMs: () => Date.now() };
