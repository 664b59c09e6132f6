import { afterEach, beforeEach, expect, test } from "@jest/globals";
import type { Database } from "../../../src/kernel/base/database.ts";
import type { Connector } from "../../../src/kernel/storage/postgres/connect/connector.ts";
import { postgresTypes } from "../../../src/kernel/storage/postgres/types.ts";
import { engine, type TestPlace } from "../../support/engine/engine.ts";
import { connectTo } from "../connect/support/cluster.ts";
import { namesIn, openProcess } from "./support.ts";

let place: TestPlace;
let connector: Connector;
let database: Database;

beforeEach(async () => {
  place = await engine.makePlace();
  const url = place.flags["database"] ?? "";
  connector = connectTo(url, { types: postgresTypes, isDev: true });
  database = await openProcess(url, { connector, maxReadConnections: 1 });
});
afterEach(async () => {
  await database.close();
  await place.remove();
});

const sleeping =
  "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'";
const unavailable = { kind: "unavailable", reason: "OVERLOADED" };

/** Begins a read that takes the only connection, and returns when it has it. It is quick when it is made once more. */
async function beginLongRead(): Promise<{
  readonly end: () => Promise<unknown>;
  readonly read: Promise<unknown>;
}> {
  let attempts = 0;
  const read = database.read(async (tx) => {
    attempts += 1;
    return await tx.get(attempts === 1 ? "SELECT pg_sleep(60)" : "SELECT 1 AS quick");
  });
  read.catch(() => {});
  while ((await place.raw.peek(sleeping)).length === 0);
  return {
    read,
    end: () => place.raw.peek(`SELECT pg_terminate_backend(pid) FROM (${sleeping}) AS sleeping`),
  };
}

/** Lets the process learn that there was a failover: another server is the primary now. */
function learnOfFailover(): void {
  connector.fence.require({ timeline: connector.fence.timeline() + 1, synchronous_standby_names: "" });
}

test("a read that waits for a connection gets a new one when all others are lost, and so do those that lost them", async () => {
  const { read, end } = await beginLongRead();
  const waiting = namesIn(database);
  await end();
  expect(await waiting).toEqual([]);
  expect(await read).toEqual({ quick: 1 });
});

test("a probe is answered although the process stood still for longer than the answer may take", async () => {
  await database.probe();
  const probe = database.probe();
  await new Promise(setImmediate); // it leaves with the end of the turn
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1100);
  await expect(probe).resolves.toBeUndefined();
});

test("a read after the end is refused", async () => {
  await database.close();
  await expect(namesIn(database)).rejects.toMatchObject(unavailable);
});

test("a primary that was replaced answers no read any more, on connections that it still has", async () => {
  expect(await namesIn(database)).toEqual([]);
  learnOfFailover();
  await expect(namesIn(database)).rejects.toMatchObject(unavailable);
});

test("nor does it answer one that was sent before the process learned of it", async () => {
  expect(await namesIn(database)).toEqual([]);
  const both = Promise.allSettled([namesIn(database), database.refresh()]);
  learnOfFailover();
  const refused = { status: "rejected", reason: unavailable };
  expect(await both).toMatchObject([refused, refused]);
});
