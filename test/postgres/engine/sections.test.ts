import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { Client } from "pg";
import type { Database } from "../../../src/kernel/base/database.ts";
import { createTestClock } from "../../support/clock.ts";
import { engine, type TestPlace } from "../../support/engine/engine.ts";
import { insertName, namesIn, openProcess, statementsOf } from "./support.ts";

let place: TestPlace;
let url: string;
let database: Database;

beforeEach(async () => {
  place = await engine.makePlace();
  url = place.flags["database"] ?? "";
  // A clock that stands still: only the number of commands ends a batch, however slow the machine is.
  database = await openProcess(url, { clock: createTestClock() });
});
afterEach(async () => {
  await database.close();
  await place.remove();
});

/** Ends the sessions of the database in that state. */
const endSessions = (state: string) =>
  place.raw.peek(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE datname = current_database() AND pid <> pg_backend_pid() AND state LIKE '${state}'`,
  );

const put = (name: string) => database.write((tx) => tx.run(insertName, [name]));
const unchanged = { kind: "unavailable", message: expect.stringContaining("nothing was changed") };

describe("commands that are committed together", () => {
  test("send their rows in a few statements", async () => {
    const texts = await statementsOf(() =>
      Promise.all(Array.from({ length: 20 }, (_, index) => put(`${index}`))),
    );
    expect(texts.filter((text) => text.startsWith("INSERT INTO settings"))).toHaveLength(2); // 16 and 4
    expect(texts.filter((text) => text === "COMMIT")).toHaveLength(1);
    expect(texts.filter((text) => text.includes("SAVEPOINT"))).toEqual([]);
    expect(await namesIn(database)).toHaveLength(20);
  });

  test("see the rows of each other that were not sent yet, also through a view", async () => {
    const counted = await Promise.all(
      [1, 2, 3].map((index) =>
        database.write(async (tx) => {
          const row = await tx.get<{ count: number }>("SELECT COUNT(*) AS count FROM organizations");
          await tx.run(
            "INSERT INTO stored_organizations (id, sequence, creation_date, state, name, folded_name) VALUES (?, 1, 1, 'ACTIVE', ?, ?)",
            [`${index}`, `name ${index}`, `name ${index}`],
          );
          return row?.count;
        }),
      ),
    );
    expect(counted).toEqual([0, 1, 2]);
  });

  test("hold a row back from reads that look for another one, and send it to those that may find it", async () => {
    const insert = "INSERT INTO settings (name, value) VALUES (?, ?)";
    const add = (name: string, value: string) => database.write((tx) => tx.run(insert, [name, value]));
    const count = (from: string, parameters: readonly string[]) =>
      database.write((tx) => tx.get(`SELECT COUNT(*) AS count FROM ${from}`, parameters));
    const texts = await statementsOf(async () => {
      const [, ...answers] = await Promise.all([
        add("a", "x"),
        count("settings WHERE name = ?", ["b"]),
        count("settings WHERE value = ? AND name = ?", ["x", "b"]),
        add("b", "x"),
        count("settings WHERE value = ? AND name = ?", ["x", "a"]),
      ]);
      expect(answers).toEqual([{ count: 0 }, { count: 0 }, undefined, { count: 1 }]);
    });
    expect(texts.filter((text) => text.startsWith("INSERT INTO settings"))).toHaveLength(1);
  });

  test.each<[from: string, parameters: readonly string[]]>([
    ["settings WHERE name = ? OR value = ?", ["other", "y"]],
    ["settings WHERE value = ? AND name > ?", ["y", "b"]],
    ["settings WHERE value = ? AND name = lower(?)", ["y", "C"]],
    ["(SELECT name FROM settings WHERE value = ?) AS found WHERE name = ?", ["y", "c"]],
    ["settings WHERE name = ? UNION SELECT COUNT(*) FROM settings ORDER BY 1 DESC", ["other"]],
    ["settings AS one JOIN settings AS other ON other.name = ? WHERE one.name = ?", ["c", "c"]],
  ])("see a row that is not sent yet by FROM %s", async (from, parameters) => {
    const [, row] = await Promise.all([
      database.write((tx) => tx.run("INSERT INTO settings (name, value) VALUES (?, ?)", ["c", "y"])),
      database.write((tx) => tx.get(`SELECT COUNT(*) AS count FROM ${from}`, parameters)),
    ]);
    expect(row).toEqual({ count: 1 });
  });

  test("keep their rows when a later one is undone that had to send them", async () => {
    const first = put("first");
    const failing = database.write(async (tx) => {
      await tx.run(insertName, ["failing"]);
      const changed = await tx.change("UPDATE settings SET value = 'x'");
      throw new Error(`undone, after ${changed} rows`);
    });
    const last = put("last");
    await expect(failing).rejects.toThrow("undone, after 2 rows");
    await Promise.all([first, last]);
    expect(await namesIn(database)).toEqual(["first", "last"]);
  });

  test("all fail if the row of one is refused, and can be tried again; then it fails alone", async () => {
    await put("taken");
    const attempt = async () => {
      const all = await Promise.allSettled([put("one"), put("taken"), put("two")]);
      return all.map((each): unknown => (each.status === "rejected" ? each.reason : "done"));
    };
    expect(await attempt()).toMatchObject([unchanged, unchanged, unchanged]);
    expect(await namesIn(database)).toEqual(["taken"]);
    const [one, taken, two] = await attempt();
    expect([one, two]).toEqual(["done", "done"]);
    expect(taken).toMatchObject({ message: expect.stringContaining("unique") });
    expect(await namesIn(database)).toEqual(["one", "taken", "two"]);
  });

  test("go on when a later one asks for what PostgreSQL refuses, from the second time on", async () => {
    const attempt = async () => {
      const ask = () => database.write(async (tx) => ({ row: await tx.get("SELECT 1 / 0") }));
      const all = await Promise.allSettled([put("one"), ask(), put("two")]);
      return all.map((each): unknown => (each.status === "rejected" ? each.reason : "done"));
    };
    expect((await attempt())[0]).toMatchObject(unchanged);
    await database.write((tx) => tx.run("DELETE FROM settings"));
    const [one, refused, two] = await attempt();
    expect([one, two]).toEqual(["done", "done"]);
    expect(refused).toMatchObject({ code: "22012" });
    expect(await namesIn(database)).toEqual(["one", "two"]);
  });

  test("are known to be", async () => {
    const commits = await Promise.all([1, 2].map(() => database.write(async ({ commit }) => ({ commit }))));
    const [one, two] = commits.map(({ commit }) => commit);
    expect(one).toBe(two);
    const later = await database.write(async ({ commit }) => ({ commit }));
    expect(later.commit).not.toBe(one);
  });

  test("fail with the error of their own statement, and the others can be tried again", async () => {
    await put("taken");
    const neighbour = database.write(async (tx) => {
      await tx.run("DELETE FROM settings WHERE name = 'none'");
      return "done";
    });
    const refused = put("taken");
    await expect(refused).rejects.toThrow("unique");
    await expect(neighbour).rejects.toMatchObject(unchanged);
  });
});

describe("a command that takes too long", () => {
  /** Does something first, perhaps. */
  const slow = (first?: string) =>
    database.write(async (tx) => {
      if (first !== undefined) await tx.run(first);
      await tx.get("SELECT set_config('statement_timeout', '100', true)");
      await tx.get("SELECT pg_sleep(20)");
    });
  const statusesOf = async (...works: readonly Promise<unknown>[]) => await Promise.allSettled(works);
  const done = { status: "fulfilled" };
  const refused = { status: "rejected", reason: unchanged };

  test("fails its section the first time, which can be tried again, and only itself from then on", async () => {
    expect(await statusesOf(put("with the first"), slow())).toMatchObject([refused, refused]);
    const second = await statusesOf(put("before"), slow(), put("behind"));
    expect(second).toMatchObject([done, refused, done]);
    expect(await namesIn(database)).toEqual(["before", "behind"]);
  });

  test("fails alone if it has changed something, and nothing of that is kept", async () => {
    const update = "UPDATE settings SET value = 'slow'";
    expect(await statusesOf(put("before"), slow(update), put("behind"))).toMatchObject([done, refused, done]);
    const values = await database.read((tx) => tx.all("SELECT DISTINCT value FROM settings"));
    expect(values).toEqual([{ value: "" }]);
  });
});

describe("a section", () => {
  test("that changed nothing is not committed", async () => {
    const texts = await statementsOf(() => database.write(async (tx) => ({ row: await tx.get("SELECT 1") })));
    expect(texts).not.toContain("COMMIT");
  });

  test("that is lost with its connection has not happened, and the next one goes on", async () => {
    const lost = database.write(async (tx) => {
      await tx.run(insertName, ["lost"]);
      await tx.change("UPDATE settings SET value = 'x'");
      await endSessions("idle in transaction");
      await tx.get("SELECT 1");
    });
    await expect(lost).rejects.toMatchObject(unchanged);
    await put("next");
    expect(await namesIn(database)).toEqual(["next"]);
  });

  test("waits for another that holds the lock, and calls do not wait for ever", async () => {
    const holder = new Client({ connectionString: url });
    await holder.connect();
    await holder.query("BEGIN");
    await holder.query("SELECT * FROM log_position FOR UPDATE");
    const { signal } = new AbortController();
    const ofCall = database.write((tx) => tx.run(insertName, ["of a call"]), { signal });
    const own = put("of the service");
    await expect(ofCall).rejects.toMatchObject(unchanged);
    await holder.query("ROLLBACK");
    await own;
    await holder.end();
    expect(await namesIn(database)).toEqual(["of the service"]);
  });
});

test("a section begins once, although another one was committed while it waited", async () => {
  const holder = new Client({ connectionString: url });
  await holder.connect();
  await holder.query("BEGIN");
  await holder.query("UPDATE log_position SET last_sequence = last_sequence + 1");
  const texts = await statementsOf(async () => {
    const write = put("waited");
    const waiting =
      "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
    while ((await place.raw.peek(waiting)).length === 0);
    await holder.query("COMMIT");
    await write;
  });
  await holder.end();
  expect(
    texts.filter((text) => text.startsWith("SELECT last_sequence, access_version, last_id")),
  ).toHaveLength(1);
});

describe("reads", () => {
  test("of one turn share a snapshot, and one of them takes one round trip", async () => {
    await namesIn(database);
    const texts = await statementsOf(() =>
      Promise.all([namesIn(database), database.refresh(), namesIn(database)]),
    );
    expect(texts.filter((text) => text.startsWith("BEGIN"))).toHaveLength(1);
    expect(texts.filter((text) => text.startsWith("SELECT last_sequence"))).toHaveLength(1);
  });

  const endReads = () => endSessions("idle in transaction");

  test("are made once more when their connection is lost before the answer", async () => {
    await put("there");
    const seen: number[] = [];
    const rows = await database.read(async (tx) => {
      const found = await tx.all("SELECT name FROM settings");
      seen.push(found.length);
      if (seen.length === 1) await endReads();
      return await tx.all<{ name: string }>("SELECT name FROM settings");
    });
    expect(seen).toEqual([1, 1]);
    expect(rows).toEqual([{ name: "there" }]);
  });

  test("fail when the second connection is lost as well", async () => {
    let attempts = 0;
    const read = database.read(async (tx) => {
      await tx.get("SELECT 1");
      attempts += 1;
      await endReads();
      await tx.get("SELECT 1");
    });
    await expect(read).rejects.toMatchObject({ kind: "unavailable" });
    expect(attempts).toBe(2);
  });

  test("that take too long are not made again", async () => {
    let attempts = 0;
    const read = database.read(async (tx) => {
      attempts += 1;
      await tx.get("SELECT set_config('statement_timeout', '100', true)");
      await tx.get("SELECT pg_sleep(20)");
    });
    await expect(read).rejects.toMatchObject({ kind: "unavailable" });
    expect(attempts).toBe(1);
  });

  test("answer although their connections were lost before", async () => {
    await namesIn(database);
    await endSessions("%");
    expect(await namesIn(database)).toEqual([]);
    await put("next");
    await database.probe();
  });

  test("that await something else are refused, and leave nothing behind", async () => {
    const stuck = database.read(async (tx) => {
      await tx.get("SELECT 1");
      while ((await tx.get("SELECT 1")) !== undefined)
        await new Promise((resolve) => {
          setTimeout(resolve, 2500);
        });
    });
    await expect(stuck).rejects.toThrow("a transaction awaited something other than its statements");
    expect(await namesIn(database)).toEqual([]);
  });
});
