import { performance } from "node:perf_hooks";

/** Lets work that is never in a hurry run in the order in which it came, with pauses for everybody else. */
export interface Turns {
  /** Runs the work when it is its turn, and returns what it returns. */
  run<T>(work: () => Promise<T>): Promise<T>;
}

/** No further work begins in a turn of the event loop that has gone on for so long. */
const maxTurnMs = 5;

/**
 * Creates the turns that all share: what is short for each of them is long for the service when a hundred do it at once,
 * and reads that wait for each other leave the event loop no moment in between.
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
