import { fork } from "node:child_process";
import { once } from "node:events";
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
      await work();
      return toWaits((await ask("end")) as ProbeWindow); // what the prober answers
    },
    stop: () => void child.kill(),
  };
}

function toWaits({ latenciesMs, failures }: ProbeWindow): Waits {
  const sorted = latenciesMs.toSorted((left, right) => left - right);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return { count: sorted.length, medianMs: at(0.5), p99Ms: at(0.99), longestMs: at(1), failures };
}

/** Returns one line about a window. */
export function describeWaits(name: string, { count, medianMs, p99Ms, longestMs }: Waits): string {
  const figures = [medianMs, p99Ms, longestMs].map((value) => value.toFixed(1).padStart(7));
  return `  ${name.padEnd(24)} ${String(count).padStart(5)} calls  median ${figures[0]}  p99 ${figures[1]}  longest ${figures[2]} ms`;
}
