import type { Clock } from "../../../base/clock.ts";
import { Problem } from "../../../base/problem.ts";
import { pauseFor } from "./pause.ts";

/**
 * Keeps the process from reading an old primary that a partition of the network has left alone: what others have
 * changed since, such as a removed token, is not there. An empty section is committed every 2 s, and its commit waits for
 * the standby, which an old primary has no longer.
 */
export interface ReadFence {
  /** Raises OVERLOADED unless a section that began in the last 5 s was committed. */
  require(): void;
  /** Settles when the first section was committed, or at the end. */
  readonly ready: Promise<void>;
  /** Ends the commits. Returns when the last one has been answered. */
  close(): Promise<void>;
}

/** What a read fence needs. */
export interface ReadFenceOptions {
  /** Commits a section that changes something, so that it waits for the standby, and returns when that is durable. */
  readonly commitEmptySection: () => Promise<void>;
  readonly clock: Clock;
  /** Returns milliseconds that a change of the clock does not move. Absent: those of the process. */
  readonly monotonicMs?: () => number;
  /** Absent: 2000 and 5000. */
  readonly everyMs?: number;
  readonly limitMs?: number;
}

/** Commits the first section, and goes on until `close`. Until the first one is answered nothing may be read. */
export function createReadFence(options: ReadFenceOptions): ReadFence {
  const { commitEmptySection, clock, everyMs = 2000, limitMs = 5000 } = options;
  const { monotonicMs = () => performance.now() } = options;
  const closing = new AbortController();
  // Both: a machine that was suspended does not count that time, and a clock may be set back.
  const now = () => [clock.nowMs(), monotonicMs()] as const;
  let proven: ReturnType<typeof now> | undefined;
  let failure: unknown;
  const ready = Promise.withResolvers<void>();

  const prove = async () => {
    while (!closing.signal.aborted) {
      const begun = now();
      try {
        await commitEmptySection();
        proven = begun;
        ready.resolve();
      } catch (error) {
        failure = error;
      }
      await pauseFor(everyMs, closing.signal);
    }
  };
  const proving = prove();
  return {
    ready: ready.promise,
    require() {
      const at = now();
      const isProven = proven?.every((begun, index) => (at[index] ?? 0) - begun <= limitMs) ?? false;
      if (!isProven) throw unprovenProblem(failure);
    },
    async close() {
      closing.abort();
      ready.resolve();
      await proving;
    },
  };
}

function unprovenProblem(cause: unknown): Problem {
  return new Problem({
    kind: "unavailable",
    reason: "OVERLOADED",
    message: "the storage cannot be read at the moment; try again later",
    retryAfterMs: 1000,
    cause,
  });
}
