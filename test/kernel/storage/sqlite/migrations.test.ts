import { expect, test } from "@jest/globals";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { listMigrations } from "../../../../src/kernel/storage/schema-versions.ts";
import { defineFunctions, migrate } from "../../../../src/kernel/storage/sqlite/migrations.ts";

const migrations = listMigrations(
  join(import.meta.dirname, "../../../../src/kernel/storage/sqlite/migrations"),
);

test("a migration that looks into the log for each row finds the events of the object on their index", () => {
  const database = new Sqlite(":memory:");
  defineFunctions(database);
  const looks: string[] = [];
  for (const migration of migrations) {
    const statements = migration.read().replaceAll(/--.*$/gm, "").split(";");
    for (const statement of statements.filter((each) => each.trim() !== "")) {
      if (/^\s*UPDATE\b/.test(statement)) looks.push(...looksForEachRow(database, statement));
      database.exec(statement);
    }
  }
  database.close();
  expect(looks.length).toBeGreaterThan(3);
  const found = "USING INDEX sqlite_autoindex_events_1 (aggregate_type=? AND aggregate_id=?)";
  expect(looks.filter((look) => !look.endsWith(found))).toEqual([]);
});

test("a database whose migration fails stays as it was", () => {
  const database = new Sqlite(":memory:");
  database.exec(
    "CREATE TABLE migrations (version INTEGER NOT NULL PRIMARY KEY, date INTEGER NOT NULL) STRICT",
  );
  database.exec("CREATE TABLE saml_logouts (id TEXT) STRICT"); // one of the last migrations makes it
  const readSchema = () => database.prepare("SELECT name, sql FROM sqlite_master").all();
  const before = readSchema();
  expect(() => migrate(database, 0)).toThrow("saml_logouts already exists");
  expect(readSchema()).toEqual(before);
  database.close();
});

/** What the statement does in the log again and again. */
function looksForEachRow(database: Sqlite.Database, statement: string): readonly string[] {
  const plan = database.prepare<[], { detail: string }>(`EXPLAIN QUERY PLAN ${statement}`).all();
  return plan
    .map(({ detail }, index) => ({ detail, above: plan[index - 1]?.detail ?? "" }))
    .filter(
      ({ detail, above }) => above.startsWith("CORRELATED") && /^(SCAN|SEARCH) (e|events)\b/.test(detail),
    )
    .map(({ detail }) => detail);
}
