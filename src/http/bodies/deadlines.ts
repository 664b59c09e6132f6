/** Something that must be over in time. */
export interface Deadline {
  /** To be called when it is over. Harmless to repeat. */
  clear(): void;
  /** Does at once what happens when it is missed. */
  miss(): void;
}

/** Deadlines that are all the same time ahead when they are set. */
export interface Deadlines {
  /** Calls `onLate` once, unless the deadline is cleared before. */
  set(onLate: () => void): Deadline;
  /** Returns the one that is due first. */
  first(): Deadline | undefined;
}

/** A member of the list, or its two ends. */
interface Link {
  before: Link | undefined;
  after: Link | undefined;
}

/**
 * A member of a list, not of a Set: that makes itself a new table every few calls, and the old ones, with what was in them,
 * can outlive several collections of garbage. What is taken out points to nothing for the same reason.
 */
class Waiting implements Deadline, Link {
  readonly dueMs: number;
  onLate: (() => void) | undefined;
  before: Link | undefined;
  after: Link | undefined;

  constructor(last: Link, dueMs: number, onLate: () => void) {
    this.dueMs = dueMs;
    this.onLate = onLate;
    this.before = last.before;
    this.after = last;
    if (last.before !== undefined) last.before.after = this;
    last.before = this;
  }

  clear(): void {
    if (this.before !== undefined) this.before.after = this.after;
    if (this.after !== undefined) this.after.before = this.before;
    this.before = undefined;
    this.after = undefined;
    this.onLate = undefined;
  }

  miss(): void {
    const { onLate } = this;
    this.clear();
    onLate?.();
  }
}

/** Creates deadlines with one timer for all of them: each call sets two, and nearly none is missed. */
export function createDeadlines(timeoutMs: number): Deadlines {
  // In the order in which they are due.
  const start: Link = { before: undefined, after: undefined };
  const end: Link = { before: start, after: undefined };
  start.after = end;
  const first = () => (start.after instanceof Waiting ? start.after : undefined);
  let isTiming = false;
  const look = (): void => {
    isTiming = false;
    for (let next = first(); next !== undefined; next = first()) {
      const leftMs = next.dueMs - performance.now();
      if (leftMs > 0) return wait(leftMs);
      next.miss();
    }
  };
  const wait = (ms: number): void => {
    isTiming = true;
    setTimeout(look, Math.ceil(ms)).unref();
  };
  return {
    set(onLate) {
      const waiting = new Waiting(end, performance.now() + timeoutMs, onLate);
      if (!isTiming) wait(timeoutMs);
      return waiting;
    },
    first,
  };
}
