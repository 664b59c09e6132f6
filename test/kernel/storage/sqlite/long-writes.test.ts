import { expect, test } from "@jest/globals";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { WriteTransaction } from "../../../../src/kernel/base/database.ts";
import { useSqlite } from "./use-sqlite.ts";

const sqlite = useSqlite();

const put = (tx: WriteTransaction, name: string) =>
  tx.change("INSERT INTO settings (name, value) VALUES (?, '')", [name]);
const names = async () =>
  (
    await sqlite.database.read((tx) => tx.all<{ name: string }>("SELECT name FROM settings ORDER BY name"))
  ).map(({ name }) => name);
const file = () =>
  readFileSync(sqlite.file, "latin1") + readFileSync(join(sqlite.folder, "gatehouse.db-wal"), "latin1");

test("a part of a write passes an error of the storage on, and then nothing of the write is done", async () => {
  const limit = (pages: number) =>
    sqlite.database.write(async (tx) => {
      await tx.get(`PRAGMA max_page_count = ${pages}`);
    });
  await limit(1);
  const full = sqlite.database.write(async (tx) => {
    await put(tx, "before");
    await tx.nested((part) =>
      part.run("INSERT INTO secrets (id, key_id, value) VALUES ('x', '', ?)", [new Uint8Array(1e6)]),
    );
  });
  await expect(full).rejects.toMatchObject({ kind: "unavailable" });
  await limit(1_000_000);
  await sqlite.database.write((tx) => put(tx, "behind"));
  expect(await names()).toEqual(["behind"]);
});

test("a pause of a write puts off a purge, which is made when the write has ended", async () => {
  const secret = "a name that is to be gone";
  await sqlite.database.write((tx) => put(tx, secret));
  await sqlite.database.write((tx) => tx.run("DELETE FROM settings WHERE name = ?", [secret]));
  expect(file()).toContain(secret);
  let purged: Promise<void> | undefined;
  let isPurged = false;
  const wasPurged = await sqlite.database.write(async (tx) => {
    await put(tx, "long");
    purged = sqlite.database.purge().then(() => {
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
  await sqlite.database.write((tx) => put(tx, secret));
  await sqlite.database.write((tx) => tx.run("DELETE FROM settings WHERE name = ?", [secret]));
  let left: boolean | undefined;
  let purged: Promise<void> | undefined;
  const isOver = () => left !== undefined;
  const hold = async (tx: WriteTransaction) => {
    purged ??= sqlite.database.purge().then(() => {
      left = file().includes(secret);
    });
    const endMs = performance.now() + 300; // longer than a purge waits for readers
    while (performance.now() < endMs && !isOver()) await tx.pause();
    return isOver();
  };
  const held = await Promise.all([hold, hold, hold].map((each) => sqlite.database.write(each)));
  await purged;
  expect(left).toBe(false);
  expect(held[0]).toBe(false);
});
