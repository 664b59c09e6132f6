import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createLaneClient, type Lane, type LaneClient, lanes } from "../../support/clients.ts";
import { parseLog, serveGatehouse, type ServingProcess } from "../../support/process.ts";
import { answerOf, type CallableService } from "../../support/service.ts";
import { makeTemporaryFolder } from "../../support/temporary.ts";
import { createWorld, type World } from "../../support/world.ts";
import type { NameTable, ProcessorTime, Question, Sample } from "./probe.ts";

const probe = join(import.meta.dirname, "probe.ts");

/** A service in a process of its own, with a probe inside. */
export interface Lab extends CallableService {
  readonly url: string;
  readonly host: string;
  readonly port: number;
  readonly dataFolder: string;
  readonly process: ServingProcess;
  /** Collects garbage in the service and says how it is. */
  sample(): Promise<Sample>;
  /** Says what names the service finds from now on; all others do not resolve. */
  setNames(names: NameTable): Promise<void>;
  /** Returns the longest delay of the event loop in milliseconds, and begins to look for it anew. */
  resetDelay(): Promise<number>;
  /** Does something, and returns how long the main thread of the service worked meanwhile, in milliseconds of its own time. */
  workedMs(work: () => Promise<unknown>): Promise<number>;
  /** The same of the longest turn of its event loop, in which it does nothing else. */
  longestTurnMs(work: () => Promise<unknown>): Promise<number>;
  /** Returns the lines of the log that tell of a fault: level error or above. */
  faults(): readonly object[];
  /** Ends it, and returns the exit code. The data folder stays. */
  stop(): Promise<number | null>;
  /** Removes the data folder. */
  remove(): void;
  /** Ends it and removes the data folder. */
  discard(): Promise<void>;
}

/** How a lab is started, where that matters. */
export interface LabSetup {
  /** A data folder of a lab that was stopped, to go on there. */
  readonly folder?: { readonly path: string; readonly remove: () => void };
  readonly environment?: Readonly<Record<string, string>>;
}

/** Starts a service. */
export async function startLab(
  flags: readonly string[] = [],
  { folder = makeTemporaryFolder(), environment = {} }: LabSetup = {},
): Promise<Lab> {
  const { path, remove } = folder;
  const serving = await serveGatehouse(["--data", path, ...flags], environment, {
    node: ["--expose-gc", "--import", probe],
  });
  const { child } = serving;
  const clients = Object.fromEntries(
    lanes.map((lane) => [lane, createLaneClient(lane, serving.url)]),
  ) as Record<Lane, LaneClient>; // every lane is in it
  const adminToken = readFileSync(join(path, "admin.token"), "utf8").trim();
  const { hostname, port } = new URL(serving.url);
  const ask = async (question: Question): Promise<unknown> => {
    const answer = once(child, "message");
    child.send(question);
    const [value] = await answer;
    return value;
  };
  const processorTime = async () => (await ask("processor-time")) as ProcessorTime; // what the probe answers
  const stop = async () => {
    for (const client of Object.values(clients)) client.close();
    return await serving.stop();
  };
  return {
    url: serving.url,
    host: hostname,
    port: Number(port),
    dataFolder: path,
    process: serving,
    adminToken,
    clients,
    call: async (method, request, token = adminToken) =>
      answerOf(await clients.json.call(method, request, { token })),
    sample: async () => (await ask("sample")) as Sample, // what the probe answers
    setNames: async (names) => void (await ask({ names })),
    resetDelay: async () => Number(await ask("reset-delay")),
    async workedMs(work) {
      const { totalMs } = await processorTime();
      await work();
      return (await processorTime()).totalMs - totalMs;
    },
    async longestTurnMs(work) {
      await ask("begin-turns");
      await work();
      return (await processorTime()).longestTurnMs;
    },
    faults: () => parseLog(serving.stderr()).filter((line) => Number(line["level"]) >= 50),
    stop,
    remove,
    async discard() {
      await stop();
      remove();
    },
  };
}

/** Starts a service with one object of each kind in it. */
export async function startLabWithWorld(): Promise<{ readonly lab: Lab; readonly world: World }> {
  const lab = await startLab();
  return { lab, world: await createWorld(lab) };
}
