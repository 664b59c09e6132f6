import type { Clock } from "../../kernel/base/clock.ts";
import type { CopyProgress } from "../../kernel/storage/copy/copy-tables.ts";

/** Returns how many seconds have passed since the last time it was asked, with one digit behind the point. */
export type CopyClock = () => string;

/** Starts the clock. */
export function createCopyClock(clock: Pick<Clock, "nowMs">): CopyClock {
  let lastMs = clock.nowMs();
  return () => {
    const tookMs = clock.nowMs() - lastMs;
    lastMs += tookMs;
    return (tookMs / 1000).toFixed(1);
  };
}

/** Returns a function that prints a line about each step. */
export function tellOf(
  clock: CopyClock,
  print: (line: string) => Promise<void>,
): (event: CopyProgress) => Promise<void> {
  return async (event) => {
    const seconds = clock();
    switch (event.kind) {
      case "begun":
        if (event.state === "resumed") await print("resumed: an earlier run of this copy was interrupted");
        if (event.state === "done") await print("all of it was copied before; nothing is left to do");
        return;
      case "loaded":
        return await print(`${event.rows} rows of ${event.tables} tables copied in ${seconds} s`);
      case "indexed":
        return await print(`${event.count} indexes and references made in ${seconds} s`);
      case "compared":
        return await print(
          `${event.rows} rows of ${event.tables} tables are equal in both places, digest ${event.digest}, compared in ${seconds} s`,
        );
    }
  };
}
