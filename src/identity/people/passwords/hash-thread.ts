import { extname } from "node:path";
import { Worker } from "node:worker_threads";

/** Compares passwords with hashes while this thread does something else: with all but argon2, and with argon2 to measure it. */
export interface HashThread {
  /** Throws if the hash cannot be read, or the thread has ended. */
  verify(encoded: string, password: string): Promise<MeasuredComparison>;
}

/** `cpuMs`: how long the thread computed, whatever else the machine did meanwhile. */
export interface MeasuredComparison {
  readonly isRight: boolean;
  readonly cpuMs: number;
}

/** What the thread is asked. */
export interface AskedComparison {
  readonly id: number;
  readonly encoded: string;
  readonly password: string;
}

/** What the thread answers. `isRight` is undefined if it cannot read the hash. */
export interface Comparison {
  readonly id: number;
  readonly isRight: boolean | undefined;
  readonly cpuMs: number;
}

interface Waiting {
  readonly resolve: (comparison: MeasuredComparison) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Creates the threads of a process, so many at most. One starts when none is free, and ends with the process, which it does not keep
 * alive; one that has ended by itself is replaced. The caller limits how many comparisons there are at once.
 */
export function createHashThread(most = 1): HashThread {
  let threads: readonly Thread[] = [];
  return {
    async verify(encoded, password) {
      threads = threads.filter((thread) => !thread.isOver());
      let [idlest] = threads.toSorted((one, other) => one.waiting() - other.waiting());
      if (idlest === undefined || (idlest.waiting() > 0 && threads.length < most)) {
        idlest = startThread();
        threads = [...threads, idlest];
      }
      return await idlest.verify(encoded, password);
    },
  };
}

interface Thread extends HashThread {
  isOver(): boolean;
  /** How many comparisons it has not answered. */
  waiting(): number;
}

function startThread(): Thread {
  // The file is JavaScript where the service is installed. It needs neither the environment nor the flags of the process.
  const url = new URL(`./hash-worker${extname(import.meta.url)}`, import.meta.url);
  const worker = new Worker(url, { env: {}, execArgv: [] });
  const waiting = new Map<number, Waiting>();
  let count = 0;
  let isOver = false;
  const take = (id: number): Waiting | undefined => {
    const found = waiting.get(id);
    waiting.delete(id);
    if (waiting.size === 0) worker.unref();
    return found;
  };
  const end = (): void => {
    isOver = true;
    for (const id of waiting.keys()) take(id)?.reject(new Error("the thread of hashes has ended"));
  };
  worker.on("message", ({ id, isRight, cpuMs }: Comparison) => {
    const asked = take(id);
    if (isRight === undefined) asked?.reject(new Error("a hash cannot be read"));
    else asked?.resolve({ isRight, cpuMs });
  });
  worker.on("error", end);
  worker.on("exit", end);
  worker.unref();
  return {
    isOver: () => isOver,
    waiting: () => waiting.size,
    verify: (encoded, password) =>
      new Promise((resolve, reject) => {
        count += 1;
        waiting.set(count, { resolve, reject });
        worker.ref();
        // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
        worker.postMessage({ id: count, encoded, password } satisfies AskedComparison);
      }),
  };
}
