import type { Random } from "../../../kernel/base/random.ts";

/** When the metadata of an application is fetched next. */
export interface Refresh {
  /** Instant of the wall clock, ms since 1970. */
  readonly nextMs: number;
  /** Number of consecutive fetches that could not reach the server. */
  readonly failures: number;
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
const busyMs = 10_000;

/**
 * Returns when to fetch again after this result: a day after any answer; while the server cannot be reached, after a
 * minute that doubles up to an hour. Subtracts up to a fifth at random, so that applications that were added together
 * are not fetched together forever.
 */
export function nextRefresh(
  outcome: "document" | "unusable" | "unreachable" | "busy",
  state: { readonly failures: number; readonly nowMs: number; readonly random: Random },
): Refresh {
  const { failures, nowMs, random } = state;
  const after = (ms: number) => nowMs + ms - random.below(ms / 5);
  switch (outcome) {
    case "document":
    case "unusable":
      return { nextMs: after(dayMs), failures: 0 };
    case "unreachable":
      return { nextMs: after(Math.min(minuteMs * 2 ** failures, hourMs)), failures: failures + 1 };
    case "busy":
      return { nextMs: after(busyMs), failures };
  }
}
