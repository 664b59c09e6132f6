import { setTimeout as pause } from "node:timers/promises";
import type { WriteTransaction } from "../../kernel/base/database.ts";
import type { Leadership } from "../../kernel/base/leadership.ts";
import type { FeatureContext } from "../context.ts";
import { hasRemovedOrganization } from "./repository.ts";

/** Deletes the rows of removed organizations in the background, in one process of all that serve the database. */
export interface RemovalSweep {
  /**
   * Begins with the rows that processes before have left behind, and continues whenever an organization was removed: at once
   * after `wake`, and within 5 s if another process removed it.
   */
  start(): void;
  /** Says that this process has removed an organization and left rows. Does nothing before the start. */
  wake(): void;
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
/** How often it looks for what other processes have removed, and whether this one is the leader now. */
const lookEveryMs = 5000;

interface Setup {
  readonly context: Pick<FeatureContext, "database" | "log" | "clock">;
  readonly leadership: Leadership;
  /** Called for each failure, after which the sweep tries again. */
  readonly onError: (error: unknown) => void;
}

/**
 * Creates the sweep. After each transaction it pauses for as long as the transaction took, so that it is never more than half
 * of the load.
 */
export function createRemovalSweep(setup: Setup): RemovalSweep {
  const { database } = setup.context;
  const watch = database.watch(["stored_organizations"]);
  const stopping = new AbortController();
  let running: Promise<void> | undefined;
  let seenAt: number | undefined;
  let timer: NodeJS.Timeout | undefined;

  const rest = (durationMs: number) =>
    pause(durationMs, undefined, { signal: stopping.signal, ref: false }).catch(() => {}); // it was stopped
  const run = async (term: AbortSignal): Promise<void> => {
    const isOver = () => stopping.signal.aborted || term.aborted;
    while (!isOver()) {
      try {
        await database.refresh();
        const at = watch.committed();
        if (at === seenAt) break;
        await sweepAll(setup.context, { isOver, rest });
        if (!isOver()) seenAt = at;
      } catch (error) {
        setup.onError(error);
        await rest(retryPauseMs);
      }
    }
    running = undefined;
  };
  const look = () => {
    const term = setup.leadership.term();
    if (term !== undefined) running ??= run(term);
  };
  return {
    start() {
      timer = setInterval(look, lookEveryMs).unref();
      look();
    },
    wake() {
      if (timer !== undefined) look();
    },
    async stop() {
      clearInterval(timer);
      stopping.abort();
      await running;
    },
  };
}

/** Sweeps until nothing is left, or until the sweep is over. */
async function sweepAll(
  context: Setup["context"],
  during: { readonly isOver: () => boolean; readonly rest: (durationMs: number) => Promise<void> },
): Promise<void> {
  const { database } = context;
  let hasSwept = false;
  while (!during.isOver() && (await database.read(hasRemovedOrganization))) {
    const takenMs = await database.write((tx) => sweepSlice(context, tx));
    hasSwept = true;
    await during.rest(Math.max(1, takenMs));
  }
  if (hasSwept) await database.purge(); // names and addresses were in those rows
}

/** Sweeps for a short time and returns how long it was, in ms. */
async function sweepSlice({ clock, log }: Setup["context"], tx: WriteTransaction): Promise<number> {
  const begunMs = clock.nowMs();
  const takenMs = () => clock.nowMs() - begunMs;
  let round = 0;
  while ((await log.sweep(tx, objectsAtOnce)) && ++round < maxRounds && takenMs() < sliceMs);
  return takenMs();
}
