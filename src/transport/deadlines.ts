/** Something that must be over in time. */
export interface Deadline {
  /** To be called when it is over. */
  clear(): void;
}

/** Deadlines that are all the same time ahead when they are set. */
export interface Deadlines {
  /** Calls `onLate` once, unless the deadline is cleared before. */
  set(onLate: () => void): Deadline;
}

class Waiting implements Deadline {
  readonly dueMs: number;
  readonly onLate: () => void;
  readonly #all: Set<Waiting>;

  constructor(all: Set<Waiting>, dueMs: number, onLate: () => void) {
    this.#all = all;
    this.dueMs = dueMs;
    this.onLate = onLate;
  }

  clear(): void {
    this.#all.delete(this);
  }
}

/** Creates deadlines with one timer for all of them: each call sets two, and nearly none is missed. */
export function createDeadlines(timeoutMs: number): Deadlines {
  const all = new Set<Waiting>(); // in the order in which they are due
  let isTiming = false;
  const look = (): void => {
    isTiming = false;
    for (const waiting of all) {
      const leftMs = waiting.dueMs - performance.now();
      if (leftMs > 0) return wait(leftMs);
      all.delete(waiting);
      waiting.onLate();
    }
  };
  const wait = (ms: number): void => {
    isTiming = true;
    setTimeout(look, Math.ceil(ms)).unref();
  };
  return {
    set(onLate) {
      const waiting = new Waiting(all, performance.now() + timeoutMs, onLate);
      all.add(waiting);
      if (!isTiming) wait(timeoutMs);
      return waiting;
    },
  };
}
