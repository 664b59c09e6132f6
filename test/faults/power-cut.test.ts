import { beforeAll, describe, expect, test } from "@jest/globals";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { openReadonly } from "../process/support/tables.ts";
import type { Launch } from "../support/process.ts";
import { makeTemporaryFolder } from "../support/temporary.ts";
import { noFsync } from "./support/crippled.ts";
import { endInOrder, kill, type Site, useSites } from "./support/ground.ts";
import { type Complaints, judgeDatabase, judgeThroughService, rebuildDifferences } from "./support/judge.ts";
import { cutPower, type Keeping, readFolder, readTrace, type Recording } from "./support/power.ts";
import { useSeed } from "./support/seed.ts";
import { recordWrites, requireStrace } from "./support/strace.ts";
import { type Acknowledged, createWriters, type Writers } from "./support/writers.ts";

const sites = useSites();
const randomOf = useSeed();
const writes = 400;
const cuts = 300;
/** Of so many cuts one is rebuilt from the log. */
const thoroughEvery = 30;

/** A load, and all that the disk was told during it. */
interface Run {
  readonly site: Site;
  readonly writers: Writers;
  readonly recording: Recording;
  /** The sequences of all events at the end. */
  readonly sequences: readonly number[];
}

/** Serves under the recorder, writes, and kills in the middle of it. */
async function record(index: number, launch: Launch = {}): Promise<Run> {
  const site = await sites.create();
  const before = readFolder(site.place.path);
  const trace = `${site.place.path}.trace`;
  const serving = await site.place.serve([], {}, { ...launch, ...recordWrites(trace) });
  const writers = createWriters(site.ground, randomOf(index));
  const shared = site.connect(serving, "2");
  const running = writers.start((writer) => (writer % 2 === 0 ? shared : site.connect(serving)));
  await running.reach(writes);
  running.end();
  await kill(serving);
  await running.ended;
  const calls = readTrace(readFileSync(trace, "latin1"), site.place.path);
  rmSync(trace);
  const database = openReadonly(site.place.file("gatehouse.db"));
  const sequences = database
    .prepare<[], number>("SELECT sequence FROM events ORDER BY sequence")
    .pluck()
    .all();
  database.close();
  return { site, writers, recording: { calls, before }, sequences };
}

/** What was acknowledged before that call to the disk began. */
function acknowledgedBefore({ writers, recording }: Run, count: number): readonly Acknowledged[] {
  const atMs = recording.calls[count - 1]?.atMs ?? 0;
  return writers.acknowledged.filter(({ answeredMs }) => answeredMs + 1 < atMs);
}

/** Draws when the power fails: at any call, or just before or after a sync of the database or a change of its names. */
function drawCut({ recording: { calls } }: Run, index: number, first: number): number {
  const random = randomOf(1000 + index);
  const isRare = (call: (typeof calls)[number]) =>
    call.kind === "truncate" || (call.kind === "sync" && call.file === "gatehouse.db");
  const rare = [...calls.keys()].filter(
    (each) => each >= first && isRare(calls[each] as (typeof calls)[number]),
  );
  if (rare.length > 0 && random.chance(0.5)) return random.pick(rare) + random.below(3);
  return first + random.below(calls.length - first + 1);
}

/** Cuts the power, and judges what is left. */
async function judgeCut(run: Run, index: number, keeping: Keeping, isThorough: boolean): Promise<Complaints> {
  const folder = makeTemporaryFolder();
  const to = join(folder.path, "data");
  try {
    // The start of the service was over when it listened; what it does before nobody was told of.
    const count = drawCut(run, index, firstCallOfLoad(run));
    cutPower(run.recording, count, { keeping, random: randomOf(2000 + index), to });
    const acknowledged = acknowledgedBefore(run, count);
    const database = openReadonly(join(to, "gatehouse.db"));
    const judged = judgeDatabase(database, acknowledged);
    const sequences = database
      .prepare<[], number>("SELECT sequence FROM events ORDER BY sequence")
      .pluck()
      .all();
    database.close();
    const complaints = [...judged.complaints];
    // What is left is what there was up to some moment.
    if (sequences.join() !== run.sequences.slice(0, sequences.length).join())
      complaints.push("a gap in the log");
    if (isThorough) complaints.push(...(await rebuildDifferences(to, sequences.length)));
    return complaints;
  } finally {
    folder.remove();
  }
}

function firstCallOfLoad({ writers, recording }: Run): number {
  const firstMs = Math.min(...writers.acknowledged.map(({ sentMs }) => sentMs));
  return recording.calls.findIndex(({ atMs }) => atMs > firstMs) + 1;
}

beforeAll(requireStrace);

describe("a power cut: what was not synced is lost", () => {
  let run: Run;

  beforeAll(async () => {
    run = await record(0);
  });

  test("the recording is whole: all that it holds makes the files that the service has left", () => {
    const folder = makeTemporaryFolder();
    const to = join(folder.path, "data");
    const { calls } = run.recording;
    const everything = [...calls, ...syncsOf(calls), { kind: "sync-folder" as const, atMs: 0 }];
    cutPower({ ...run.recording, calls: everything }, everything.length, {
      keeping: "nothing",
      random: randomOf(0),
      to,
    });
    const left = readFolder(run.site.place.path);
    const replayed = readFolder(to);
    folder.remove();
    expect([...replayed.keys()].toSorted()).toEqual([...left.keys()].toSorted());
    expect(
      [...left].filter(([name, bytes]) => !replayed.get(name)?.equals(bytes)).map(([name]) => name),
    ).toEqual([]);
  });

  test.each(Array.from({ length: cuts }, (_, index) => index))(
    "cut %d: what was acknowledged before is there, and log, tables and indexes agree",
    async (index) => {
      const keeping = (["nothing", "first", "any"] as const)[index % 3] ?? "any";
      expect(await judgeCut(run, index, keeping, index % thoroughEvery === 0)).toEqual([]);
    },
  );

  test("afterwards the service starts, and serves all that was acknowledged", async () => {
    const { site, writers, recording } = run;
    rmSync(site.place.path, { recursive: true });
    cutPower(recording, recording.calls.length, { keeping: "any", random: randomOf(3), to: site.place.path });
    const serving = await site.place.serve();
    expect(await judgeThroughService(site.connect(serving), writers, "all")).toEqual([]);
    expect(await endInOrder(serving)).toBe(0);
    expect(await site.place.run(["doctor"])).toMatchObject({ code: 0, stderr: "" });
  });
});

test("control: the same cuts catch a build with synchronous = OFF", async () => {
  const run = await record(1, sites.cripple(noFsync));
  let caught: Complaints = [];
  for (let index = 0; index < 10 && caught.length === 0; index += 1)
    caught = await judgeCut(run, index, "nothing", false);
  expect(caught).toContainEqual(expect.stringMatching(/^lost: the event /));
});

function syncsOf(calls: Recording["calls"]): Recording["calls"] {
  const files = new Set(calls.flatMap((call) => (call.kind === "sync-folder" ? [] : [call.file])));
  for (const call of calls) if (call.kind === "remove" || call.kind === "rename") files.delete(call.file);
  return [...files].map((file) => ({ kind: "sync" as const, file, atMs: 0 }));
}
