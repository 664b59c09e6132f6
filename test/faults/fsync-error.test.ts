import { beforeAll, describe, expect, test } from "@jest/globals";
import { readFileSync, rmSync } from "node:fs";
import type { Launch } from "../support/process.ts";
import { forgivenCheckpoints, forgivenErrors } from "./support/crippled.ts";
import { endInOrder, kill, type Site, useSites } from "./support/ground.ts";
import { type Complaints, judgeFiles, judgeThroughService } from "./support/judge.ts";
import { useSeed } from "./support/seed.ts";
import { failFsync, requireStrace } from "./support/strace.ts";
import { createWriters, type Writers } from "./support/writers.ts";

const sites = useSites();
const randomOf = useSeed();

/** Writes that are not all acknowledged before such an fsync: a group has no more than there are writers. */
const writersAtOnce = 8;
const enough = (nth: number) => writersAtOnce * nth + 400;

interface Failure {
  readonly site: Site;
  readonly writers: Writers;
  readonly complaints: Complaints;
}

/** Serves with an fsync that fails once, and writes until the process ends or has gone on for long. */
async function writeOver(name: string, nth: number, index: number, launch: Launch = {}): Promise<Failure> {
  const site = await sites.create();
  const noted = `${site.place.path}.trace`;
  const through = failFsync(site.place.file(name), nth, noted);
  const serving = await site.place.serve([], {}, { ...launch, ...through });
  const options = { count: writersAtOnce, isRefusalDoubtful: true };
  const writers = createWriters(site.ground, randomOf(index), options);
  const running = writers.start(() => site.connect(serving));
  const isStillThere = await running.reach(enough(nth)).then(
    () => true,
    () => false,
  );
  running.end();
  const complaints: string[] = [];
  if (isStillThere) {
    complaints.push("the process went on");
    await kill(serving);
  } else if ((await serving.exited) !== 1) complaints.push(`it ended with ${await serving.exited}`);
  else if (!serving.stderr().includes('"storage.lost_write"')) complaints.push("it did not say why");
  await running.ended;
  complaints.push(...judgeTimes(readFileSync(noted, "latin1"), writers));
  rmSync(noted);
  return { site, writers, complaints };
}

/** Says what was acknowledged though it was asked for after the fsync had failed. */
function judgeTimes(noted: string, { acknowledged }: Writers): Complaints {
  const failed = /^\d+\s+(\d+\.\d+) .*\(INJECTED\)$/m.exec(noted)?.[1];
  if (failed === undefined) return ["no fsync failed"];
  const atMs = Number(failed) * 1000;
  const late = acknowledged.filter(({ sentMs }) => sentMs > atMs);
  return late.length === 0 ? [] : [`${late.length} writes were acknowledged after the failure`];
}

beforeAll(requireStrace);

describe("an fsync that fails ends the process, and what was acknowledged before is there", () => {
  const random = randomOf(0);
  test.each([
    ["of the write-ahead log", "gatehouse.db-wal", 15 + random.below(10)],
    ["of the write-ahead log, later", "gatehouse.db-wal", 40 + random.below(80)],
    ["of the database, when the log is moved into it", "gatehouse.db", 5],
    ["of the database, after the gaps in it are cleared", "gatehouse.db", 6],
  ] as const)("%s", async (title, name, nth) => {
    const { site, writers, complaints } = await writeOver(name, nth, title.length);
    expect(complaints).toEqual([]);
    expect(writers.acknowledged.length).toBeGreaterThan(0);
    const { complaints: ofFiles } = await judgeFiles(site.place.path, writers, { isRebuilt: true });
    expect(ofFiles).toEqual([]);
    const serving = await site.place.serve();
    expect(await judgeThroughService(site.connect(serving), writers, "all")).toEqual([]);
    expect(await endInOrder(serving)).toBe(0);
  });
});

describe("control: the same load catches a build that goes on after an I/O error", () => {
  test.each([
    ["of a commit", "gatehouse.db-wal", 20, forgivenErrors],
    ["of a checkpoint", "gatehouse.db", 5, forgivenCheckpoints],
  ] as const)("%s", async (_title, name, nth, crippling) => {
    const { complaints } = await writeOver(name, nth, 0, sites.cripple(crippling));
    expect(complaints).toEqual([
      "the process went on",
      expect.stringMatching(/^\d+ writes were acknowledged after the failure$/),
    ]);
  });
});
