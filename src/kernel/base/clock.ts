/** The wall clock. Passed in wherever time matters, so that tests can set it. */
export interface Clock {
  /** Returns milliseconds since 1970-01-01T00:00:00Z. May jump backwards, as wall clocks do. */
  nowMs(): number;
}

/**
 * By so much the clock of a process may differ from that of the database, so two processes by twice as much. With a clock that is wrong
 * by more a process does not serve: it must not decide about the expiry of tokens.
 */
export const maxClockSkewMs = 60_000;

/** The clock of the machine. It may be set back while the service runs. */
export const systemClock: Clock = { nowMs: () => Date.now() };
