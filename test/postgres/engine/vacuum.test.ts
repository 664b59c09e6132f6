import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { Client } from "pg";
import type { Database } from "../../../src/base/database.ts";
import { advisoryLocks } from "../../../src/storage/postgres/connect/advisory-locks.ts";
import { openSessionLocks, type SessionLocks } from "../../../src/storage/postgres/session/session-locks.ts";
import { createVacuum } from "../../../src/storage/postgres/vacuum.ts";
import { connectTo, startCluster, type TestCluster } from "../connect/support/cluster.ts";
import { openProcess } from "./support.ts";

let cluster: TestCluster;
let url: string;
let database: Database;
let locks: SessionLocks;

beforeAll(async () => {
  cluster = await startCluster();
});
afterAll(() => cluster.folder.remove());
beforeEach(async () => {
  url = await cluster.makeDatabase();
  database = await openProcess(url);
  locks = await openSessionLocks({ connector: connectTo(url), isAlone: false, giveUpAfterMs: 5000 });
});
afterEach(async () => {
  await locks.close();
  await database.close();
});

/** Returns the tables that were vacuumed by a command, in order. */
async function vacuumed(): Promise<readonly unknown[]> {
  const rows = await cluster.ask(
    "SELECT relname FROM pg_stat_user_tables WHERE vacuum_count > 0 ORDER BY relname",
    url,
  );
  return rows.map(({ relname }) => relname);
}

const tables = ["idempotent_answers", "idp_links", "second_factors", "secrets", "stored_users"];

test("a purge removes what was deleted, also while a process leads", async () => {
  while (locks.leadership.term() === undefined) await cluster.ask("SELECT 1");
  await database.purge();
  while ((await vacuumed()).length < tables.length);
  expect(await vacuumed()).toEqual(tables);
});

test("a run that another process held up is made again", async () => {
  const other = new Client({ connectionString: url });
  await other.connect();
  await other.query(`SELECT pg_advisory_lock(${advisoryLocks.vacuum})`);
  const second = Promise.withResolvers<void>();
  let attempts = 0;
  const vacuum = createVacuum({
    connect() {
      if (++attempts === 2) second.resolve();
      return connectTo(url).connect("vacuum", { giveUpAfterMs: 5000 });
    },
    pauseMs: 1,
  });
  vacuum.request();
  await second.promise;
  expect(await vacuumed()).toEqual([]);
  await other.end();
  while ((await vacuumed()).length < tables.length);
  await vacuum.close();
});
