import type { KnownTargets } from "./known-targets.ts";
import { createRunner, type Runner, type RunnerOptions } from "./runner.ts";
import type { SessionPorts } from "./session.ts";

/** The runners of all targets of a process. */
export interface Runners {
  /** Wakes those of these targets. */
  wake(ids: readonly string[]): void;
  /**
   * Something has changed that decides what may be delivered: those that wait begin again, those of targets that are gone end, and
   * those of changed targets are woken.
   */
  refresh(changed: readonly string[]): void;
  /** Begins those whose time has come. */
  tick(nowMs: number): void;
  /** Resolves when nothing is under way. */
  ended(): Promise<unknown>;
}

/** Creates the runners, which do nothing until they are woken. */
export function createRunners(
  ports: SessionPorts,
  targets: Pick<KnownTargets, "has">,
  options: Omit<RunnerOptions, "id" | "onError"> & {
    readonly onError: (error: unknown, targetId: string) => void;
  },
): Runners {
  const runners = new Map<string, Runner>();
  const runnerOf = (id: string): Runner => {
    const known = runners.get(id);
    if (known !== undefined) return known;
    const made = createRunner(ports, { ...options, id, onError: (error) => options.onError(error, id) });
    runners.set(id, made);
    return made;
  };
  const wake = (ids: readonly string[]) => {
    for (const id of ids) runnerOf(id).wake();
  };
  return {
    wake,
    refresh(changed) {
      for (const [id, runner] of runners) {
        if (targets.has(id)) runner.unblock();
        else if (!runner.isBusy()) runners.delete(id);
      }
      wake(changed);
    },
    tick(nowMs) {
      for (const runner of runners.values()) runner.tick(nowMs);
    },
    ended: () => Promise.all([...runners.values()].map((runner) => runner.ended())),
  };
}
