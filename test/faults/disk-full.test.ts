import { describe, expect, test } from "@jest/globals";
import { renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { beside, fill, onSmallDisk } from "../process/support/small-disk.ts";
import type { Launch } from "../support/process.ts";
import { swallowedErrors, unknownFullDisk } from "./support/crippled.ts";
import { endInOrder, type Site, useSites } from "./support/ground.ts";
import { type Complaints, judgeThroughService } from "./support/judge.ts";
import { useSeed } from "./support/seed.ts";
import { createWriters, type Writers } from "./support/writers.ts";

const sites = useSites();
const randomOf = useSeed();

/** A service on a disk of its own, with a load on it, and what stands on its disk as it sees it. */
async function serveOnSmallDisk(launch: Launch) {
  const site = await sites.create();
  const { path } = site.place;
  renameSync(path, `${path}.kept`);
  const through = onSmallDisk(path, "8m", 'cp -a "$0.kept/." "$0" && exec "$@"');
  const serving = await site.place.serve([], {}, { ...launch, through });
  const writers = createWriters(site.ground, randomOf(0));
  const filler = join(`/proc/${serving.child.pid}/root${path}`, "filler");
  return { site, serving, writers, filler };
}

type Serving = Awaited<ReturnType<typeof serveOnSmallDisk>>;

/** Fills the disk under load, makes room again, and says what is wrong with what the service makes of it. */
async function writeOverFullDisk(
  launch: Launch = {},
  whileFull: (all: Serving) => Promise<void> = async () => {},
): Promise<Complaints> {
  const all = await serveOnSmallDisk(launch);
  const { site, serving, writers, filler } = all;
  const running = writers.start((writer) => site.connect(serving, writer % 2 === 0 ? "1.1" : "2"));
  await running.reach(50);
  fill(filler);
  await running.failed;
  const complaints = [...(await judgeReads(site, serving, writers))];
  await whileFull(all);
  rmSync(filler);
  // Writers who were refused try again. Where none gets through, all have ended.
  await running.reach(50).catch(() => complaints.push("no write after there was room"));
  running.end();
  await running.ended;
  const odd = writers.others.filter(({ ending }) => ending.kind === "cut" || ending.status !== 503);
  complaints.push(...odd.map(({ method, ending }) => `${method}: ${JSON.stringify(ending)}`));
  complaints.push(...(await judgeThroughService(site.connect(serving), writers, "all")));
  const code = await endInOrder(serving);
  return code === 0 ? complaints : [...complaints, `it ended with ${code}`];
}

/** Reads go on while writes are refused. */
async function judgeReads(site: Site, serving: Serving["serving"], writers: Writers): Promise<Complaints> {
  const caller = site.connect(serving);
  const complaints: string[] = [];
  for (const thing of writers
    .things("all")
    .filter(({ kind, id }) => kind === "project" && id !== undefined)) {
    const ending = await caller.call("ProjectService/GetProject", { id: thing.id });
    const isFound = ending.kind === "answer" || (ending.kind === "refused" && ending.code === 5); // removed
    if (!isFound) complaints.push(`a read: ${JSON.stringify(ending)}`);
  }
  const { status } = await fetch(`${serving.url}/readyz`);
  return status === 200 ? complaints : [...complaints, `readyz: ${status}`];
}

describe("a disk that gets full under load", () => {
  test("refuses writes as UNAVAILABLE, serves reads, loses nothing, and takes writes again when there is room", async () => {
    const complaints = await writeOverFullDisk({}, async ({ site, serving }) => {
      const answer = await fetch(`${serving.url}/v1/projects`, {
        method: "POST",
        headers: { authorization: `Bearer ${site.token}`, "content-type": "application/json" },
        body: JSON.stringify({ name: "refused" }),
      });
      expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "5"]);
      const examined = await site.place.run(["doctor"], {}, { through: beside(serving.child.pid) });
      expect(examined).toMatchObject({ code: 1, stderr: "" });
      expect(examined.stdout.split("\n").filter((line) => line.startsWith("FAILED"))).toEqual([
        expect.stringMatching(/^FAILED {2}disk: 0 MiB free where the folder is; make room$/),
      ]);
    });
    expect(complaints).toEqual([]);
  });
});

describe("control: the same load catches a build", () => {
  test("that takes a full disk for a bug of its own", async () => {
    const complaints = await writeOverFullDisk(sites.cripple(unknownFullDisk));
    expect(complaints).toContainEqual(expect.stringMatching(/"code":13,"status":500/));
  });

  test("that acknowledges a commit that failed", async () => {
    const complaints = await writeOverFullDisk(sites.cripple(swallowedErrors));
    expect(complaints).toContainEqual(expect.stringMatching(/^lost: /));
  });
});
