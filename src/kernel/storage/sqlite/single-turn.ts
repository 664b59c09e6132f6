/**
 * Makes sure that work awaits nothing but its transaction. SQLite answers synchronously, so such work ends within one
 * turn of the event loop. Work that does not is a bug that would hold up every other caller; it is refused.
 */
export interface SingleTurn {
  /** Does the work and returns its result, or fails if there is no result at the end of the turn. One at a time. */
  run<T>(work: () => Promise<T>): Promise<T>;
  /** Gives the current work another turn, after other pending work. */
  pause(): Promise<void>;
}

/** Creates the guard. It checks once at the end of a turn, however much work the turn did. */
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
