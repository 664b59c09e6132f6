import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { create } from "@bufbuild/protobuf";
import { performance } from "node:perf_hooks";
import { HealthCheckRequestSchema } from "../../gen/grpc/health/v1/health_pb.ts";
import { Health } from "../../gen/grpc/health/v1/health_pb.ts";
import { OrganizationService } from "../../gen/gatehouse/v1/organization_service_pb.ts";
import { callGrpc, createGrpcClient } from "../sites/rpc/support/rpc.ts";
import type { ServingProcess } from "../support/process.ts";
import { type Crowd, type Endings, gatherCrowd } from "./support/burst.ts";
import { liveMb, withMemoryProbe } from "./support/live-memory.ts";
import { type ConnectedService, type Place, usePlaces } from "./support/place.ts";
import { dump } from "./support/tables.ts";

// More calls at once than are done at a time: 1,680 from 14 connections, where 64 may be under way.

const maxCalls = 64;
const createPlace = usePlaces();

let place: Place;
let serving: ServingProcess;
let service: ConnectedService;
let crowd: Crowd;
const endings = new Map<string, string>();

beforeAll(async () => {
  place = createPlace();
  serving = await place.serve(["--max-calls", String(maxCalls)], {}, withMemoryProbe);
  service = place.connect(serving);
  crowd = gatherCrowd(serving.url, place.adminToken());
});
afterAll(() => crowd.close());

async function burst(prefix: string): Promise<Endings> {
  const ended = await crowd.burst(prefix);
  for (const [name, ending] of ended) endings.set(name, ending);
  return ended;
}

const countOf = (ended: Endings, wanted: string) =>
  [...ended.values()].filter((each) => each === wanted).length;

/** Returns the median time of calls that come one after the other. */
async function timeOfCall(): Promise<number> {
  const times: number[] = [];
  for (let count = 0; count < 101; count++) {
    const startedMs = performance.now();
    await service.call(OrganizationService.method.listOrganizations, {});
    times.push(performance.now() - startedMs);
  }
  return times.toSorted((left, right) => left - right)[50] ?? Number.NaN;
}

async function metric(name: string): Promise<number> {
  const text = await (await fetch(`${serving.url}/metrics`)).text();
  return Number(new RegExp(`^${name} (\\S+)$`, "m").exec(text)?.[1]);
}

describe("a burst of more calls than are done at a time", () => {
  test("is answered call by call: done, or refused", async () => {
    const ended = await burst("first");
    expect(ended.size).toBe(crowd.size);
    expect([...new Set(ended.values())].toSorted()).toEqual(["OK", "TOO_MANY_CALLS"]);
    expect(countOf(ended, "OK")).toBeGreaterThanOrEqual(maxCalls);
    expect(await metric("gatehouse_calls_refused_total")).toBe(countOf(ended, "TOO_MANY_CALLS"));
    expect(await metric("gatehouse_calls_in_flight")).toBe(1); // the question itself
    expect(await metric("gatehouse_writes_waiting")).toBe(0);
    expect(await metric("gatehouse_loop_delay_seconds_count")).toBeGreaterThan(0);
    await serving.logged("calls.refused");
  });

  test("does not hide how the service is", async () => {
    const client = createGrpcClient(Number(new URL(serving.url).port));
    const over = new AbortController();
    const seen: unknown[] = [];
    const looking = (async () => {
      while (!over.signal.aborted) {
        const [page, check] = await Promise.all([
          fetch(`${serving.url}/readyz`),
          callGrpc(client, Health.method.check, create(HealthCheckRequestSchema)),
        ]);
        seen.push([page.status, check.error?.code, check.answer?.status]);
      }
    })();
    for (let round = 0; round < 3; round++)
      expect(countOf(await burst(`seen ${round}`), "TOO_MANY_CALLS")).toBeGreaterThan(0);
    over.abort();
    await looking;
    client.close();
    expect(seen.length).toBeGreaterThan(1);
    for (const each of seen) expect(each).toEqual([200, undefined, 1]);
  });

  test("leaves no memory behind, and calls afterwards take as long as before", async () => {
    await timeOfCall(); // warm
    const beforeMs = await timeOfCall();
    const beforeMb = await liveMb(serving);
    for (let round = 0; round < 5; round++) {
      await burst(`memory ${round}`);
      expect((await liveMb(serving)) - beforeMb).toBeLessThan(5);
    }
    // The machine may have become busy meanwhile; what a burst had left behind would stay.
    let afterMs = Number.POSITIVE_INFINITY;
    for (let round = 0; round < 10 && !(afterMs < 3 * beforeMs + 2); round++)
      afterMs = Math.min(afterMs, await timeOfCall());
    expect(afterMs).toBeLessThan(3 * beforeMs + 2);
  });

  test("leaves exactly what was acknowledged", async () => {
    crowd.close();
    expect(await serving.stop()).toBe(0);
    const acknowledged = [...endings].filter(([, ending]) => ending === "OK").map(([name]) => name);
    const { projects = [], events = [] } = dump(place.file("gatehouse.db"), ["projects", "events"]);
    expect(new Set(projects.map(({ name }) => name))).toEqual(new Set(acknowledged));
    expect(projects).toHaveLength(acknowledged.length);
    expect(events.filter(({ type }) => type === "project.added")).toHaveLength(acknowledged.length);
  });
});
