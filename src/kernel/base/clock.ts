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

declare const instant: unique symbol;

/**
 * An instant of the years 0001 to 9999 to the microsecond, in UTC, as a text that sorts by time: `2026-06-01T12:00:00.000000Z`. As
 * numbers, microseconds are exact only until the year 2255.
 */
export type Instant = string & { readonly [instant]: true };

/** The last instant; it stands for the end of what has none where ends are compared. */
export const endless = "9999-12-31T23:59:59.999999Z" as Instant; // of its form

/** Converts milliseconds since 1970. */
export function toInstant(ms: number): Instant {
  return `${new Date(ms).toISOString().slice(0, -1)}000Z` as Instant; // it has milliseconds
}

/** Converts microseconds since 1970, which are not beyond 2^53. */
export function toInstantOfMicros(micros: number): Instant {
  const second = Math.floor(micros / 1_000_000);
  const text = new Date(second * 1000).toISOString().slice(0, -"000Z".length);
  return `${text}${String(micros - second * 1_000_000).padStart(6, "0")}Z` as Instant; // of its form
}

/** Converts to milliseconds since 1970, and drops what is below one. */
export function toEpochMs(at: Instant): number {
  return Date.parse(`${at.slice(0, -4)}Z`);
}

/** Writes an instant as digits alone, which sort alike. */
export function toDigits(at: Instant): string {
  return at.replaceAll(/\D/g, "");
}

/** Reads what `toDigits` has written. */
export function fromDigits(digits: string): Instant {
  return digits.replace(/(....)(..)(..)(..)(..)(..)(.*)/, "$1-$2-$3T$4:$5:$6.$7Z") as Instant; // of its form
}

/** Returns the earliest of the instants; undefined if there is none. */
export function earliest(instants: readonly (Instant | null | undefined)[]): Instant | undefined {
  let first: Instant | undefined;
  for (const at of instants)
    if (at !== null && at !== undefined && !(first !== undefined && first <= at)) first = at;
  return first;
}

/** Creates the `now` of a transaction: it reads the clock when it is first called, and returns the same instant from then on. */
export function createNow(clock: Clock): () => Instant {
  let now: Instant | undefined;
  return () => (now ??= toInstant(clock.nowMs()));
}
