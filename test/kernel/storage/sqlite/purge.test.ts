import { describe, expect, test } from "@jest/globals";
import { copyFileSync, existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import Sqlite from "better-sqlite3";
import { makeTemporaryFolder } from "../../../support/temporary.ts";
import { useSqlite } from "./use-sqlite.ts";
import { largeTest } from "../../../support/large.ts";

const sqlite = useSqlite();

const files = ["gatehouse.db", "gatehouse.db-wal", "gatehouse.db-shm"];

/** Returns all bytes of the files of the database, one character each. */
const bytes = () =>
  files
    .map((name) => join(sqlite.folder, name))
    .map((file) => (existsSync(file) ? readFileSync(file, "latin1") : ""))
    .join("\n");

const put = (id: string, value: string) =>
  sqlite.database.write((tx) =>
    tx.run(
      "INSERT INTO settings (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
      [id, value],
    ),
  );
const remove = (id: string) =>
  sqlite.database.write((tx) => tx.run("DELETE FROM settings WHERE name = ?", [id]));

/** Writes about 400 kB in a few commits. */
const fill = (prefix: string) =>
  Promise.all(Array.from({ length: 100 }, (_, index) => put(`${prefix} ${index}`, "x".repeat(3900))));

/** Returns numbers below a limit, the same for the same seed. */
function createRandom(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

/**
 * Adds, changes and removes rows of many sizes, so that SQLite moves them from page to page. Returns the texts that were in
 * rows that are gone, or were there before a change.
 */
async function churn(seed: number): Promise<readonly string[]> {
  const random = createRandom(seed);
  const live = new Map<string, string>();
  const gone: string[] = [];
  let counter = 0;
  const next = () => `mark-${seed}-${(counter += 1)}-${random(2 ** 31).toString(36)}.`;
  const idOf = (index: number) => [...live.keys()][index] ?? "";
  const set = async (id: string) => {
    const before = live.get(id);
    if (before !== undefined) gone.push(before);
    live.set(id, next());
    await put(id, `${live.get(id)}${"x".repeat(random(300))}`);
  };
  const drop = async (id: string) => {
    gone.push(live.get(id) ?? "");
    live.delete(id);
    await remove(id);
  };
  for (let round = 0; round < 40; round++) {
    const works = Array.from({ length: 40 }, () => {
      const choice = random(10);
      if (round < 20 || choice < 3) return set(String(random(2 ** 31)));
      return choice < 6 ? set(idOf(random(live.size))) : drop(idOf(random(live.size)));
    });
    await Promise.all(works);
  }
  const there = marksThere();
  expect([...live.values()].filter((mark) => !there.has(mark))).toEqual([]);
  return gone;
}

/** Returns the marks that lie in the files. */
const marksThere = () => new Set(bytes().match(/mark-\d+-\d+-[0-9a-z]+\./g));

const leaksOf = (gone: readonly string[]) => {
  const there = marksThere();
  return gone.filter((mark) => there.has(mark));
};

describe("purge", () => {
  test("erases what was removed from the database file and from the log", async () => {
    await put("a", "unmistakable value");
    await remove("a");
    expect(bytes()).toContain("unmistakable value");
    await sqlite.database.purge();
    expect(bytes()).not.toContain("unmistakable value");
    expect(statSync(`${sqlite.file}-wal`).size).toBe(0);
  });

  largeTest("erases copies that SQLite leaves where it moves rows, and harms nothing", async () => {
    for (const seed of [1, 2, 3]) {
      const gone = await churn(seed);
      await sqlite.database.purge();
      expect(leaksOf(gone)).toEqual([]);
    }
    const check = await sqlite.database.read((tx) => tx.all("PRAGMA integrity_check"));
    expect(check).toEqual([{ integrity_check: "ok" }]);
  });

  largeTest("erases what was moved to the database file long before", async () => {
    const gone = await churn(4);
    for (let round = 0; round < 30; round++) await fill(`round ${round}`); // the log begins anew again and again
    await sqlite.database.purge();
    expect(leaksOf(gone)).toEqual([]);
  });

  test("leaves nothing in memory that a later change would write again", async () => {
    const gone = await churn(5);
    await sqlite.database.purge();
    await sqlite.database.write((tx) => tx.run("UPDATE settings SET value = value || '.'"));
    expect(statSync(`${sqlite.file}-wal`).size).toBeGreaterThan(100_000);
    expect(leaksOf(gone)).toEqual([]);
  });

  test("erases what a process left behind that was killed", async () => {
    const gone = await churn(6);
    const copy = makeTemporaryFolder();
    for (const name of files.slice(0, 2)) copyFileSync(join(sqlite.folder, name), join(copy.path, name));
    await sqlite.database.close();
    sqlite.reopen(copy);
    await sqlite.database.purge();
    expect(leaksOf(gone)).toEqual([]);
  });

  largeTest("is made up for at the start, after an end before it", async () => {
    const gone = await churn(8);
    const copy = makeTemporaryFolder();
    for (const name of files.slice(0, 2)) copyFileSync(join(sqlite.folder, name), join(copy.path, name));
    expect(leaksOf(gone)).not.toEqual([]);
    await sqlite.database.close();
    sqlite.reopen(copy);
    while (leaksOf(gone).length > 0) await pause(20);
  });

  largeTest("is made up for at the close", async () => {
    const gone = await churn(7);
    await sqlite.database.close();
    expect(leaksOf(gone)).toEqual([]);
    sqlite.reopen();
  });

  largeTest("is answered while another process reads, and done by itself when that ends", async () => {
    await put("a", "unmistakable value");
    const reader = new Sqlite(sqlite.file, { readonly: true });
    reader.exec("BEGIN");
    expect(reader.prepare("SELECT value FROM settings WHERE name = 'a'").get()).toBeDefined();
    await remove("a");
    await sqlite.database.purge();
    expect(bytes()).toContain("unmistakable value");
    await put("b", "written meanwhile");
    reader.exec("COMMIT");
    reader.close();
    while (bytes().includes("unmistakable value")) await pause(20);
    expect(await sqlite.database.read((tx) => tx.get("SELECT value FROM settings WHERE name = 'b'"))).toEqual(
      {
        value: "written meanwhile",
      },
    );
  });

  largeTest("holds up no write and no read that comes at the same time", async () => {
    const names = Array.from({ length: 50 }, (_, index) => `name ${index}`);
    const works = names.flatMap((name) => [
      put(name, name),
      sqlite.database.purge(),
      sqlite.database.read((tx) => tx.all("SELECT * FROM settings")),
    ]);
    await Promise.all(works);
    await sqlite.database.purge();
    const rows = await sqlite.database.read((tx) => tx.all<{ name: string }>("SELECT name FROM settings"));
    expect(rows.map((row) => row.name).filter((name) => name.startsWith("name"))).toHaveLength(50);
  });
});

describe("the write-ahead log", () => {
  test("is moved to the database file before it grows large", async () => {
    for (let round = 0; round < 30; round++) await fill(`round ${round}`);
    const scope = 4096 + 24;
    const size = () => statSync(`${sqlite.file}-wal`).size;
    expect(size()).toBeGreaterThan(100 * scope);
    expect(size()).toBeLessThan(1300 * scope);
  });
});
