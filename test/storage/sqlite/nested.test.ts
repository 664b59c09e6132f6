import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { systemRandom } from "../../../src/base/random.ts";
import type { Database, WriteTransaction } from "../../../src/base/database.ts";
import { Problem } from "../../../src/base/problem.ts";
import { openSqliteDatabase } from "../../../src/storage/sqlite/sqlite-database.ts";
import { createTestClock, type TestClock } from "../../support/clock.ts";
import { makeTemporaryFolder } from "../../support/temporary.ts";

let folder: ReturnType<typeof makeTemporaryFolder>;
let clock: TestClock;
let database: Database;

beforeEach(() => {
  folder = makeTemporaryFolder();
  clock = createTestClock();
  database = openSqliteDatabase({
    file: join(folder.path, "gatehouse.db"),
    clock,
    random: systemRandom,
    onFatal: (error) => {
      throw error;
    },
  });
});

afterEach(async () => {
  await database.close();
  folder.remove();
});

const put = (tx: WriteTransaction, name: string) =>
  tx.change("INSERT INTO settings (name, value) VALUES (?, '')", [name]);
const names = async () =>
  (await database.read((tx) => tx.all<{ name: string }>("SELECT name FROM settings ORDER BY name"))).map(
    ({ name }) => name,
  );
const file = () =>
  readFileSync(join(folder.path, "gatehouse.db"), "latin1") +
  readFileSync(join(folder.path, "gatehouse.db-wal"), "latin1");
const refused = () => new Problem({ kind: "invalid", reason: "FIELD_INVALID", message: "no" });

test("a pause ends work that nobody waits for any more, and nothing of it stays", async () => {
  const deadlineMs = clock.nowMs() + 1000;
  const late = database.write(
    async (tx) => {
      await put(tx, "late");
      clock.turn(1000);
      await tx.pause();
      throw new Error("the work went on");
    },
    { deadlineMs },
  );
  await expect(late).rejects.toMatchObject({ reason: "DEADLINE_EXCEEDED" });
  expect(await names()).toEqual([]);
});

describe("a part of a write", () => {
  test("that fails takes back what it did, and nothing else", async () => {
    const problem = refused();
    const seen = await database.write(async (tx) => {
      await put(tx, "before");
      const failed = await tx
        .nested(async (part) => {
          await put(part, "in the part");
          throw problem;
        })
        .catch((error: unknown) => error);
      const left = await tx.all<{ name: string }>("SELECT name FROM settings ORDER BY name");
      await put(tx, "behind");
      return { failed, left: left.map(({ name }) => name) };
    });
    expect(seen.failed).toBe(problem);
    expect(seen.left).toEqual(["before"]);
    expect(await names()).toEqual(["before", "behind"]);
  });

  test("returns what it made, and is undone with the whole", async () => {
    expect(await database.write((tx) => tx.nested(async (part) => await put(part, "a")))).toBe(1);
    const failing = database.write(async (tx) => {
      await tx.nested((part) => put(part, "b"));
      throw refused();
    });
    await expect(failing).rejects.toMatchObject({ reason: "FIELD_INVALID" });
    expect(await names()).toEqual(["a"]);
  });

  test("may have parts, each of which may fail", async () => {
    await database.write(async (tx) => {
      await tx.nested(async (part) => {
        await put(part, "outer");
        const inner = part.nested(async (within) => {
          await put(within, "inner");
          throw refused();
        });
        await inner.catch(() => {});
        await put(part, "outer again");
      });
    });
    expect(await names()).toEqual(["outer", "outer again"]);
  });

  test("may be one of a thousand, and leaves the neighbours of the write alone", async () => {
    const one = database.write(async (tx) => {
      for (let index = 0; index < 1000; index++)
        await tx
          .nested(async (part) => {
            await put(part, `${index}`);
            if (index % 2 === 1) throw refused();
          })
          .catch(() => {});
    });
    const other = database.write((tx) => put(tx, "other"));
    await Promise.all([one, other]);
    expect(await names()).toHaveLength(501);
  });

  test("passes an error of the storage on, and then nothing of the write is done", async () => {
    const limit = (pages: number) =>
      database.write(async (tx) => {
        await tx.get(`PRAGMA max_page_count = ${pages}`);
      });
    await limit(1);
    const full = database.write(async (tx) => {
      await put(tx, "before");
      await tx.nested((part) =>
        part.run("INSERT INTO secrets (id, key_id, value) VALUES ('x', '', ?)", [new Uint8Array(1e6)]),
      );
    });
    await expect(full).rejects.toMatchObject({ kind: "unavailable" });
    await limit(1_000_000);
    await database.write((tx) => put(tx, "behind"));
    expect(await names()).toEqual(["behind"]);
  });

  test.each(["done", "undone"])("does nothing any more once it is %s", async (how) => {
    await database.write(async (tx) => {
      const parts: WriteTransaction[] = [];
      await tx
        .nested(async (part) => {
          parts.push(part);
          if (how === "undone") throw refused();
        })
        .catch(() => {});
      for (const part of parts) await expect(put(part, "late")).rejects.toThrow("after its end");
      expect(parts).toHaveLength(1);
      await put(tx, "behind");
    });
    expect(await names()).toEqual(["behind"]);
  });

  test("is refused after the end of the write", async () => {
    const { tx } = await database.write(async (given) => ({ tx: given }));
    await expect(tx.nested(async () => 1)).rejects.toThrow("after its end");
    await expect(tx.pause()).rejects.toThrow("after its end");
  });

  test("has sequences of its own, which are not given again when it fails", async () => {
    const given = await database.write(async (tx) => {
      const first = await tx.reserveSequences(1);
      await tx
        .nested(async (part) => {
          await part.reserveSequences(5);
          throw refused();
        })
        .catch(() => {});
      return [first, await tx.reserveSequences(1)];
    });
    expect(given).toEqual([clock.nowMs() * 1000, clock.nowMs() * 1000 + 6]);
  });
});

describe("a pause of a write", () => {
  test("lets reads and timers have their turn, which do not see what is not committed; writes wait", async () => {
    const order: string[] = [];
    let isOver = false;
    const long = database.write(async (tx) => {
      await put(tx, "long");
      while (!order.includes("read") || !order.includes("timer")) await tx.pause();
      isOver = true;
    });
    const next = database.write(async (tx) => {
      order.push(isOver ? "write behind it" : "write beside it");
      await put(tx, "next");
    });
    await new Promise(setImmediate);
    setTimeout(() => order.push("timer"), 0);
    expect(await names()).toEqual([]);
    order.push("read");
    await Promise.all([long, next]);
    expect(order.toSorted()).toEqual(["read", "timer", "write behind it"]);
    expect(order.at(-1)).toBe("write behind it");
    expect(await names()).toEqual(["long", "next"]);
  });

  test.each([0, 1, 3])("leaves work that awaits something else refused, after %d pauses", async (pauses) => {
    const stuck = database.write(async (tx) => {
      for (let index = 0; index < pauses; index++) await tx.pause();
      await put(tx, "stuck");
      await new Promise((resolve) => {
        setTimeout(resolve, 50);
      });
    });
    await expect(stuck).rejects.toThrow("awaited something other");
    await database.write((tx) => put(tx, "next"));
    expect(await names()).toEqual(["next"]);
  });

  test("may be the first that a write does", async () => {
    await database.write(async (tx) => {
      await tx.pause();
      await put(tx, "a");
    });
    expect(await names()).toEqual(["a"]);
  });

  test("keeps a part of the work that is under way", async () => {
    await database.write(async (tx) => {
      await tx
        .nested(async (part) => {
          await put(part, "undone");
          await part.pause();
          throw refused();
        })
        .catch(() => {});
      await tx.nested(async (part) => {
        await put(part, "done");
        await part.pause();
      });
    });
    expect(await names()).toEqual(["done"]);
  });

  test("of a write whose deadline passes meanwhile commits nothing", async () => {
    const late = database.write(
      async (tx) => {
        await put(tx, "late");
        await tx.pause();
        clock.turn(1000);
      },
      { deadlineMs: clock.nowMs() + 1000 },
    );
    await expect(late).rejects.toMatchObject({ kind: "deadline" });
    expect(await names()).toEqual([]);
  });

  test("puts off a purge, which is made when the write has ended", async () => {
    const secret = "a name that is to be gone";
    await database.write((tx) => put(tx, secret));
    await database.write((tx) => tx.run("DELETE FROM settings WHERE name = ?", [secret]));
    expect(file()).toContain(secret);
    let purged: Promise<void> | undefined;
    let isPurged = false;
    const wasPurged = await database.write(async (tx) => {
      await put(tx, "long");
      purged = database.purge().then(() => {
        isPurged = true;
      });
      for (let index = 0; index < 20; index++) await tx.pause();
      return { isPurged, isThere: file().includes(secret) };
    });
    expect(wasPurged).toEqual({ isPurged: false, isThere: true });
    await purged;
    expect(file()).not.toContain(secret);
    expect(await names()).toEqual(["long"]);
  });

  test("of a long write ends no purge before its time, however long it is, nor do those that follow it", async () => {
    const secret = "another name that is to be gone";
    await database.write((tx) => put(tx, secret));
    await database.write((tx) => tx.run("DELETE FROM settings WHERE name = ?", [secret]));
    let left: boolean | undefined;
    let purged: Promise<void> | undefined;
    const isOver = () => left !== undefined;
    const hold = async (tx: WriteTransaction) => {
      purged ??= database.purge().then(() => {
        left = file().includes(secret);
      });
      const endMs = performance.now() + 300; // longer than a purge waits for readers
      while (performance.now() < endMs && !isOver()) await tx.pause();
      return isOver();
    };
    const held = await Promise.all([hold, hold, hold].map((each) => database.write(each)));
    await purged;
    expect(left).toBe(false);
    expect(held[0]).toBe(false);
  });
});
