import { setTimeout as pause } from "node:timers/promises";
import type { WriteTransaction } from "../../base/database.ts";
import type { FeatureContext } from "../context.ts";
import { hasRemovedOrganization } from "./repository.ts";

/** Deletes the remaining rows of removed organizations in the background. */
export interface RemovalSweep {
  /** Starts with the rows left when the process ended, and continues whenever an organization is removed. */
  start(): void;
  /** Finishes the current transaction. The next start does the rest. */
  stop(): Promise<void>;
}

/** No further objects are deleted in a transaction that has run this long, because other writes wait for it. */
const sliceMs = 5;
/** Deleting this many objects takes about a millisecond. */
const objectsAtOnce = 16;
const maxRounds = 8;
/** Pause after a failure, such as a full disk. */
const retryPauseMs = 5000;

/**
 * Creates the sweep. After each transaction it pauses for as long as the transaction took, so that it is never more
 * than half of the load. `onError` is called with each failure, after which it tries again.
 */
export function createRemovalSweep({
  context: { database, log, clock },
  onError,
}: {
  readonly context: Pick<FeatureContext, "database" | "log" | "clock">;
  readonly onError: (error: unknown) => void;
}): RemovalSweep {
  const watch = database.watch(["stored_organizations"]);
  const stopping = new AbortController();
  let running: Promise<void> | undefined;
  let seenAt: number | undefined;
  let unfollow = () => {};

  const rest = (durationMs: number) =>
    pause(durationMs, undefined, { signal: stopping.signal, ref: false }).catch(() => {}); // it was stopped
  const sweepSlice = async (tx: WriteTransaction): Promise<number> => {
    const begunMs = clock.nowMs();
    const takenMs = () => clock.nowMs() - begunMs;
    let round = 0;
    while ((await log.sweep(tx, objectsAtOnce)) && ++round < maxRounds && takenMs() < sliceMs);
    return takenMs();
  };
  const sweepAll = async (): Promise<void> => {
    let hasSwept = false;
    while (!stopping.signal.aborted && (await database.read(hasRemovedOrganization))) {
      const takenMs = await database.write(sweepSlice);
      hasSwept = true;
      await rest(Math.max(1, takenMs));
    }
    if (hasSwept) await database.purge(); // names and addresses were in those rows
  };
  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted && seenAt !== watch.committed()) {
      const at = watch.committed();
      try {
        await sweepAll();
        seenAt = at;
      } catch (error) {
        onError(error);
        await rest(retryPauseMs);
      }
    }
    running = undefined;
  };
  const wake = () => {
    if (seenAt !== watch.committed()) running ??= run();
  };
  return {
    start() {
      unfollow = database.onCommit(wake);
      wake();
    },
    async stop() {
      unfollow();
      stopping.abort();
      await running;
    },
  };
}
