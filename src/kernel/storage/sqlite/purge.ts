import { setTimeout as pause } from "node:timers/promises";

/** Purges a database. Concurrent requests share one purge. */
export interface Purge {
  /** See `Database.purge`. */
  run(): Promise<void>;
  /** Ends the retries. */
  stop(): void;
}

/** A caller waits for this many attempts and the pauses between them: 100 ms. */
const maxTries = 5;
const pauseMs = 25;
/** The pause between the retries in the background. */
const backgroundPauseMs = 1000;

/** Does work while no transaction is open, and returns its result. It may do it a few times until it returns true. */
export type DoAlone = (work: () => boolean) => Promise<boolean>;

/**
 * Creates the purge. `attempt` returns true once nothing is left to erase; it is called while no transaction is open.
 */
export function createPurge(attempt: () => boolean, alone: DoAlone): Purge {
  const state: Pending = { isStopped: false, running: undefined, timer: undefined };
  const tryOnce = (): Promise<boolean> =>
    alone(() => {
      const isDone = state.isStopped || attempt();
      if (isDone) state.running = undefined; // at once: a caller that asks from now on has changed something since
      return isDone;
    });
  const repeat = async (): Promise<void> => {
    for (let tries = 0; tries < maxTries; tries++) {
      if (tries > 0) await pause(pauseMs);
      if (await tryOnce()) return;
    }
    state.running = undefined;
    state.timer = setTimeout(() => void run(), backgroundPauseMs).unref();
  };
  const run = (): Promise<void> => {
    clearTimeout(state.timer);
    state.running ??= repeat();
    return state.running;
  };
  return {
    run,
    stop() {
      state.isStopped = true;
      clearTimeout(state.timer);
    },
  };
}

interface Pending {
  isStopped: boolean;
  running: Promise<void> | undefined;
  timer: NodeJS.Timeout | undefined;
}
