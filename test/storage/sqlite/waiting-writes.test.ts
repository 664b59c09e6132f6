import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { join } from "node:path";
import { systemRandom } from "../../../src/base/random.ts";
import type { Database } from "../../../src/base/database.ts";
import { openSqliteDatabase } from "../../../src/storage/sqlite/sqlite-database.ts";
import { createTestClock, type TestClock } from "../../support/clock.ts";
import { makeTemporaryFolder } from "../../support/temporary.ts";

const maxWaitingWrites = 100;
const insert = "INSERT INTO settings (name, value) VALUES (?, '')";

let folder: ReturnType<typeof makeTemporaryFolder>;
let clock: TestClock;
let database: Database;

beforeEach(() => {
  folder = makeTemporaryFolder();
  clock = createTestClock();
  const onFatal = (error: Error) => {
    throw error;
  };
  database = openSqliteDatabase({
    file: join(folder.path, "gatehouse.db"),
    clock,
    random: systemRandom,
    onFatal,
    maxWaitingWrites,
  });
});
afterEach(async () => {
  await database.close();
  folder.remove();
});

const { signal } = new AbortController();
const write = (name: string, options: object = { signal }) =>
  database.write((tx) => tx.run(insert, [name]), options);
const namesOf = async () => {
  const rows = await database.read((tx) => tx.all<{ name: string }>("SELECT name FROM settings"));
  return rows.map(({ name }) => name).toSorted();
};

test("changes of calls beyond those that may wait are refused, and nothing of them is there", async () => {
  const names = Array.from({ length: 3 * maxWaitingWrites }, (_each, index) => `n${index}`);
  const outcomes = await Promise.allSettled(names.map((name) => write(name)));
  const refusal = { kind: "exhausted", reason: "TOO_MANY_CALLS", retryAfterMs: 1000 };
  for (const [index, outcome] of outcomes.entries()) {
    const expected =
      index < maxWaitingWrites ? { status: "fulfilled" } : { status: "rejected", reason: refusal };
    expect(outcome).toMatchObject(expected);
  }
  expect(await namesOf()).toEqual(names.slice(0, maxWaitingWrites).toSorted());
  await write("afterwards");
  expect(await namesOf()).toContain("afterwards");
});

test("changes whose callers have gone count until their turn comes", async () => {
  const gone = Array.from({ length: maxWaitingWrites }, (_each, index) =>
    write(`gone${index}`, { signal, deadlineMs: clock.nowMs() }),
  );
  await expect(write("one more")).rejects.toMatchObject({ reason: "TOO_MANY_CALLS" });
  for (const each of await Promise.allSettled(gone)) expect(each.status).toBe("rejected");
  expect(await namesOf()).toEqual([]);
});

test("changes that the service makes by itself wait, however many there are", async () => {
  const own = Array.from({ length: 3 * maxWaitingWrites }, (_each, index) => write(`n${index}`, {}));
  await Promise.all(own);
  expect(await namesOf()).toHaveLength(3 * maxWaitingWrites);
});

test("those that wait are counted", async () => {
  expect(database.waitingWrites()).toBe(0);
  const writes = Array.from({ length: 7 }, (_each, index) => write(`n${index}`));
  expect(database.waitingWrites()).toBe(7);
  await Promise.all(writes);
  expect(database.waitingWrites()).toBe(0);
});
