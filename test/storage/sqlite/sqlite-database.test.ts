import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import * as fc from "fast-check";
import { systemRandom } from "../../../src/base/random.ts";
import type { Database } from "../../../src/base/database.ts";
import { Problem } from "../../../src/base/problem.ts";
import { DataFolderBusyError, DataFolderError, dataFolderAt } from "../../../src/storage/data-folder.ts";
import { DatabaseTooNewError } from "../../../src/storage/schema-versions.ts";
import { lockDataFolder } from "../../../src/storage/sqlite/lock.ts";
import { openSqliteDatabase } from "../../../src/storage/sqlite/sqlite-database.ts";
import { createTestClock, type TestClock } from "../../support/clock.ts";
import { makeTemporaryFolder } from "../../support/temporary.ts";

const insert = "INSERT INTO settings (name, value) VALUES (?, '')";
const select = "SELECT name FROM settings ORDER BY name";

let folder: ReturnType<typeof makeTemporaryFolder>;
let clock: TestClock;
let database: Database;

const open = () =>
  openSqliteDatabase({
    file: join(folder.path, "gatehouse.db"),
    clock,
    random: systemRandom,
    onFatal: (error) => {
      throw error;
    },
  });

const names = async () =>
  (await database.read((tx) => tx.all<{ name: string }>(select))).map((row) => row.name);

beforeEach(() => {
  folder = makeTemporaryFolder();
  clock = createTestClock();
  database = open();
});

afterEach(async () => {
  await database.close();
  folder.remove();
});

describe("write", () => {
  test("shows a read that starts after its answer what it wrote", async () => {
    await database.write((tx) => tx.run(insert, ["a"]));
    expect(await names()).toEqual(["a"]);
  });

  test("answers after the commit of the whole batch, and not before", async () => {
    const other = new Sqlite(join(folder.path, "gatehouse.db"), { readonly: true });
    const seenAtAnswer = await Promise.all(
      ["a", "b", "c"].map((name) =>
        database
          .write((tx) => tx.run(insert, [name]))
          .then(() => other.prepare<[], string>(select).pluck().all()),
      ),
    );
    other.close();
    expect(seenAtAnswer).toEqual([
      ["a", "b", "c"],
      ["a", "b", "c"],
      ["a", "b", "c"],
    ]);
  });

  test("keeps nothing of a command that throws, and everything of its neighbours in the same batch", async () => {
    const outcomes = await Promise.allSettled(
      ["a", "b", "c"].map((name) =>
        database.write(async (tx) => {
          await tx.run(insert, [name]);
          if (name === "b") throw new Error("refused");
          return name;
        }),
      ),
    );
    expect(outcomes.map((outcome) => outcome.status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(await names()).toEqual(["a", "c"]);
  });

  test("keeps of any commands in any order those that do not fail", async () => {
    type Kind = "done" | "fails before it writes" | "fails after it wrote" | "returns a problem";
    const kinds = fc.constantFrom<Kind>(
      "done",
      "fails before it writes",
      "fails after it wrote",
      "returns a problem",
    );
    let made = 0;
    const expected: string[] = [];
    await fc.assert(
      fc.asyncProperty(fc.array(kinds, { minLength: 1, maxLength: 8 }), async (commands) => {
        const writes = commands.map((kind) => {
          const name = String((made += 1)).padStart(6, "0");
          if (kind === "done" || kind === "returns a problem") expected.push(name);
          return database.write(async (tx) => {
            if (kind === "fails before it writes") throw new Error("no");
            await tx.run(insert, [name]);
            if (kind === "fails after it wrote") throw new Error("no");
            return kind === "done"
              ? name
              : new Problem({ kind: "invalid", reason: "CODE_INVALID", message: "" });
          });
        });
        const outcomes = await Promise.allSettled(writes); // all in one batch
        expect(outcomes.map(({ status }) => status)).toEqual(
          commands.map((kind) => (kind === "done" ? "fulfilled" : "rejected")),
        );
        expect(await names()).toEqual(expected);
      }),
      { numRuns: 60 },
    );
  });

  test("keeps the changes of a command that returns a problem, and throws the problem", async () => {
    const problem = new Problem({ kind: "invalid", reason: "CODE_INVALID", message: "wrong" });
    const write = database.write(async (tx) => {
      await tx.run(insert, ["try"]);
      return problem;
    });
    await expect(write).rejects.toBe(problem);
    expect(await names()).toEqual(["try"]);
  });

  test("commits nothing once the deadline has passed, also when it passes inside the command", async () => {
    const deadlineMs = clock.nowMs() + 1000;
    const write = database.write(
      async (tx) => {
        await tx.run(insert, ["late"]);
        clock.turn(1000);
      },
      { deadlineMs },
    );
    await expect(write).rejects.toMatchObject({ kind: "deadline", reason: "DEADLINE_EXCEEDED" });
    expect(await names()).toEqual([]);
  });

  test("refuses a command that awaits something other than its statements, and goes on with the next", async () => {
    const slow = database.write(async (tx) => {
      await tx.run(insert, ["slow"]);
      await new Promise((resolve) => {
        setTimeout(resolve, 50);
      });
    });
    await expect(slow).rejects.toThrow("awaited something other");
    await database.write((tx) => tx.run(insert, ["next"]));
    expect(await names()).toEqual(["next"]);
  });

  test("refuses the use of a transaction after its end", async () => {
    const kept = await database.write(async (tx) => ({ tx }));
    await expect(kept.tx.run(insert, ["after"])).rejects.toThrow("after its end");
  });

  test("answers 600 commands that arrive at once", async () => {
    await Promise.all(
      Array.from({ length: 600 }, (_, index) => database.write((tx) => tx.run(insert, [`${index}`]))),
    );
    expect(await names()).toHaveLength(600);
  });

  test("answers a slow command before the next one that waited begins, and small ones together", async () => {
    const write = (name: string, durationMs: number) => async (order: string[]) => {
      await database.write(async () => {
        order.push(`${name} runs`);
        clock.turn(durationMs);
      });
      order.push(`${name} is answered`);
    };
    const runTogether = async (durationMs: number) => {
      const order: string[] = [];
      await Promise.all([write("a", durationMs)(order), write("b", durationMs)(order)]);
      return order;
    };
    expect(await runTogether(0)).toEqual(["a runs", "b runs", "a is answered", "b is answered"]);
    expect(await runTogether(200)).toEqual(["a runs", "a is answered", "b runs", "b is answered"]);
  });

  test("does not show a reader what is not committed", async () => {
    let seen: readonly unknown[] | undefined;
    const write = database.write((tx) => tx.run(insert, ["a"]));
    const read = database.read(async (tx) => {
      seen = await tx.all(select);
    });
    await read;
    await write;
    expect(seen).toEqual([]);
  });
});

describe("read", () => {
  test("fails with the first error, and the next read is answered", async () => {
    await expect(database.read((tx) => tx.get("SELECT 1 FROM nowhere"))).rejects.toThrow(
      "no such table: nowhere",
    );
    const failing = database.read(async () => {
      throw new Error("of the caller");
    });
    await expect(failing).rejects.toThrow("of the caller");
    expect(await names()).toEqual([]);
  });

  test("refuses the use of a transaction after its end", async () => {
    const kept = await database.read(async (tx) => ({ tx }));
    await expect(kept.tx.all(select)).rejects.toThrow("a transaction was used after its end");
    await expect(kept.tx.get(select)).rejects.toThrow("a transaction was used after its end");
  });

  test("sees a commit of the same turn, after others that began before it and do not", async () => {
    let before: Promise<readonly string[]> | undefined;
    await database.write(async (tx) => {
      before = names();
      await tx.run(insert, ["a"]);
    });
    expect(await names()).toEqual(["a"]);
    expect(await before).toEqual([]);
  });

  test("refuses one that awaits something other than its statements, and goes on with the next", async () => {
    const slow = database.read(async (tx) => {
      await new Promise((resolve) => {
        setTimeout(resolve, 5);
      });
      return await tx.all(select);
    });
    await expect(slow).rejects.toThrow("a transaction awaited something other than its statements");
    expect(await names()).toEqual([]);
  });
});

describe("a full disk", () => {
  test("fails the write as unavailable, keeps the process, and serves again when there is room", async () => {
    const limit = (pages: number) =>
      database.write(async (tx) => {
        await tx.get(`PRAGMA max_page_count = ${pages}`);
      });
    await database.write((tx) => tx.run(insert, ["before"]));
    await limit(1);
    const large = database.write((tx) =>
      tx.run("INSERT INTO secrets (id, key_id, value) VALUES ('x', '', ?)", [new Uint8Array(1e6)]),
    );
    await expect(large).rejects.toMatchObject({ kind: "unavailable", retryAfterMs: 5000 });
    await limit(1_000_000);
    await database.write((tx) => tx.run(insert, ["behind"]));
    expect(await names()).toEqual(["before", "behind"].toSorted());
  });
});

describe("reserveSequences", () => {
  const reserve = (count: number) => database.write((tx) => tx.reserveSequences(count));

  test("gives the wall clock in microseconds, and the last value plus one when the clock did not move", async () => {
    expect(await reserve(1)).toBe(clock.nowMs() * 1000);
    expect(await reserve(3)).toBe(clock.nowMs() * 1000 + 3);
  });

  test("goes on upwards when the clock goes back an hour", async () => {
    const before = await reserve(1);
    clock.turn(-3_600_000);
    expect(await reserve(1)).toBe(before + 1);
  });
});

describe("the files", () => {
  test("are refused when a newer version wrote them", async () => {
    await database.write((tx) => tx.run("INSERT INTO migrations (version, date) VALUES (9999, 0)"));
    expect(open).toThrow(DatabaseTooNewError);
  });

  test("are left alone when another program made them", () => {
    const file = join(folder.path, "songs.db");
    const songs = new Sqlite(file);
    songs.exec("CREATE TABLE songs (title TEXT)");
    songs.close();
    const before = readFileSync(file);
    const openSongs = () => openSqliteDatabase({ file, clock, random: systemRandom, onFatal: () => {} });
    expect(openSongs).toThrow(DataFolderError);
    expect(openSongs).toThrow(`${file} cannot be opened: it belongs to another program`);
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  test("keep full durability, foreign keys, the erasing of what is deleted, and no temporary files", async () => {
    const file = new Sqlite(join(folder.path, "gatehouse.db"));
    expect(file.pragma("journal_mode", { simple: true })).toBe("wal");
    file.close();
    const pragma = (name: string) => database.write((tx) => tx.get<Record<string, number>>(`PRAGMA ${name}`));
    expect(await pragma("synchronous")).toEqual({ synchronous: 2 });
    expect(await pragma("foreign_keys")).toEqual({ foreign_keys: 1 });
    expect(await pragma("secure_delete")).toEqual({ secure_delete: 1 });
    expect(await pragma("temp_store")).toEqual({ temp_store: 2 });
  });

  test("are for one process at a time", () => {
    const lock = lockDataFolder(dataFolderAt(folder.path));
    expect(() => lockDataFolder(dataFolderAt(folder.path))).toThrow(DataFolderBusyError);
    lock.release();
    lockDataFolder(dataFolderAt(folder.path)).release();
  });
});
