import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { Client } from "pg";
import type { Database } from "../../../src/kernel/base/database.ts";
import { type EventDefinition, eventDefinitions } from "../../../src/kernel/events/catalogue.ts";
import { advisoryLocks } from "../../../src/kernel/storage/postgres/connect/advisory-locks.ts";
import {
  openSessionLocks,
  type SessionLocks,
} from "../../../src/kernel/storage/postgres/session/session-locks.ts";
import { createVacuum } from "../../../src/kernel/storage/postgres/vacuum.ts";
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

/** Waits until a run has begun, and has ended. */
async function untilVacuumed(): Promise<void> {
  while ((await vacuumed()).length === 0);
  await cluster.ask(`SELECT pg_advisory_lock(${advisoryLocks.vacuum})`, url);
}

/**
 * Those of users with a personal field of an event, or with words of it, and those with something encrypted. The events stay, without
 * their keys.
 */
/** Bytes that name nobody: numbers of active users, and the logos of organizations. */
const impersonal = new Set(["active_users", "label_images"]);

async function findPersonalTables(): Promise<readonly unknown[]> {
  const fields = Object.values<EventDefinition>(eventDefinitions).flatMap(({ personal = [] }) => personal);
  const rows = await cluster.ask(
    `SELECT DISTINCT c.table_name FROM information_schema.columns c
       JOIN information_schema.tables t ON t.table_name = c.table_name AND t.table_type = 'BASE TABLE'
     WHERE c.table_schema = 'public' AND c.table_name <> 'events' AND (c.data_type = 'bytea' OR c.table_name = 'user_words'
       OR c.column_name IN (${fields.map((field) => `'${field}'`).join(", ")}) AND (c.table_name = 'stored_users'
         OR EXISTS (SELECT 1 FROM information_schema.columns o
           WHERE o.table_name = c.table_name AND o.column_name = 'user_id')))
     ORDER BY c.table_name`,
    url,
  );
  return rows.map(({ table_name: name }) => name).filter((name) => !impersonal.has(String(name)));
}

test("a purge removes what was deleted, also while a process leads", async () => {
  while (locks.leadership.term() === undefined) await cluster.ask("SELECT 1");
  await database.purge();
  await untilVacuumed();
  const tables = await findPersonalTables();
  expect(await vacuumed()).toEqual(tables);
  expect(tables).toEqual(expect.arrayContaining(["passkeys", "sessions", "stored_users"]));
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
  await untilVacuumed();
  expect(await vacuumed()).toEqual(await findPersonalTables());
  await vacuum.close();
});
