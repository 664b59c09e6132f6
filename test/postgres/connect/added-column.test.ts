import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import Sqlite from "better-sqlite3";
import { migratePostgres } from "../../../src/kernel/storage/postgres/migrations/migrate.ts";
import { listMigrations } from "../../../src/kernel/storage/schema-versions.ts";
import { migrate } from "../../../src/kernel/storage/sqlite/migrations.ts";
import { makeTemporaryFolder } from "../../support/temporary.ts";
import { connectTo, shareServer, type TestDatabases } from "./support/cluster.ts";
import { describePostgres, describeSqlite } from "./support/schemas.ts";

const root = join(import.meta.dirname, "../../..");
const storage = join(root, "src/kernel/storage");
const folder = makeTemporaryFolder();

let cluster: TestDatabases;
beforeAll(async () => {
  cluster = shareServer();
});
afterAll(async () => {
  await cluster.close();
  folder.remove();
});

test.each([
  ["stored_projects", "text", "projects"],
  ["stored_users", "optionalText", "users"],
  ["stored_memberships", "choice", "memberships"],
  ["stored_groups", "text", "groups"],
  ["sessions", "flag", "sessions"],
])("npm run column adds a column to %s, of the kind %s, for both engines", async (table, kind, view) => {
  const wanted = [table, "nickname", kind, "What it is called.", "--filter", "resource_owner"];
  const out = join(folder.path, table);
  execFileSync("node", [".tools/add-column.mjs", ...wanted, "--out", out], { cwd: root });

  const sqlite = new Sqlite(":memory:");
  migrate(sqlite, 0);
  const [ofSqlite] = listMigrations(join(out, "sqlite"));
  sqlite.exec(ofSqlite?.read() ?? "");
  const { client } = await connectTo(await cluster.makeDatabase()).connect("migration", {
    giveUpAfterMs: 5000,
  });
  const own = listMigrations(join(storage, "postgres/migrations"));
  await migratePostgres(client, 0, { migrations: [...own, ...listMigrations(join(out, "postgres"))] });

  const described = await describePostgres(client);
  for (const name of [table, view]) {
    expect(described[name]?.columns.at(-1)).toMatch(/^nickname /);
    expect(described[name]).toEqual(describeSqlite(sqlite)[name]);
  }
  const index = `${view}_by_nickname`;
  expect(sqlite.prepare("SELECT tbl_name FROM sqlite_master WHERE name = ?").pluck().get(index)).toBe(table);
  expect((await client.query("SELECT 1 FROM pg_indexes WHERE indexname = $1", [index])).rowCount).toBe(1);
  sqlite.close();
  await client.end();
});
