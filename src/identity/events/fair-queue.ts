import { performance } from "node:perf_hooks";

/** Runs work that is not urgent in the order in which it came, with pauses for other work. */
export interface FairQueue {
  /** Runs the work when its turn comes, and resolves with its result. */
  run<T>(work: () => Promise<T>): Promise<T>;
}

/** No further work begins in a turn of the event loop that has lasted this long. */
const maxTurnMs = 5;
/** As many as a database on another machine answers at the same time. */
const maxAtOnce = 8;

/**
 * Creates a queue for all watches to share. A read that is short for one watch is long for the service when a hundred watches
 * read at once, and reads that follow each other directly leave the event loop no time for other work. A read that is not done
 * at the end of its turn waits for another machine: the next one begins beside it.
 */
export function createFairQueue(): FairQueue {
  const waiting: (() => Promise<void>)[] = [];
  let underWay = 0;
  let isBeginning = false;
  let endMs = 0;
  const beginAll = async (): Promise<void> => {
    if (isBeginning) return;
    isBeginning = true;
    for (let next = take(); next !== undefined; next = take()) {
      if (performance.now() >= endMs) {
        await new Promise(setImmediate);
        endMs = performance.now() + maxTurnMs;
      }
      underWay += 1;
      await Promise.race([next().then(onEnd), new Promise(setImmediate)]);
    }
    isBeginning = false;
  };
  const take = () => (underWay < maxAtOnce ? waiting.shift() : undefined);
  const onEnd = () => {
    underWay -= 1;
    void beginAll();
  };
  return {
    run: (work) =>
      new Promise((resolve, reject) => {
        waiting.push(() => work().then(resolve, reject));
        void beginAll();
      }),
  };
}
