import { performance } from "node:perf_hooks";

/** Runs work that is not urgent in the order in which it came, with pauses for other work. */
export interface FairQueue {
  /** Runs the work when its turn comes, and resolves with its result. */
  run<T>(work: () => Promise<T>): Promise<T>;
}

/** No further work begins in a turn of the event loop that has lasted this long. */
const maxTurnMs = 5;

/**
 * Creates a queue for all watches to share. A read that is short for one watch is long for the service when a hundred watches
 * read at once, and reads that follow each other directly leave the event loop no time for other work.
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
      tail = result.catch(() => undefined); // the caller gets the error; the next work runs all the same
      return result;
    },
  };
}
