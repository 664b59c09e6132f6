import { beforeAll, describe, expect, test } from "@jest/globals";
import type { JsonObject } from "@bufbuild/protobuf";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { text } from "node:stream/consumers";
import { EventService } from "../../gen/gatehouse/v1/event_service_pb.ts";
import { ProjectService } from "../../gen/gatehouse/v1/project_service_pb.ts";
import { openWatch, streamLanes } from "../api/support/watch.ts";
import type { GatehouseProcess } from "../support/process.ts";
import { createWorld, idOf, uniqueName, type World } from "../support/world.ts";
import { type ConnectedService, type Place, usePlaces, useServedPlaces } from "./support/place.ts";

const createPlace = usePlaces();
const createServedPlace = useServedPlaces(createPlace);
/** Far more than it takes to end what waits for nothing, far less than any limit. */
const promptMs = 4000;

let template: Place;
let world: World;
let all: readonly JsonObject[];

beforeAll(async () => {
  template = createPlace();
  const serving = await template.serve();
  const service = template.connect(serving);
  world = await createWorld(service);
  all = await listEvents(service);
  expect(await serving.stop()).toBe(0);
});

async function listEvents(service: ConnectedService): Promise<readonly JsonObject[]> {
  const answer = await service.call(EventService.method.listEvents, { pageSize: 1000 });
  return answer["events"] as readonly JsonObject[];
}

function createUsedPlace(): Place {
  const place = createPlace();
  cpSync(template.path, place.path, { recursive: true });
  return place;
}

const parse = (stdout: string) =>
  stdout
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line) as JsonObject);

/** Waits until so many whole lines were printed. */
async function printed(running: GatehouseProcess, count: number): Promise<readonly JsonObject[]> {
  for (;;) {
    const lines = parse(running.stdout());
    if (lines.length >= count) return lines;
    const more = Promise.withResolvers<void>();
    running.child.stdout?.once("data", () => more.resolve());
    await Promise.race([more.promise, running.exited]);
    if (running.child.exitCode !== null && parse(running.stdout()).length < count)
      throw new Error(`it ended: ${running.stderr()}`);
  }
}

const addProject = (service: ConnectedService) =>
  service.call(ProjectService.method.addProject, { name: uniqueName("Project") });

describe("gatehouse events", () => {
  test("prints what the list answers, with nobody serving, and leaves the folder as it was", async () => {
    const place = createUsedPlace();
    const files = readdirSync(place.path);
    const { code, stdout, stderr } = await place.run(["events"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(parse(stdout)).toEqual(all);
    for (const secret of [place.adminToken(), world.owner.token, world.phoneCode])
      expect(stdout).not.toContain(secret);
    expect(readdirSync(place.path)).toEqual(files);
  });

  test("narrows down as the list does", async () => {
    const place = createUsedPlace();
    const print = async (...args: string[]) => parse((await place.run(["events", ...args])).stdout);
    const types = all.filter((event) => event["eventType"] === "project.role.added");
    expect(await print("--event-type", "project.role.added")).toEqual(types);
    expect(await print("--aggregate-type", "project", "--limit", "1")).toEqual(
      all.filter((event) => event["aggregateType"] === "project").slice(0, 1),
    );
    const after = idOf(all[5] ?? {}, "sequence");
    expect(await print("--after", after, "--editor", "system")).toEqual([]);
    expect(await print("--after", after)).toEqual(all.slice(6));
    expect(await print("--aggregate-id", world.userId)).toEqual(
      all.filter((event) => event["aggregateId"] === world.userId),
    );
  });

  test("refuses what it does not know, with the exit code for that", async () => {
    const place = createUsedPlace();
    const unknown = await place.run(["events", "--event-type", "project.add"]);
    expect(unknown).toMatchObject({ code: 2, stdout: "" });
    expect(unknown.stderr).toMatch(/^gatehouse: --event-type must be/);
    expect(await place.run(["events", "--after", "-1"])).toMatchObject({ code: 2 });
    expect(await createPlace().run(["events"])).toMatchObject({ code: 1, stdout: "" });
  });

  test("says that the key is the wrong one", async () => {
    const place = createUsedPlace();
    const other = await createServedPlace();
    cpSync(other.file("master.key"), place.file("master.key"));
    const { code, stdout, stderr } = await place.run(["events"]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(/^gatehouse: the key file is wrong: [^\n]*\n$/);
  });

  test("ends well when nobody reads on", async () => {
    const main = join(import.meta.dirname, "../../src/main.ts");
    const place = createUsedPlace();
    const script = `"$0" "$1" events --data "$2" --follow | head -n 2; exit \${PIPESTATUS[0]}`;
    const shell = spawn("bash", ["-c", script, process.execPath, main, place.path], {
      stdio: ["ignore", "pipe", "pipe"],
    });
    const output = Promise.all([text(shell.stdout), text(shell.stderr), once(shell, "close")]);
    // It learns that its reader is gone when it has something to say.
    const serving = await place.serve();
    const service = place.connect(serving);
    while (shell.exitCode === null) await addProject(service);
    const [stdout, stderr, [code]] = await output;
    expect({ code: code as unknown, stderr }).toEqual({ code: 0, stderr: "" });
    expect(parse(stdout)).toEqual(all.slice(0, 2));
    expect(await serving.stop()).toBe(0);
  });

  describe("--follow", () => {
    const signals = ["SIGINT", "SIGTERM"] as const;
    const following: GatehouseProcess[] = [];
    /** What each has printed, and the list at that moment: before the first start, and during each. */
    const seen: (readonly JsonObject[])[][] = [];
    const listed: (readonly JsonObject[])[] = [];

    beforeAll(async () => {
      const place = createUsedPlace();
      following.push(...signals.map(() => place.start(["events", "--follow"])));
      const look = async (events: readonly JsonObject[]) => {
        seen.push(await Promise.all(following.map((each) => printed(each, events.length))));
        listed.push(events);
      };
      await look(all);
      for (let round = 0; round < 2; round += 1) {
        const serving = await place.serve();
        const service = place.connect(serving);
        await addProject(service);
        await look(await listEvents(service));
        await addProject(service);
        await look(await listEvents(service));
        expect(await serving.stop()).toBe(0);
      }
    });

    test.each(signals)("goes on through starts and stops of the service, until %s", async (signal) => {
      const index = signals.indexOf(signal);
      expect(listed.map((events) => events.length - all.length)).toEqual([0, 1, 2, 3, 4]);
      expect(seen.map((each) => each[index])).toEqual(listed);
      following[index]?.child.kill(signal);
      expect(await following[index]?.exited).toBe(0);
      expect(following[index]?.stderr()).toBe("");
    });
  });

  test("--follow reads what is written after a rotation of the keys", async () => {
    const place = createUsedPlace();
    const following = place.start(["events", "--follow"]);
    await printed(following, all.length);
    expect(await place.run(["keys", "rotate"])).toMatchObject({ code: 0 });
    const serving = await place.serve();
    const service = place.connect(serving);
    await createWorld(service);
    const events = await listEvents(service);
    expect(await printed(following, events.length)).toEqual(events);
    following.child.kill("SIGTERM");
    expect(await following.exited).toBe(0);
    expect(await serving.stop()).toBe(0);
  });
});

/** Returns the median of the last ten. */
function medianOfLast(delaysMs: readonly number[]): number {
  return delaysMs.slice(-10).toSorted((left, right) => left - right)[5] ?? Number.NaN;
}

describe("an open watch", () => {
  interface Outcome {
    readonly delaysMs: readonly number[];
    readonly ending: { readonly code: number; readonly reason?: string | undefined };
  }
  const outcomes = new Map<string, Outcome>();
  let code: number | null;
  let stopMs: number;

  beforeAll(async () => {
    const place = createUsedPlace();
    const serving = await place.serve();
    const service = place.connect(serving);
    const afterSequence = BigInt(idOf(all.at(-1) ?? {}, "sequence"));
    const open = streamLanes.map((lane) => ({
      lane,
      watch: openWatch(lane, serving.url, { afterSequence }, { token: service.adminToken }),
      delaysMs: [] as number[],
    }));
    await addProject(service);
    await Promise.all(open.map(({ watch }) => watch.until((events) => events.length === 1)));
    // A busy machine needs more rounds; no polling would ever be as quick.
    const isSlow = () => open.some(({ delaysMs }) => !(medianOfLast(delaysMs) < 100));
    for (let round = 2; round < 12 || (round < 80 && isSlow()); round += 1) {
      await addProject(service);
      const startedMs = performance.now();
      await Promise.all(
        open.map(async ({ watch, delaysMs }) => {
          await watch.until((events) => events.length === round);
          delaysMs.push(performance.now() - startedMs);
        }),
      );
    }
    const startedMs = performance.now();
    const stopped = serving.stop();
    for (const { lane, watch, delaysMs } of open) outcomes.set(lane, { delaysMs, ending: await watch.ended });
    code = await stopped;
    stopMs = performance.now() - startedMs;
  });

  test.each(streamLanes)("over %s hears of a commit at once, and does not hold up a stop", (lane) => {
    const outcome = outcomes.get(lane);
    expect(medianOfLast(outcome?.delaysMs ?? [])).toBeLessThan(100);
    expect(outcome?.ending).toMatchObject({ code: 14, reason: "OVERLOADED" });
    expect(code).toBe(0);
    expect(stopMs).toBeLessThan(promptMs);
  });
});
