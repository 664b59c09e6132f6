import type { Clock, Instant } from "../../src/kernel/base/clock.ts";

/** Returns the instant that many microseconds after the one that the clock shows; before it when negative. */
export function microsFrom(clock: Clock, micros: number): Instant {
  const at = clock.nowMs() * 1000 + micros;
  const ms = Math.floor(at / 1000);
  const rest = String(at - ms * 1000).padStart(3, "0");
  return `${new Date(ms).toISOString().slice(0, -1)}${rest}Z` as Instant; // of its form
}
