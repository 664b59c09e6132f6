import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { systemRandom } from "../../../../src/kernel/base/random.ts";
import type { Database, WriteTransaction } from "../../../../src/kernel/base/database.ts";
import { openSqliteDatabase } from "../../../../src/kernel/storage/sqlite/sqlite-database.ts";
import { createTestClock } from "../../../support/clock.ts";
import { makeTemporaryFolder } from "../../../support/temporary.ts";

let folder: ReturnType<typeof makeTemporaryFolder>;
let database: Database;

beforeEach(() => {
  folder = makeTemporaryFolder();
  database = openSqliteDatabase({
    file: join(folder.path, "gatehouse.db"),
    clock: createTestClock(),
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

test("a part of a write passes an error of the storage on, and then nothing of the write is done", async () => {
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

test("a pause of a write puts off a purge, which is made when the write has ended", async () => {
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

test("a pause of a long write ends no purge before its time, however long it is, nor do those that follow it", async () => {
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
