import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { create, type JsonObject, toBinary } from "@bufbuild/protobuf";
import { once } from "node:events";
import { connect } from "node:http2";
import { setTimeout as pause } from "node:timers/promises";
import { ApplicationService } from "../../gen/gatehouse/v1/application_service_pb.ts";
import { EventService, WatchEventsRequestSchema } from "../../gen/gatehouse/v1/event_service_pb.ts";
import { ProjectService } from "../../gen/gatehouse/v1/project_service_pb.ts";
import { openWatch, type StreamLane } from "../api/support/watch.ts";
import type { ServingProcess } from "../support/process.ts";
import { idOf, samlMetadata, uniqueName } from "../support/world.ts";
import { liveMb, withMemoryProbe } from "./support/live-memory.ts";
import { type ConnectedService, usePlaces } from "./support/place.ts";

const createPlace = usePlaces();

/** Each event is as large as a document may be, so that together they are far more than a connection holds. */
const documents = 60;
const watchesOfEach = 5;
/** Half of what all of it together takes once for each watch. */
const maxGrowthMb = 290;

/** grpc-js reads on whatever its caller does; for gRPC the client below takes its place. */
const lanes: readonly StreamLane[] = ["grpc-web", "connect-json", "connect-proto"];

/** A watch that takes nothing until it is told to. */
interface Stalled {
  /** Resolves when the first event has arrived: from then on it is up to date, and not one that catches up. */
  readonly begun: Promise<unknown>;
  /** Takes everything, and returns how the watch has ended. */
  readOn(): Promise<{ readonly code: number; readonly reason?: string | undefined }>;
  close(): void;
}

function openStalled(lane: StreamLane, service: ConnectedService, afterSequence: bigint): Stalled {
  if (lane === "grpc") return openStalledGrpc(service, afterSequence);
  const { promise: mayReadOn, resolve } = Promise.withResolvers<void>();
  const options = { token: service.adminToken, onEvent: () => mayReadOn };
  const watch = openWatch(lane, service.url, { afterSequence }, options);
  return {
    begun: watch.until((events) => events.length > 0),
    readOn() {
      resolve();
      return watch.ended;
    },
    close: watch.cancel,
  };
}

function openStalledGrpc({ url, adminToken }: ConnectedService, afterSequence: bigint): Stalled {
  const session = connect(url);
  session.on("error", () => {});
  const stream = session.request({
    ":method": "POST",
    ":path": "/gatehouse.v1.EventService/WatchEvents",
    "content-type": "application/grpc",
    te: "trailers",
    authorization: `Bearer ${adminToken}`,
  });
  stream.on("error", () => {});
  const body = toBinary(WatchEventsRequestSchema, create(WatchEventsRequestSchema, { afterSequence }));
  stream.end(Buffer.from([0, 0, 0, 0, body.length, ...body]));
  // On a busy machine it can end before anything large was sent, so before anybody reads on.
  const trailers = once(stream, "trailers") as Promise<[Readonly<Record<string, unknown>>]>; // its arguments
  trailers.catch(() => {}); // of one that is closed
  return {
    begun: once(stream, "readable"),
    async readOn() {
      stream.on("data", () => {}).resume();
      const [fields] = await trailers;
      const details = Buffer.from(String(fields["grpc-status-details-bin"]), "base64").toString("latin1");
      session.close();
      return { code: Number(fields["grpc-status"]), reason: /[A-Z]+_[A-Z]+/.exec(details)?.[0] };
    },
    close: () => session.destroy(),
  };
}

function largeMetadata(): Uint8Array {
  const entityId = `https://sp.example.com/${uniqueName("entity").replaceAll(" ", "-")}`;
  return Buffer.concat([samlMetadata(entityId), Buffer.from(`<!--${"x".repeat(480_000)}-->`)]);
}

async function addDocuments(service: ConnectedService, count: number): Promise<void> {
  const project = await service.call(ProjectService.method.addProject, { name: uniqueName("Project") });
  for (let index = 0; index < count; index += 1)
    await service.call(ApplicationService.method.createSamlApplication, {
      projectId: idOf(project, "id"),
      name: uniqueName("Application"),
      metadataXml: largeMetadata(),
    });
}

async function processed(service: ConnectedService): Promise<bigint> {
  const answer = await service.call(EventService.method.listEvents, { pageSize: 1 });
  return BigInt(idOf(answer["details"] as JsonObject, "processedSequence"));
}

/** Waits until the metrics of the service have a line that begins so, and returns it. */
async function waitForMetric(serving: ServingProcess, beginning: string): Promise<string> {
  for (;;) {
    const text = await (await fetch(`${serving.url}/metrics`)).text();
    const line = text.split("\n").find((each) => each.startsWith(beginning));
    if (line !== undefined) return line;
    await pause(20);
  }
}

describe("a watch whose reader does not keep up", () => {
  test("holds little memory meanwhile, and ends with RESOURCE_EXHAUSTED when it reads on", async () => {
    const place = createPlace();
    const serving = await place.serve(
      ["--watch-max-lag-ms", "300", "--write-timeout-ms", "600000"],
      {},
      withMemoryProbe,
    );
    const service = place.connect(serving);
    const afterSequence = await processed(service);
    const open = ([...lanes, "grpc"] as const).flatMap((lane) =>
      Array.from({ length: watchesOfEach }, () => openStalled(lane, service, afterSequence)),
    );
    await service.call(ProjectService.method.addProject, { name: uniqueName("Project") });
    await Promise.all(open.map((stalled) => stalled.begun));
    const beforeMb = await liveMb(serving);
    await addDocuments(service, documents);
    const afterMb = await liveMb(serving);
    for (const [index, ending] of (await Promise.all(open.map((stalled) => stalled.readOn()))).entries())
      expect([index, ending]).toMatchObject([index, { code: 8, reason: "LIMIT_REACHED" }]);
    expect(afterMb - beforeMb).toBeLessThan(maxGrowthMb);
    expect(await serving.stop()).toBe(0);
  }, 120_000);

  // The metrics tell two of a service apart.
  describe.each([
    ["grpc-web", "connect-json"],
    ["grpc", "connect-proto"],
  ] as const)("is cut off when it never reads again,", (...together) => {
    let serving: ServingProcess;
    let open: readonly Stalled[];

    beforeAll(async () => {
      const place = createPlace();
      serving = await place.serve(["--write-timeout-ms", "500"]);
      const service = place.connect(serving);
      open = together.map((lane) => openStalled(lane, service, 0n));
      await addDocuments(service, 20);
    }, 60_000);

    afterAll(async () => {
      for (const stalled of open) stalled.close();
      expect(await serving.stop()).toBe(0);
    });

    test.each(together)(
      "over %s",
      async (lane) => {
        const name = lane.startsWith("connect") ? "connect" : lane;
        const call = `gatehouse_calls_total{method="gatehouse.v1.EventService/WatchEvents",lane="${name}"`;
        expect(await waitForMetric(serving, call)).toMatch(/\} 1$/);
      },
      60_000,
    );
  });
});
