import { performance } from "node:perf_hooks";

/** Runs work that is never urgent in the order in which it came, with pauses for all other work. */
export interface Turns {
  /** Runs the work when its turn comes, and returns its result. */
  run<T>(work: () => Promise<T>): Promise<T>;
}

/** No further work starts in a turn of the event loop that has lasted this long. */
const maxTurnMs = 5;

/**
 * Creates the turns that all share: work that is short for one of them adds up when a hundred do it at once, and
 * reads that wait for each other would leave the event loop no time in between.
 */
export function createTurns(): Turns {
  let tail: Promise<unknown> = Promise.resolve();
  let endMs = 0;
  const begin = async <T>(work: () => Promise<T>): Promise<T> => {
    if (performance.now() >= endMs) {
      await new Promise(setImmediate);
      endMs = performance.now() + maxTurnMs;
    }
    return await work();
  };
  return {
    run<T>(work: () => Promise<T>): Promise<T> {
      const result = tail.then(() => begin(work));
      tail = result.catch(() => undefined); // who asked hears of it; the next one does not care
      return result;
    },
  };
}
