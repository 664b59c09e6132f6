import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import Sqlite from "better-sqlite3";
import type { Database } from "../../../../src/kernel/base/database.ts";
import { systemRandom } from "../../../../src/kernel/base/random.ts";
import type { Seat } from "../../../../src/kernel/storage/seat.ts";
import { openSqliteDatabase } from "../../../../src/kernel/storage/sqlite/sqlite-database.ts";
import { createTestClock } from "../../../support/clock.ts";
import { createSeats } from "../../../support/seats.ts";
import { makeTemporaryFolder } from "../../../support/temporary.ts";

const clock = createTestClock();
let folder: ReturnType<typeof makeTemporaryFolder>;
let seats: readonly Seat[];
let one: Database;
let other: Database;

const file = () => join(folder.path, "gatehouse.db");
const openAt = (seat: Seat | undefined) =>
  openSqliteDatabase({
    file: file(),
    clock,
    random: systemRandom,
    seat,
    onFatal: (error) => {
      throw error;
    },
  });

beforeEach(() => {
  folder = makeTemporaryFolder();
  seats = createSeats(2);
  one = openAt(seats[0]);
  other = openAt(seats[1]);
});
afterEach(async () => {
  await Promise.all([one.close(), other.close()]);
  folder.remove();
});

const put = (database: Database, name: string, value = "") =>
  database.write((tx) =>
    tx.run(
      "INSERT INTO settings (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
      [name, value],
    ),
  );
const names = (database: Database) =>
  database.read(async (tx) =>
    (await tx.all<{ name: string }>("SELECT name FROM settings ORDER BY name")).map(({ name }) => name),
  );
/** Writes that each process makes at the same time, a few after the other. */
const both = (work: (database: Database, index: number) => Promise<unknown>) =>
  Promise.all(
    [one, other].map(async (database) => {
      for (let index = 0; index < 20; index++) await work(database, index);
    }),
  );

describe("a read", () => {
  test("sees what the other process has committed since, even in the turn in which a read has begun", async () => {
    expect(await names(one)).toEqual([]);
    const outside = new Sqlite(file());
    const first = names(one); // its snapshot lasts until the end of the turn
    outside.exec("INSERT INTO settings (name, value) VALUES ('a', '')"); // in the same turn
    const second = names(one);
    outside.close();
    expect([await first, await second]).toEqual([[], ["a"]]);
    await put(other, "b");
    expect(await names(one)).toEqual(["a", "b"]);
  });
});

describe("a watch", () => {
  test("tells by a refresh, a read or a write what others have changed, and nothing of what is not watched", async () => {
    const watch = one.watch(["settings"]);
    const changed = async (learn: () => unknown) => {
      const before = watch.committed();
      await put(other, "a", `${before}`);
      expect(watch.committed()).toBe(before);
      await learn();
      expect(watch.committed()).toBeGreaterThan(before);
    };
    await changed(() => one.refresh());
    await changed(() => names(one));
    await changed(() => one.write(async () => {}));
    await changed(() => one.read(async (tx) => await tx.get("SELECT 1")));
    const known = watch.committed();
    await other.write((tx) => tx.run("DELETE FROM sessions"));
    await one.refresh();
    expect(watch.committed()).toBe(known);
  });

  test("of a table that is written all the time is refused, as on PostgreSQL", () => {
    expect(() => one.watch(["sessions"])).toThrow("sessions is written too often to be watched");
  });

  test("costs nothing to refresh while others commit nothing", async () => {
    await put(other, "a");
    await one.refresh();
    expect(one.refresh()).toBeUndefined();
    await put(one, "b");
    expect(one.refresh()).toBeUndefined();
  });
});

describe("writes of both at the same time", () => {
  test("are one after the other: none is lost", async () => {
    await put(one, "count", "0");
    await both((database) =>
      database.write(async (tx) => {
        const row = await tx.get<{ value: string }>("SELECT value FROM settings WHERE name = 'count'");
        await tx.run("UPDATE settings SET value = ? WHERE name = 'count'", [`${Number(row?.value) + 1}`]);
      }),
    );
    const [row] = await one.read((tx) => tx.all<{ value: string }>("SELECT value FROM settings"));
    expect(row?.value).toBe("40");
  });

  test("get ids that no other process gives", async () => {
    const ids: string[] = [];
    await both((database) => database.write(async (tx) => ids.push(tx.nextId())));
    expect(new Set(ids).size).toBe(40);
    expect(new Set(ids.map((id) => Number(BigInt(id) & 63n)))).toEqual(new Set([0, 1]));
  });

  test("a write that has waited too long for its turn is refused, and has no effect", async () => {
    await seats[1]?.turns.enter();
    const { signal } = new AbortController();
    const late = one.write((tx) => tx.run("INSERT INTO settings (name, value) VALUES ('late', '')"), {
      signal,
    });
    await expect(late).rejects.toMatchObject({ reason: "OVERLOADED" });
    seats[1]?.turns.leave();
    await put(one, "next");
    expect(await names(other)).toEqual(["next"]);
  }, 10_000);
});

test("a listener hears soon of what the other process commits, and at once of its own", async () => {
  const heard = Promise.withResolvers<void>();
  const end = one.onCommit(heard.resolve);
  await other.write(async (tx) => {
    const sequence = await tx.reserveSequences(1);
    await tx.run(
      `INSERT INTO events (sequence, date, aggregate_type, aggregate_id, revision, type, version, resource_owner, editor, request_id, payload)
       VALUES (?, 0, 'a', '1', 1, 't', 1, '', '', '', '{}')`,
      [sequence],
    );
  });
  await expect(heard.promise).resolves.toBeUndefined();
  end();
});

test("a purge leaves nothing of what was deleted, while the other process reads", async () => {
  const secret = "plain-text-that-must-go-".repeat(20);
  await put(one, "a", secret);
  await names(other);
  const over = new AbortController();
  const reading = (async () => {
    while (!over.signal.aborted) {
      await names(other);
      await new Promise(setImmediate);
    }
  })();
  await one.write((tx) => tx.run("DELETE FROM settings"));
  await one.purge();
  over.abort();
  await reading;
  expect(statSync(`${file()}-wal`).size).toBe(0);
  expect(readFileSync(file()).includes(secret.slice(0, 40))).toBe(false);
});
