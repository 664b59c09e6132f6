import { beforeEach, describe, expect, test } from "@jest/globals";
import Sqlite from "better-sqlite3";
import { useSqlite } from "./use-sqlite.ts";

const insert = "INSERT INTO settings (name, value) VALUES (?, '')";

const sqlite = useSqlite();

test("a listener hears of a commit once it can be read, and before the write is answered", async () => {
  const other = new Sqlite(sqlite.file, { readonly: true });
  const heard: unknown[] = [];
  sqlite.database.onCommit(() => heard.push(other.prepare("SELECT name FROM settings").pluck().all()));
  const seen = await sqlite.database.write((tx) => tx.run(insert, ["a"])).then(() => heard.length);
  other.close();
  expect(heard).toEqual([["a"]]);
  expect(seen).toBe(1);
});

test("a listener hears once of writes that are committed together, and nothing of a commit that failed", async () => {
  let count = 0;
  sqlite.database.onCommit(() => (count += 1));
  await Promise.all(["a", "b", "c"].map((name) => sqlite.database.write((tx) => tx.run(insert, [name]))));
  expect(count).toBe(1);
  await sqlite.database.write((tx) => tx.run("PRAGMA max_page_count = 1"));
  const before = count;
  const large = "x".repeat(4_000_000);
  await expect(sqlite.database.write((tx) => tx.run(insert, [large]))).rejects.toThrow(
    "the storage accepts no changes",
  );
  expect(count).toBe(before);
});

describe("a commit", () => {
  const writes: Promise<unknown>[] = [];
  const begun: number[] = [];
  const write = () => {
    const name = `write ${writes.length}`;
    writes.push(sqlite.database.write((tx) => tx.run(insert, [name])));
  };
  /** Begins a write in each of so many turns, before the commit has its own. */
  const writeInTurns = (turns: number): Promise<void> =>
    new Promise((resolve) => {
      const next = (left: number): void => {
        setImmediate(() => (left === 0 ? resolve() : next(left - 1)));
        write();
      };
      next(turns);
    });

  beforeEach(() => {
    writes.length = 0;
    begun.length = 0;
    sqlite.database.onCommit(() => begun.push(writes.length));
  });

  test("waits for writes as long as each turn of the event loop brings some", async () => {
    await writeInTurns(5);
    await Promise.all(writes);
    expect(begun).toEqual([6]);
  });

  test("waits no longer once it has 128", async () => {
    const later = writeInTurns(5);
    for (let index = 0; index < 128; index += 1) write();
    await later;
    await Promise.all(writes);
    expect(begun[0]).toBeLessThan(132);
  });
});
