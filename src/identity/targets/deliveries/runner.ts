import type { Known } from "./read-batch.ts";
import { deliverDue, type SessionPorts } from "./session.ts";

/** What delivers for one target, in one session after the other. */
export interface Runner {
  /** Delivers what is due, or looks again if it does so already. */
  wake(): void;
  /** Begins again if nothing could go to the target, or it waits for its time: something has changed. */
  unblock(): void;
  /** Begins again if it is time to. */
  tick(nowMs: number): void;
  isBusy(): boolean;
  /** Resolves when nothing is under way. */
  ended(): Promise<void>;
}

/** What a runner is about. */
export interface RunnerOptions {
  readonly id: string;
  readonly isStopped: () => boolean;
  readonly signal: AbortSignal;
  /** How long this process waits for another one to begin. */
  readonly afterMs: () => number;
  readonly onError: (error: unknown) => void;
}

/** The pause after an error of the storage. */
const errorPauseMs = 5000;

/** Creates the runner of a target, which does nothing until it is woken. */
export function createRunner(ports: SessionPorts, options: RunnerOptions): Runner {
  const { clock } = ports.context;
  const bell = createBell(options.isStopped);
  let running: Promise<void> | undefined;
  let known: Known | undefined;
  let nextMs = Infinity;
  let isBlocked = false;

  const session = async (): Promise<void> => {
    try {
      const ended = await deliverDue(ports, { ...options, known, waitForNews: bell.wait });
      ({ known, nextMs } = ended);
      isBlocked = ended.isBlocked === true;
    } catch (error) {
      if (!options.signal.aborted) options.onError(error);
      [known, nextMs] = [undefined, clock.nowMs() + errorPauseMs];
    }
  };
  const run = async (): Promise<void> => {
    const isDue = () => nextMs <= clock.nowMs() || (nextMs === Infinity && bell.isRung());
    do {
      bell.take();
      await session();
    } while (!options.isStopped() && isDue());
    running = undefined;
  };
  const begin = (): void => {
    if (!options.isStopped()) running ??= run();
  };
  return {
    wake() {
      bell.ring();
      if (running !== undefined || (nextMs !== Infinity && !isBlocked)) return;
      const afterMs = options.afterMs();
      if (afterMs === 0) begin();
      else nextMs = Math.min(nextMs, clock.nowMs() + afterMs);
    },
    unblock() {
      if (running !== undefined) bell.ring();
      else if (nextMs !== Infinity) begin();
    },
    tick(nowMs) {
      if (nextMs <= nowMs) begin();
    },
    isBusy: () => running !== undefined,
    ended: async () => await running,
  };
}

/** Creates a bell to wait for, which may ring before the wait begins. It does not wait once the service stops. */
function createBell(isStopped: () => boolean) {
  let isRung = false;
  let onRing = () => {};
  const take = (): boolean => {
    const was = isRung;
    isRung = false;
    return was;
  };
  return {
    isRung: () => isRung,
    take,
    ring() {
      isRung = true;
      onRing();
    },
    /** Resolves to true once it rings, and to false if it does not for so long. */
    async wait(ms: number): Promise<boolean> {
      if (isRung || isStopped()) return take();
      await new Promise<void>((resolve) => {
        const done = () => {
          clearTimeout(timer);
          onRing = () => {};
          resolve();
        };
        const timer = setTimeout(done, ms);
        onRing = done;
      });
      return take();
    },
  };
}
