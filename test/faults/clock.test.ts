import { describe, expect, test } from "@jest/globals";
import { join } from "node:path";
import { openWatch } from "../api/support/watch.ts";
import { dump } from "../process/support/tables.ts";
import { usePlaces } from "../process/support/place.ts";
import type { Launch } from "../support/process.ts";
import { UserService } from "../../gen/gatehouse/v1/user_service_pb.ts";
import { idOf } from "../support/world.ts";
import { sequencesOfTheWall } from "./support/crippled.ts";
import { endInOrder, mustCall, useSites } from "./support/ground.ts";
import { type Complaints, judgeFiles, judgeThroughService } from "./support/judge.ts";
import { useSeed } from "./support/seed.ts";
import { createWriters } from "./support/writers.ts";

const sites = useSites();
const createPlace = usePlaces();
const randomOf = useSeed();
const hourMs = 3_600_000;
const preload = join(import.meta.dirname, "../process/support/stepped-clock.ts");
const off = (stepMs: number) => ({ NODE_OPTIONS: `--import ${preload}`, CLOCK_STEP_MS: String(stepMs) });

/** Steps the clock back an hour under load, starts once more with it, and says what is out of order. */
async function stepBack(launch: Launch = {}): Promise<Complaints> {
  const site = await sites.create();
  const { place, token } = site;
  const serving = await place.serve([], off(0), launch);
  const caller = site.connect(serving);
  const writers = createWriters(site.ground, randomOf(0));
  const watch = openWatch("grpc", serving.url, { afterSequence: 0n }, { token });
  watch.ended.catch(() => {});
  const running = writers.start((writer) => site.connect(serving, writer % 2 === 0 ? "1.1" : "2"));
  await running.reach(40);
  const page = await mustCall(caller, "EventService/ListEvents", { pageSize: 5 });
  const before = writers.acknowledged.length;
  serving.child.kill("SIGUSR2");
  await serving.logged("clock.stepped");
  await running.reach(40).catch(() => {}); // the judgement says what was refused
  running.end();
  await running.ended;
  const complaints: string[] = writers.others.map(
    ({ method, ending }) => `${method}: ${JSON.stringify(ending)}`,
  );

  const listed = await listOn(caller, page);
  const written = writers.acknowledged.map(({ sequence }) => sequence);
  const earliest = Math.max(...written.slice(0, Math.max(0, before - 12))); // some were under way at the step
  if (written.slice(before + 12).some((sequence) => sequence <= earliest))
    complaints.push("a sequence went back");
  if (new Set(written).size < written.length) complaints.push("a sequence came twice");
  if (listed.some((sequence, index) => index > 0 && sequence <= (listed[index - 1] ?? 0)))
    complaints.push("the list that was begun before is out of order");
  if (written.some((sequence) => !listed.includes(sequence))) complaints.push("lost: the list lacks events");
  const last = String(listed.at(-1));
  const isSeen = await Promise.race([
    watch.until((events) => events.some(({ sequence }) => String(sequence) === last)).then(() => true),
    new Promise<boolean>((resolve) => {
      setTimeout(() => resolve(false), 3000).unref();
    }),
  ]);
  const seen = watch.events.map(({ sequence }) => Number(sequence));
  if (!isSeen || seen.join() !== listed.join())
    complaints.push("the watch that was open is not like the list");
  if (written.some((sequence) => !seen.includes(sequence))) complaints.push("lost: the watch lacks events");
  watch.cancel();
  complaints.push(...(await judgeThroughService(caller, writers, "all")));
  const code = await endInOrder(serving);
  return code === 0 ? complaints : [...complaints, `it ended with ${code}`];
}

/** Reads on from the page that was got before. Returns the sequences of all. */
async function listOn(caller: Parameters<typeof mustCall>[0], first: Page): Promise<readonly number[]> {
  const sequences: number[] = [];
  for (let page = first; ; ) {
    sequences.push(...page.events.map(({ sequence }) => Number(sequence)));
    if (page.nextPageToken === "") return sequences;
    page = await mustCall(caller, "EventService/ListEvents", { pageSize: 50, pageToken: page.nextPageToken });
  }
}

interface Page {
  readonly events: readonly { readonly sequence: string }[];
  readonly nextPageToken: string;
}

describe("a clock that is set back an hour", () => {
  test("leaves sequences, pages and watches in order, and no write is refused", async () => {
    expect(await stepBack()).toEqual([]);
  });

  test("control: the same catches a build whose sequences follow the clock", async () => {
    const complaints = await stepBack(sites.cripple(sequencesOfTheWall));
    expect(complaints).toContain("a sequence went back");
    expect(complaints).toContain("lost: the watch lacks events");
    expect(complaints).toContainEqual(expect.stringMatching(/"refused"/));
  });

  test("does not turn sequences back, nor make an id twice, across a start", async () => {
    const site = await sites.create();
    const { place } = site;
    const writers = createWriters(site.ground, randomOf(1));
    const sequences: number[][] = [];
    for (const stepMs of [0, -hourMs]) {
      const serving = await place.serve([], off(stepMs));
      const running = writers.start(() => site.connect(serving));
      const before = writers.acknowledged.length;
      await running.reach(40);
      running.end();
      await running.ended;
      expect(await judgeThroughService(site.connect(serving), writers, "all")).toEqual([]);
      expect(await endInOrder(serving)).toBe(0);
      sequences.push(writers.acknowledged.slice(before).map(({ sequence }) => sequence));
    }
    const [before = [], after = []] = sequences;
    expect(Math.min(...after)).toBeGreaterThan(Math.max(...before));
    const ids = writers.things("all").flatMap(({ kind, id }) => (kind === "roles" ? [] : [id]));
    expect(new Set(ids).size).toBe(ids.length);
    expect((await judgeFiles(place.path, writers, { isRebuilt: true })).complaints).toEqual([]);
    expect(dump(place.file("gatehouse.db"), ["events"])["events"]?.length).toBeGreaterThan(80);
    const examined = await place.run(["doctor"], off(-hourMs));
    expect(examined.code).toBe(0);
    expect(examined.stdout).toMatch(
      /\nwarning clock: the last event is 3\d{3} s in the future; correct the clock, or wait/,
    );
  });

  test("lets a token live by the clock on the wall", async () => {
    const place = createPlace();
    const serving = await place.serve();
    const service = place.connect(serving);
    const { user } = await service.call(UserService.method.getMyUser, {});
    const made = await service.call(UserService.method.addPersonalAccessToken, {
      userId: (user as { id: string }).id,
      expirationDate: { seconds: BigInt(Math.floor((Date.now() + hourMs / 2) / 1000)), nanos: 0 },
    });
    const token = idOf(made, "token");
    expect(await serving.stop()).toBe(0);
    const statusAt = async (stepMs: number) => {
      const later = await place.serve([], off(stepMs));
      const headers = { authorization: `Bearer ${token}` };
      const { status } = await fetch(`${later.url}/v1/users/me`, { headers });
      expect(await later.stop()).toBe(0);
      return status;
    };
    expect(await statusAt(hourMs)).toBe(401);
    expect(await statusAt(-hourMs)).toBe(200);
  });
});
