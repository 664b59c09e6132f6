import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import type { Client } from "pg";
import { DatabaseBusyError, DatabaseUnusableError } from "../../../src/kernel/storage/database-unusable.ts";
import {
  migratePostgres,
  versionOfPostgres,
} from "../../../src/kernel/storage/postgres/migrations/migrate.ts";
import {
  DatabaseTooNewError,
  ForeignDatabaseError,
  listMigrations,
  type Migration,
} from "../../../src/kernel/storage/schema-versions.ts";
import { migrate, newestVersion } from "../../../src/kernel/storage/sqlite/migrations.ts";
import { describePostgres, describeSqlite } from "./support/schemas.ts";
import { connectTo, shareServer, type TestDatabases } from "./support/cluster.ts";

let cluster: TestDatabases;
const open: Client[] = [];

beforeAll(async () => {
  cluster = shareServer();
});
afterAll(async () => {
  await Promise.all(open.map((client) => client.end()));
  await cluster.close();
});

async function connect(url: string): Promise<Client> {
  const { client } = await connectTo(url).connect("migration", { giveUpAfterMs: 5000 });
  open.push(client);
  return client;
}

/** Waits until a statement in the database waits for a lock. */
async function untilWaiting(url: string): Promise<void> {
  const sql =
    "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
  while ((await cluster.ask(sql, url)).length === 0);
}

const folder = join(import.meta.dirname, "../../../src/kernel/storage/postgres/migrations");
const step = (version: number, sql: string): Migration => ({ version, read: () => sql });
const first = step(1, "CREATE TABLE log_position (n BIGINT); INSERT INTO log_position VALUES (1)");

/** What several processes need, and a view by its former name for processes of the version before. */
const ofPostgresAlone = new Set(["log_position", "writers", "personal_access_tokens"]);

describe("the schema", () => {
  test("has the tables, views, columns and constraints that SQLite has", async () => {
    const sqlite = new Sqlite(":memory:");
    migrate(sqlite, 0);
    const client = await connect(await cluster.makeDatabase());
    await migratePostgres(client, 0);
    const described = Object.entries(await describePostgres(client));
    const common = Object.fromEntries(described.filter(([name]) => !ofPostgresAlone.has(name)));
    expect(common).toEqual(describeSqlite(sqlite));
    expect(Object.keys(common).length).toBeGreaterThan(25);
    sqlite.close();
  });

  test("has indexes of the same names, and the sequence at the end of those of events", async () => {
    const sqlite = new Sqlite(":memory:");
    migrate(sqlite, 0);
    const client = await connect(await cluster.makeDatabase());
    await migratePostgres(client, 0);
    const wanted = sqlite
      .prepare<[], string>(
        "SELECT name FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL ORDER BY name",
      )
      .pluck()
      .all();
    const { rows } = await client.query<{ name: string; definition: string }>(
      `SELECT indexname AS name, indexdef AS definition FROM pg_indexes
       WHERE schemaname = 'public' AND indexname !~ '_key$|_pkey$' ORDER BY indexname COLLATE "C"`,
    );
    expect(rows.map(({ name }) => name)).toEqual(wanted);
    const ofEvents = rows.filter(({ name }) => name.startsWith("events_"));
    expect(ofEvents.map(({ definition }) => definition.endsWith(", sequence)"))).toEqual([
      true,
      true,
      true,
      true,
    ]);
    sqlite.close();
  });

  test("compares texts byte by byte, whatever the locale of the database", async () => {
    const client = await connect(await cluster.makeDatabase());
    await migratePostgres(client, 0);
    const { rows } = await client.query(
      `SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = 'public'
       AND data_type NOT IN ('bigint', 'bytea') AND NOT (data_type = 'text' AND collation_name = 'C')`,
    );
    expect(rows).toEqual([]);
  });

  test("checks references at each statement, and at the commit where a test asks for it", async () => {
    const client = await connect(await cluster.makeDatabase());
    await migratePostgres(client, 0);
    const { rows } = await client.query(
      "SELECT count(*)::int AS count, bool_and(condeferrable AND NOT condeferred) AS fit FROM pg_constraint WHERE contype = 'f'",
    );
    expect(rows).toEqual([{ count: 41, fit: true }]);
  });
});

describe("migrating", () => {
  test("brings an empty database to the version of SQLite, and is done then", async () => {
    const client = await connect(await cluster.makeDatabase());
    expect(await versionOfPostgres(client)).toBe(0);
    await migratePostgres(client, 5);
    await migratePostgres(client, 6);
    const { rows } = await client.query<{ version: number; date: number }>(
      "SELECT version::int, date::int FROM migrations ORDER BY version",
    );
    expect(rows.at(-1)).toEqual({ version: newestVersion(), date: 5 });
    expect(rows.every(({ date }) => date === 5)).toBe(true);
    expect((await client.query("SELECT last_sequence::int, last_id::int FROM log_position")).rows).toEqual([
      { last_sequence: 0, last_id: 0 },
    ]);
  });

  test("happens once when many processes start at once", async () => {
    const url = await cluster.makeDatabase();
    const clients = await Promise.all(Array.from({ length: 20 }, () => connect(url)));
    await Promise.all(clients.map((client, index) => migratePostgres(client, index)));
    const [steps] = await cluster.ask("SELECT count(*)::int AS count FROM migrations", url);
    expect(steps).toEqual({ count: listMigrations(folder).length });
  });

  test("runs the steps that are missing, each whole or not at all", async () => {
    const url = await cluster.makeDatabase();
    const client = await connect(url);
    const second = step(2, "CREATE TABLE second (n BIGINT)");
    const broken = step(3, "CREATE TABLE third (n BIGINT); SELECT 1 / 0");
    await migratePostgres(client, 0, { migrations: [first] });
    await expect(migratePostgres(client, 0, { migrations: [first, second, broken] })).rejects.toThrow(
      "division by zero",
    );
    expect(await versionOfPostgres(client)).toBe(2);
    const { rows } = await client.query(
      "SELECT to_regclass('second')::text AS two, to_regclass('third')::text AS three",
    );
    expect(rows).toEqual([{ two: "second", three: null }]);
    await migratePostgres(await connect(url), 0, { migrations: [first, second] }); // the lock is free again
  });

  test("waits for the write that is under way, and the next write waits for it", async () => {
    const url = await cluster.makeDatabase();
    const [writer, client] = [await connect(url), await connect(url)];
    await migratePostgres(client, 0, { migrations: [first] });
    await writer.query("BEGIN; SELECT 1 FROM log_position FOR UPDATE");
    const migrating = migratePostgres(client, 0, {
      migrations: [first, step(2, "UPDATE log_position SET n = n * 2")],
    });
    await untilWaiting(url);
    await writer.query("UPDATE log_position SET n = 21; COMMIT");
    await migrating;
    expect((await writer.query("SELECT n::int FROM log_position")).rows).toEqual([{ n: 42 }]);
  });

  test("gives up when a write does not end, and says so", async () => {
    const url = await cluster.makeDatabase();
    const [writer, client] = [await connect(url), await connect(url)];
    await migratePostgres(client, 0, { migrations: [first] });
    await writer.query("BEGIN; SELECT 1 FROM log_position FOR UPDATE");
    const second = step(2, "SELECT 1");
    const impatient = { migrations: [first, second], lockTimeoutMs: 50 };
    await expect(migratePostgres(client, 0, impatient)).rejects.toThrow(DatabaseBusyError);
    await writer.query("ROLLBACK");
    await migratePostgres(client, 0, { migrations: [first, second] });
    expect(await versionOfPostgres(client)).toBe(2);
  });

  describe("beside a reader that has read one table and now reads another one, which the migration has locked", () => {
    const tables =
      "CREATE TABLE stored (n BIGINT); CREATE TABLE other (n BIGINT); CREATE VIEW shown AS SELECT n FROM stored";
    const second = step(
      2,
      "ALTER TABLE other ADD COLUMN m BIGINT;\nALTER TABLE stored ADD COLUMN m BIGINT;\nCREATE OR REPLACE VIEW shown AS SELECT n, m FROM stored",
    );
    const migrations = [step(1, `${first.read()}; ${tables}`), second];

    test("does without a deadlock", async () => {
      const url = await cluster.makeDatabase();
      const [reader, client] = [await connect(url), await connect(url)];
      await migratePostgres(client, 0, { migrations: migrations.slice(0, 1) });
      await client.query("SET deadlock_timeout = '1min'"); // so that it would be the reader whose statement fails
      await reader.query("BEGIN; SELECT n FROM shown");
      const migrating = migratePostgres(client, 0, { migrations });
      await untilWaiting(url);
      await reader.query("SELECT n FROM other; COMMIT");
      await migrating;
      expect(await versionOfPostgres(client)).toBe(2);
      expect((await reader.query("SELECT n, m FROM shown")).rows).toEqual([]);
    });

    test("gives up if the reader does not end, and says so", async () => {
      const url = await cluster.makeDatabase();
      const [reader, client] = [await connect(url), await connect(url)];
      await migratePostgres(client, 0, { migrations: migrations.slice(0, 1) });
      await reader.query("BEGIN; SELECT n FROM shown");
      const migrating = migratePostgres(client, 0, { migrations, lockTimeoutMs: 50 });
      await expect(migrating).rejects.toThrow(DatabaseBusyError);
      await reader.query("COMMIT");
      await migratePostgres(client, 0, { migrations });
    });
  });

  test("has locked every table and view that it alters before it alters the first one", async () => {
    const client = await connect(await cluster.makeDatabase());
    const mine =
      "SELECT relation FROM pg_locks WHERE pid = pg_backend_pid() AND mode = 'AccessExclusiveLock'";
    const before = "CREATE TEMPORARY TABLE present AS SELECT oid FROM pg_class WHERE relkind IN ('r', 'v')";
    const watched = listMigrations(folder).map(({ version, read }) => ({
      version,
      read: () => `${before};
        CREATE TEMPORARY TABLE locked AS ${mine};
        ${read()};
        INSERT INTO late SELECT ${version}, relation::regclass FROM (${mine}) AS held
          WHERE relation IN (SELECT oid FROM present) AND relation NOT IN (SELECT relation FROM locked);
        INSERT INTO early SELECT relation::regclass FROM locked WHERE relation IN (SELECT oid FROM present);
        DROP TABLE present, locked`,
    }));
    await client.query(
      "CREATE TEMPORARY TABLE late (version BIGINT, name TEXT); CREATE TEMPORARY TABLE early (name TEXT)",
    );
    await migratePostgres(client, 0, { migrations: watched });
    expect((await client.query("SELECT version, name FROM late")).rows).toEqual([]);
    const { rows } = await client.query<{ name: string }>("SELECT DISTINCT name FROM early");
    expect(rows.map(({ name }) => name)).toEqual(
      expect.arrayContaining(["stored_users", "users", "applications"]),
    );
  });

  test("makes of the log of the release before what a rebuild would make", async () => {
    const client = await connect(await cluster.makeDatabase());
    const migrations = listMigrations(folder);
    await migratePostgres(client, 0, { migrations: migrations.filter(({ version }) => version <= 13) });
    const added = JSON.stringify({ algorithm: "ES256", public_key: "{}" });
    await client.query(`SET session_replication_role = replica; -- without the rows that others refer to
      INSERT INTO events (sequence, date, aggregate_type, aggregate_id, revision, type, version, resource_owner, editor, request_id, payload)
      VALUES (1, 1, 'signing_key', 'k', 1, 'signing_key.added', 1, 'i', 'e', 'r', '${added}'),
        (2, 2, 'signing_key', 'k', 2, 'signing_key.removed', 1, 'i', 'e', 'r', '{}'),
        (3, 3, 'user', 'u', 1, 'user.added', 1, 'o', 'manager', 'r', '{}'),
        (4, 4, 'user', 'v', 1, 'user.added', 1, 'o', 'other', 'r', '{}');
      INSERT INTO stored_users (id, sequence, creation_date, resource_owner, state, kind, is_email_verified, is_phone_verified)
      VALUES ('u', 3, 3, 'o', 'ACTIVE', 'human', 0, 0)`);
    await migratePostgres(client, 0);
    expect((await client.query("SELECT * FROM former_signing_keys")).rows).toEqual([
      { id: "k", resource_owner: "i", algorithm: "ES256", public_key: "{}" },
    ]);
    expect((await client.query("SELECT email_creator FROM stored_users")).rows).toEqual([
      { email_creator: "manager" },
    ]);
  });

  test("explains that the user may not create tables", async () => {
    const url = await cluster.makeDatabase();
    await cluster.ask("CREATE ROLE guest LOGIN");
    const client = await connect(url.replace("postgres@", "guest@"));
    await expect(migratePostgres(client, 0)).rejects.toThrow(DatabaseUnusableError);
    await expect(migratePostgres(client, 0)).rejects.toThrow("the user of the URL may not create tables");
    await cluster.ask("DROP ROLE guest");
  });

  test("refuses a database of a newer version, and changes nothing in it", async () => {
    const client = await connect(await cluster.makeDatabase());
    await migratePostgres(client, 0, { migrations: [first, step(9999, "SELECT 1")] });
    await expect(migratePostgres(client, 0)).rejects.toThrow(DatabaseTooNewError);
    expect(await versionOfPostgres(client)).toBe(9999);
  });

  test("refuses a database of another program", async () => {
    const client = await connect(await cluster.makeDatabase());
    await client.query("CREATE TABLE songs (title TEXT)");
    await expect(migratePostgres(client, 0)).rejects.toThrow(ForeignDatabaseError);
    expect((await client.query("SELECT to_regclass('events')::text AS events")).rows).toEqual([
      { events: null },
    ]);
  });
});
