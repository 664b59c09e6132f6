import { fork } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ProjectService } from "../../../gen/gatehouse/v1/project_service_pb.ts";
import { createCaller, createWorld, idOf, uniqueName } from "../../support/world.ts";
import type { Lab } from "./lab.ts";
import type { ProberSetup, ProbeWindow } from "./prober.ts";

/** How long an ordinary caller waited in a window. */
export interface Waits {
  readonly count: number;
  readonly medianMs: number;
  readonly p99Ms: number;
  readonly longestMs: number;
  /** The share of the time of all processors that other machines on the same hardware took meanwhile, 0 to 1. */
  readonly stolen: number;
  readonly failures: readonly string[];
}

/** An ordinary caller in an organization of its own. */
export interface Probing {
  /** Measures while the work goes on. */
  during(work: () => Promise<unknown>): Promise<Waits>;
  stop(): void;
}

export async function startProbing(lab: Lab, callsPerSecond = 60): Promise<Probing> {
  const { organizationId, owner } = await createWorld(lab);
  const own = createCaller(lab, organizationId, owner.token);
  const project = await own(ProjectService.method.addProject, { name: uniqueName("Probed") });
  const setup: ProberSetup = {
    url: lab.url,
    token: owner.token,
    projectId: idOf(project, "id"),
    callsPerSecond,
  };
  const child = fork(join(import.meta.dirname, "prober.ts"), [JSON.stringify(setup)], { execArgv: [] });
  const ask = async (word: string): Promise<unknown> => {
    const answer = once(child, "message");
    child.send(word);
    const [value] = await answer;
    return value;
  };
  return {
    async during(work) {
      await ask("begin");
      const before = processorTimes();
      await work();
      const stolen = stolenBetween(before, processorTimes());
      return toWaits((await ask("end")) as ProbeWindow, stolen); // what the prober answers
    },
    stop: () => void child.kill(),
  };
}

/** Returns the ticks of all processors by use: user, nice, system, idle, iowait, irq, softirq, steal (proc_stat(5)). */
function processorTimes(): readonly number[] {
  const [line = ""] = readFileSync("/proc/stat", "utf8").split("\n", 1);
  return line.split(/\s+/).slice(1, 9).map(Number);
}

function stolenBetween(before: readonly number[], after: readonly number[]): number {
  const ticks = after.map((value, index) => value - (before[index] ?? 0));
  const all = ticks.reduce((sum, value) => sum + value, 0);
  return all === 0 ? 0 : (ticks.at(-1) ?? 0) / all;
}

function toWaits({ latenciesMs, failures }: ProbeWindow, stolen: number): Waits {
  const sorted = latenciesMs.toSorted((left, right) => left - right);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return { count: sorted.length, medianMs: at(0.5), p99Ms: at(0.99), longestMs: at(1), stolen, failures };
}

/** Returns one line about a window. */
export function describeWaits(name: string, { count, medianMs, p99Ms, longestMs, stolen }: Waits): string {
  const figures = [medianMs, p99Ms, longestMs].map((value) => value.toFixed(1).padStart(7));
  return `  ${name.padEnd(24)} ${String(count).padStart(5)} calls  median ${figures[0]}  p99 ${figures[1]}  longest ${figures[2]} ms  stolen ${(100 * stolen).toFixed(1)} %`;
}
