import { performance } from "node:perf_hooks";

/** Runs work that is never in a hurry, in the order in which it came and with pauses for everybody else. */
export interface FairQueue {
  /** Runs the work when its turn comes. Resolves with its result. */
  run<T>(work: () => Promise<T>): Promise<T>;
}

/** No further work begins in a turn of the event loop that has lasted this long. */
const maxTurnMs = 5;

/**
 * Creates a queue that many share. Work that is short for each of them is long for the service when a hundred do it at once,
 * and reads that wait for each other would leave the event loop no moment in between.
 */
export function createFairQueue(): FairQueue {
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
      tail = result.catch(() => undefined); // the caller hears of it; the next work does not depend on it
      return result;
    },
  };
}
