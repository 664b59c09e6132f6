import { describe, expect, test } from "@jest/globals";
import { performance } from "node:perf_hooks";
import type { Launch } from "../support/process.ts";
import { noWaiting } from "./support/crippled.ts";
import { endInOrder, useSites } from "./support/ground.ts";
import { type Complaints, judgeFiles, judgeThroughService } from "./support/judge.ts";
import { useSeed } from "./support/seed.ts";
import { createWriters } from "./support/writers.ts";

const sites = useSites();
const randomOf = useSeed();

/** Far more than a stop takes that waits for calls of some milliseconds, far less than one that waits for a time-out. */
const promptMs = 4000;

/** Stops a service under load, and says what is wrong with how it ends. */
async function stopUnderLoad(version: "1.1" | "2", index: number, launch: Launch = {}): Promise<Complaints> {
  const { place, ground, connect } = await sites.create();
  const serving = await place.serve([], {}, launch);
  const writers = createWriters(ground, randomOf(index), { count: 32 });
  const shared = [connect(serving, version), connect(serving, version)];
  const running = writers.start((writer) =>
    version === "2" ? (shared[writer % 2] as (typeof shared)[number]) : connect(serving),
  );
  await running.reach(200 + randomOf(index).below(100));
  const startedMs = performance.now();
  const code = await endInOrder(serving);
  const ms = performance.now() - startedMs;
  await running.ended;
  const complaints: string[] = code === 0 && ms < promptMs ? [] : [`it ended with ${code} after ${ms} ms`];
  for (const { method, ending } of writers.others)
    if (ending.kind === "cut" || ending.code !== 14) complaints.push(`${method}: ${JSON.stringify(ending)}`);
  complaints.push(...(await judgeFiles(place.path, writers, { isRebuilt: true })).complaints);
  const again = await place.serve();
  complaints.push(...(await judgeThroughService(connect(again), writers, "all")));
  await endInOrder(again);
  return complaints;
}

describe.each(["1.1", "2"] as const)("SIGTERM under load over HTTP/%s", (version) => {
  test("answers what is under way, refuses the rest, ends with code 0, and everything acknowledged is there", async () => {
    expect(await stopUnderLoad(version, 0)).toEqual([]);
  });

  test("control: the same catches a build that does not wait for the calls under way", async () => {
    const complaints = await stopUnderLoad(version, 1, sites.cripple(noWaiting));
    expect(complaints).toContainEqual(expect.stringMatching(/"kind":"cut"/));
  });
});
