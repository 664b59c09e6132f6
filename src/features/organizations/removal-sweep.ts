import { setTimeout as pause } from "node:timers/promises";
import type { WriteTransaction } from "../../base/database.ts";
import type { FeatureContext } from "../context.ts";
import { hasRemovedOrganization } from "./repository.ts";

/** Deletes in the background what removed organizations have left behind. */
export interface RemovalSweep {
  /** Begins with what was left when the process ended, and goes on whenever an organization was removed. */
  start(): void;
  /** Ends with what is under way. The rest is for the next start. */
  stop(): Promise<void>;
}

/** No further objects go in a transaction that has run for so long: others wait for it. */
const sliceMs = 5;
/** So many objects take about a millisecond. */
const objectsAtOnce = 16;
const maxRounds = 8;
/** After a failure, such as that of a full disk. */
const retryPauseMs = 5000;

/**
 * Creates the sweep. After each transaction it leaves others as much time as that has taken, so that it is never more than half
 * of the load. `onError` is told of each failure, after which it tries again.
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
