import type { Clock } from "../../base/clock.ts";
import type { WriteOptions } from "../../base/database.ts";
import { Problem } from "../../base/problem.ts";

/** Raises DEADLINE_EXCEEDED or CANCELLED if nobody waits for the write any more. */
export function requireInTime(options: WriteOptions, clock: Clock): void {
  const isLate = options.deadlineMs !== undefined && clock.nowMs() >= options.deadlineMs;
  if (isLate || options.signal?.aborted === true) {
    throw new Problem({
      kind: isLate ? "deadline" : "cancelled",
      reason: isLate ? "DEADLINE_EXCEEDED" : "CANCELLED",
      message: isLate
        ? "the deadline of the call has passed; nothing was changed"
        : "the caller cancelled the call; nothing was changed",
    });
  }
}
