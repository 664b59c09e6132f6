/** A deadline that has been set. */
export interface Deadline {
  /** Clears the deadline. Harmless to repeat. */
  clear(): void;
  /** Treats the deadline as missed now. */
  miss(): void;
}

/** Deadlines that all have the same duration. */
export interface Deadlines {
  /** Sets a deadline. Calls `onLate` once, unless it is cleared before. */
  set(onLate: () => void): Deadline;
  /** Returns the deadline that is due first. */
  first(): Deadline | undefined;
}

/** A member of the list, or its two ends. */
interface Link {
  before: Link | undefined;
  after: Link | undefined;
}

/**
 * A member of a linked list. A Set makes a new table every few calls, and the old tables, with everything in them,
 * can outlive several collections of garbage. For the same reason a removed member points to nothing.
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

/** Creates deadlines that share one timer: each call sets two of them, and nearly none is missed. */
export function createDeadlines(timeoutMs: number): Deadlines {
  // Ordered by when they are due.
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
