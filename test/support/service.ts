import type { DescMethodUnary, JsonObject, MessageInitShape } from "@bufbuild/protobuf";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { get as getClear, type IncomingMessage } from "node:http";
import { get as getSecure } from "node:https";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import pino, { type Logger } from "pino";
import { type App, type AppParts, startApp } from "../../src/app/app.ts";
import { canaries } from "./canaries.ts";
import {
  createScanner,
  type Leak,
  noteDataFolder,
  refuseLeaks,
  scanFiles,
  scanLog,
  scanMetrics,
  scanOpenApi,
  scanReceived,
  scanTables,
  type Scanner,
} from "./canary-scan.ts";
import { createLaneClient, type Lane, type LaneClient, lanes, type Outcome } from "./clients.ts";
import { createTestClock, type TestClock } from "./clock.ts";
import { derived } from "./derived.ts";
import { createHttpClient, type HttpClient } from "./http-client.ts";
import { draw, drawClient, drawHttpClient, serviceCount } from "./several.ts";
import { engine, type TestPlace } from "./engine/engine.ts";
import { testPasswordCost } from "./password-cost.ts";
import { createSeats, sharedAt } from "./seats.ts";
import { isLeast } from "./size.ts";
import { configOf } from "./engine/service-config.ts";

/**
 * A whole service in this process: a real database, a real port, a test clock. In the tiers `postgres-pair` and `workers-pair` it is two on one database:
 * each call of its clients goes to either of them, and each look at `url` or `port` finds either.
 */
export interface TestService {
  readonly url: string;
  readonly port: number;
  readonly dataFolder: string;
  /** Those of all processes, in which each has its outbox; that of the first one is `dataFolder`. */
  readonly dataFolders: readonly string[];
  /** Where its database is. */
  readonly place: TestPlace;
  readonly adminToken: string;
  readonly clock: TestClock;
  /** What its commands work with: for what a test sets up past the API. */
  readonly context: App["context"];
  /** Real clients of every content type. */
  readonly clients: Readonly<Record<Lane, LaneClient>>;
  /** For requests that no client of a content type makes. */
  readonly http: HttpClient;
  /** Calls as the administrator, or with another token, over JSON, and returns the answer. Throws for an error. */
  call<M extends DescMethodUnary>(
    method: M,
    request: MessageInitShape<M["input"]>,
    token?: string,
  ): Promise<JsonObject>;
  /** What the service logs with, at level debug. */
  readonly logger: Logger;
  /** Returns what was logged so far. */
  log(): string;
  /** Ends it. Rejects when a secret that went through a client of this file lies where it must not. */
  stop(): Promise<void>;
}

/** What is needed to call a service, wherever it runs. */
export type CallableService = Pick<TestService, "adminToken" | "clients" | "call">;

/** Starts a service. `flags` are those of `gatehouse serve`; the folder and the port are given. */
export async function startService(
  flags: Readonly<Record<string, unknown>> = {},
  parts: Pick<AppParts, "isSweepOff" | "wrapFetch"> = {},
): Promise<TestService> {
  const place = await engine.makePlace();
  place.prepare();
  const clock = createTestClock(Date.now());
  let log = "";
  const logger = createTestLogger((line) => {
    log += line;
  });
  const seats = serviceCount > 1 && engine.name === "sqlite" ? createSeats(serviceCount) : [];
  const start = async (data: string, number: number): Promise<App> => {
    const seat = seats[number];
    const app = await startApp(
      { ...configOf(place, flags), dataFolder: seat === undefined ? data : place.folder },
      {
        shared: seat && sharedAt(seat),
        passwordCost: testPasswordCost,
        ...parts,
        logger,
        version: "0.0.0-test",
        clock,
        onFatal: (error) => {
          throw error;
        },
        contract: derived.contract,
      },
    );
    derived.contract = app.contract;
    return app;
  };
  const others = Array.from({ length: serviceCount - 1 }, (_, index) =>
    join(place.folder, `process-${index + 2}`),
  );
  const folders = [place.folder, ...others];
  const first = await start(place.folder, 0); // makes the instance
  const apps = [first, ...(await Promise.all(others.map((data, index) => start(data, index + 1))))];
  const clients = Object.fromEntries(
    lanes.map((lane) => [lane, drawClient(apps.map(({ url }) => createLaneClient(lane, url)))]),
  ) as Record<Lane, LaneClient>; // one for each lane
  const http = drawHttpClient(apps.map(({ url }) => createHttpClient(url)));
  const adminToken = readFileSync(join(place.folder, "admin.token"), "utf8").trim();
  return {
    get url() {
      return draw(apps).url;
    },
    get port() {
      return draw(apps).port;
    },
    dataFolder: place.folder,
    dataFolders: folders,
    place,
    adminToken,
    clock,
    context: first.context,
    clients,
    http,
    call: async (method, request, token = adminToken) =>
      answerOf(await clients.json.call(method, request, { token })),
    logger,
    log: () => log,
    async stop() {
      for (const client of [...Object.values(clients), http]) client.close();
      await stopAndScan(apps, place, () => log);
    },
  };
}

/** Ends the service, looks through everything that it leaves, and removes that. `npm test` does not look. */
async function stopAndScan(apps: readonly App[], place: TestPlace, log: () => string): Promise<void> {
  if (isLeast) {
    await place.disconnect(); // so that the service closes the last connection
    await Promise.all(apps.map((app) => app.stop()));
    return await place.remove();
  }
  noteDataFolder(canaries, place.folder);
  const scanner = createScanner(canaries.list());
  const pages = await Promise.all(apps.map(({ url }) => scanPages(scanner, url)));
  const leaks = [...pages.flat(), ...scanFiles(scanner, place.folder)];
  await place.disconnect(); // so that the service closes the last connection
  await Promise.all(apps.map((app) => app.stop()));
  leaks.push(...scanFiles(scanner, place.folder)); // once more: everything is in the database now
  leaks.push(...(await scanTables(scanner, place.raw, place.folder)));
  leaks.push(...scanLog(scanner, log()), ...scanReceived(scanner, canaries));
  await place.remove();
  refuseLeaks(leaks);
}

/** As the service makes its own, but into the hands of the test. */
function createTestLogger(write: (line: string) => void) {
  return pino({ level: "debug", base: undefined, timestamp: pino.stdTimeFunctions.isoTime }, { write });
}

async function scanPages(scanner: Scanner, url: string): Promise<readonly Leak[]> {
  const get = url.startsWith("https:") ? getSecure : getClear;
  const read = async (path: string) => {
    // The certificates of tests are their own.
    const [response] = (await once(
      get(url + path, { agent: false, rejectUnauthorized: false }),
      "response",
    )) as [IncomingMessage]; // the arguments of "response"
    return await text(response);
  };
  return [
    ...scanMetrics(scanner, await read("/metrics")),
    ...scanOpenApi(scanner, await read("/openapi.json")),
  ];
}

/** Returns the answer of a call that must have succeeded. */
export function answerOf(outcome: Outcome): JsonObject {
  if (outcome.kind === "answer") return outcome.json;
  throw new Error(`expected an answer, got ${JSON.stringify(outcome.status)}`);
}

/** Returns what matters of an error: its code, its reason, and the fields or the resource that it names. */
export function refusalOf(outcome: Outcome) {
  if (outcome.kind === "answer") throw new Error(`expected an error, got ${JSON.stringify(outcome.json)}`);
  const { code, message, details } = outcome.status;
  const find = (type: string) =>
    details.find((detail) => detail["@type"] === `type.googleapis.com/google.rpc.${type}`);
  const violations = find("BadRequest")?.["fieldViolations"] as
    | readonly { field: string; description: string }[]
    | undefined;
  return {
    code,
    message,
    reason: find("ErrorInfo")?.["reason"],
    fields: violations?.map((violation) => violation.field).toSorted() ?? [],
    resource: find("ResourceInfo")?.["resourceType"],
  };
}
