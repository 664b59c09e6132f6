import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { openSqliteDatabase, type SqliteDatabase } from "../../src/storage/sqlite/sqlite-database.ts";
import { createTestClock } from "../support/clock.ts";
import { makeTemporaryFolder } from "../support/temporary.ts";

const insert = "INSERT INTO settings (name, value) VALUES (?, '')";

let folder: ReturnType<typeof makeTemporaryFolder>;
let database: SqliteDatabase;

beforeEach(() => {
  folder = makeTemporaryFolder();
  database = openSqliteDatabase({
    file: join(folder.path, "gatehouse.db"),
    clock: createTestClock(),
    onFatal: (error) => {
      throw error;
    },
  });
});

afterEach(async () => {
  await database.close();
  folder.remove();
});

test("a listener hears of a commit once it can be read, and before the write is answered", async () => {
  const other = new Sqlite(join(folder.path, "gatehouse.db"), { readonly: true });
  const heard: unknown[] = [];
  database.onCommit(() => heard.push(other.prepare("SELECT name FROM settings").pluck().all()));
  const seen = await database.write((tx) => tx.run(insert, ["a"])).then(() => heard.length);
  other.close();
  expect(heard).toEqual([["a"]]);
  expect(seen).toBe(1);
});

test("a listener hears once of writes that are committed together, and nothing of a commit that failed", async () => {
  let count = 0;
  database.onCommit(() => (count += 1));
  await Promise.all(["a", "b", "c"].map((name) => database.write((tx) => tx.run(insert, [name]))));
  expect(count).toBe(1);
  await database.write((tx) => tx.run("PRAGMA max_page_count = 1"));
  const before = count;
  const large = "x".repeat(4_000_000);
  await expect(database.write((tx) => tx.run(insert, [large]))).rejects.toThrow(
    "the storage accepts no changes",
  );
  expect(count).toBe(before);
});

test("a listener that has ended hears nothing, and the others still do", async () => {
  const heard: string[] = [];
  const listen = (name: string) => database.onCommit(() => heard.push(name));
  const end = listen("first");
  listen("second");
  end();
  await database.write((tx) => tx.run(insert, ["a"]));
  expect(heard).toEqual(["second"]);
});
