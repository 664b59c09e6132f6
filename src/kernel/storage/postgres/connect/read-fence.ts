import { type Clock, systemClock } from "../../../base/clock.ts";
import { Problem } from "../../../base/problem.ts";
import { pauseFor } from "./pause.ts";

/**
 * Keeps the process from reading an old primary that a partition of the network has left alone: what others have
 * changed since, such as a removed token, is not there. Every 2 s something is committed that waits for the standby, which
 * an old primary has no longer.
 */
export interface ReadFence {
  /** Resolves when the first commit was answered, or has failed. */
  readonly ready: Promise<void>;
  /** Raises OVERLOADED unless a commit that began in the last 5 s was answered. `write` is refused before it has begun. */
  require(work: "read" | "write"): void;
  /** Ends the commits. Returns when the last one has been answered. */
  close(): Promise<void>;
}

/** What a read fence needs. */
export interface ReadFenceOptions {
  /** As in EmptyCommits: it must wait for the standby and for nothing else. */
  readonly commit: () => Promise<void>;
  /** Absent: the clock of the machine. */
  readonly clock?: Clock;
  /** Returns milliseconds that a change of the clock does not move. Absent: those of the process. */
  readonly monotonicMs?: () => number;
  /** Absent: 2000 and 5000. */
  readonly everyMs?: number;
  readonly limitMs?: number;
}

/** Begins to commit, and goes on until `close`. Until the first commit is answered nothing may be read. */
export function createReadFence(options: ReadFenceOptions): ReadFence {
  const { commit, clock = systemClock, everyMs = 2000, limitMs = 5000 } = options;
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
        await commit();
        proven = begun;
        failure = undefined;
      } catch (error) {
        failure = error;
      }
      ready.resolve();
      await pauseFor(everyMs, closing.signal);
    }
  };
  const proving = prove();
  return {
    ready: ready.promise,
    require(work) {
      const at = now();
      const isProven = proven?.every((begun, index) => (at[index] ?? 0) - begun <= limitMs) ?? false;
      if (!isProven) throw unprovenProblem(work, failure);
    },
    async close() {
      closing.abort();
      await proving;
    },
  };
}

const messages = {
  read: "the storage cannot be read at the moment; try again later",
  write: "the storage accepts no changes at the moment; nothing was changed; try again later",
} as const;

function unprovenProblem(work: keyof typeof messages, cause: unknown): Problem {
  return new Problem({
    kind: "unavailable",
    reason: "OVERLOADED",
    message: messages[work],
    retryAfterMs: 1000,
    cause,
  });
}
