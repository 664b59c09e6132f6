/** The wall clock. Passed in wherever time matters, so that tests can set it. */
export interface Clock {
  /** Returns milliseconds since 1970-01-01T00:00:00Z. May jump backwards, as wall clocks do. */
  nowMs(): number;
}

/** The clock of the machine. It may be set back while the service runs. */
export const systemClock: Clock = { nowMs: () => Date.now() };
