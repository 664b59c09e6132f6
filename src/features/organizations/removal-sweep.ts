import { setTimeout as pause } from "node:timers/promises";
import type { WriteTransaction } from "../../base/database.ts";
import type { FeatureContext } from "../context.ts";
import { hasRemovedOrganization } from "./repository.ts";

/** Deletes the rows of removed organizations in the background. */
export interface RemovalSweep {
  /** Begins with the rows that the process before left behind, and continues whenever an organization was removed. */
  start(): void;
  /** Stops after the transaction under way. The next start continues. */
  stop(): Promise<void>;
}

/** A transaction that has run this long removes no further objects, because other writes wait for it. */
const sliceMs = 5;
/** Removing this many objects takes about a millisecond. */
const objectsAtOnce = 16;
const maxRounds = 8;
/** The pause after a failure, such as a full disk. */
const retryPauseMs = 5000;

/**
 * Creates the sweep. After each transaction it pauses for as long as the transaction took, so that it is never more than half
 * of the load. `onError` is called for each failure, after which the sweep tries again.
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
