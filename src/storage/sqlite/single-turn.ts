/**
 * Lets work await nothing but its transaction. SQLite answers at once, so such work ends within one turn of the event loop;
 * work that does not is a bug that would hold up every other caller, and is refused.
 */
export interface SingleTurn {
  /** Does the work and returns its result, or fails when it is not there at the end of the turn. One at a time. */
  run<T>(work: () => Promise<T>): Promise<T>;
  /** Gives the work under way another turn, after what else there is to do. */
  pause(): Promise<void>;
}

/** Creates turns that look at their end once, however much work there is in one. */
export function createSingleTurn(): SingleTurn {
  let isLooking = false;
  let fail: ((error: Error) => void) | undefined;
  const onTurnEnd = () => {
    isLooking = false;
    fail?.(new Error("a transaction awaited something other than its statements"));
  };
  const look = (reject: (error: Error) => void) => {
    fail = reject;
    if (!isLooking) setImmediate(onTurnEnd);
    isLooking = true;
  };
  return {
    async pause() {
      const current = fail;
      fail = undefined;
      await new Promise(setImmediate);
      if (current !== undefined) look(current);
    },
    run: (work) =>
      new Promise((resolve, reject) => {
        look(reject);
        const settle = () => {
          if (fail === reject) fail = undefined;
        };
        work().then(
          (value) => {
            settle();
            resolve(value);
          },
          (error: unknown) => {
            settle();
            reject(error);
          },
        );
      }),
  };
}
