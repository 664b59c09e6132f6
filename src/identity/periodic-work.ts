import type { Leadership } from "../kernel/base/leadership.ts";

/** Work that is repeated in the background. */
export interface PeriodicWork {
  /** Works at once, and then again and again. */
  start(): void;
  /** Does a round now, after the one under way, and returns when it is done. Does nothing unless it was started. */
  runNow(): Promise<void>;
  /** Waits for the work under way. */
  stop(): Promise<void>;
}

/** Repeats some work, one piece after the other. The next round begins `everyMs` after the last one has ended. */
export function createPeriodicWork(options: {
  readonly everyMs: number;
  readonly work: readonly (() => Promise<void>)[];
  /** Only the leader works: rounds of others are left out. Absent: every process works. */
  readonly leadership?: Leadership;
  /** Called for each piece that fails; the others are done all the same. */
  readonly onError: (error: unknown) => void;
}): PeriodicWork {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  let isStopped = false;
  const run = async (): Promise<void> => {
    for (const piece of options.work) {
      if (isStopped) return;
      if (options.leadership !== undefined && options.leadership.term() === undefined) break;
      await piece().catch(options.onError);
    }
    if (!isStopped) timer = setTimeout(begin, options.everyMs).unref();
  };
  const begin = (): void => {
    running = run();
  };
  return {
    start: begin,
    async runNow() {
      const before = running;
      await before;
      if (before === undefined || isStopped) return;
      if (running === before) {
        clearTimeout(timer);
        begin();
      }
      await running; // or a round that began meanwhile
    },
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
