import { expect, test } from "@jest/globals";
import type { Launch } from "../support/process.ts";
import { noLock } from "./support/crippled.ts";
import { endInOrder, kill, useSites } from "./support/ground.ts";
import { type Complaints, judgeFiles, judgeThroughService } from "./support/judge.ts";
import { useSeed } from "./support/seed.ts";
import { createWriters } from "./support/writers.ts";

const sites = useSites();
const randomOf = useSeed();

/** Starts a second service on the folder of one under load, and says what is wrong with that. */
async function startSecond(launch: Launch = {}): Promise<Complaints> {
  const { place, ground, connect } = await sites.create();
  const first = await place.serve([], {}, launch);
  const writers = createWriters(ground, randomOf(0));
  const running = writers.start(() => connect(first));
  await running.reach(20);
  const complaints: string[] = [];
  const second = await place.serve([], {}, launch).catch((error: Error) => error.message);
  if (typeof second === "string") {
    const refusal = `gatehouse ended with 1: gatehouse: another process is using the data folder ${place.path}; stop it first\n`;
    if (second !== refusal) complaints.push(second);
  } else {
    const ending = await connect(second).call("ProjectService/AddProject", { name: "of the second" });
    complaints.push(`two services serve the folder; the second writes: ${ending.kind}`);
    await kill(second);
  }
  const lost = await running.reach(20).then(
    () => undefined,
    ({ message }: Error) => `the first serves nobody any more: ${message}`,
  );
  if (lost !== undefined) return [...complaints, lost];
  running.end();
  await running.ended;
  complaints.push(...(await judgeThroughService(connect(first), writers, "all")));
  complaints.push(...writers.others.map(({ method, ending }) => `${method}: ${JSON.stringify(ending)}`));
  const code = await endInOrder(first);
  if (code !== 0) complaints.push(`the first ended with ${code}`);
  complaints.push(...(await judgeFiles(place.path, writers, { isRebuilt: true })).complaints);
  return complaints;
}

test("a second service on the folder of one under load is refused with a line that says why, and disturbs nobody", async () => {
  expect(await startSecond()).toEqual([]);
});

test("control: the same catches a build that takes no lock", async () => {
  expect(await startSecond(sites.cripple(noLock))).toContain(
    "two services serve the folder; the second writes: answer",
  );
});
