import { expect, test } from "@jest/globals";
import type { WriteTransaction } from "../../../../src/kernel/base/database.ts";
import { useSqlite } from "./use-sqlite.ts";
import { insertName, putName as put, selectNames } from "../port/open-place.ts";

const sqlite = useSqlite();

type Work = (tx: WriteTransaction) => Promise<unknown>;

/** Does the work in one transaction, and returns the names that are stored then, in order. */
async function namesAfter(...works: readonly Work[]): Promise<readonly string[]> {
  await Promise.allSettled(works.map((work) => sqlite.database.write(work)));
  return (await sqlite.database.read((tx) => tx.all<{ name: string }>(selectNames))).map(({ name }) => name);
}

const puts =
  (name: string): Work =>
  (tx) =>
    put(tx, name);

const failing =
  (work: Work): Work =>
  async (tx) => {
    await work(tx);
    throw new Error("refused");
  };

test("a part that was undone stays undone when a later command fails", async () => {
  const withPart: Work = async (tx) => {
    await put(tx, "a");
    await tx.nested(failing(puts("part"))).catch(() => {});
    await put(tx, "b");
  };
  expect(await namesAfter(withPart, failing(puts("c")), puts("d"))).toEqual(["a", "b", "d"]);
});

test("a statement that failed and was let pass does not fail again when a later command fails", async () => {
  const twice: Work = async (tx) => {
    await put(tx, "a");
    await tx.run(insertName, ["a"]).catch(() => {});
  };
  expect(await namesAfter(twice, failing(puts("b")), puts("c"))).toEqual(["a", "c"]);
});

test("what a command has read, changed and removed is so again when a later command fails", async () => {
  const change: Work = async (tx) => {
    await tx.run("UPDATE settings SET name = name || '2'");
    await tx.run("DELETE FROM settings WHERE name = 'a2'");
    expect(await tx.all(selectNames)).toEqual([{ name: "b2" }]);
  };
  expect(await namesAfter(puts("a"), puts("b"), change, failing(puts("c")))).toEqual(["b2"]);
});

test("a failing command behind a very large one takes back only what it did", async () => {
  const large: Work = async (tx) => {
    for (let index = 0; index < 10_001; index++) await put(tx, `a${index}`);
  };
  const names = await namesAfter(puts("a"), large, puts("b"), failing(puts("c")), puts("d"));
  expect(names).toHaveLength(1 + 10_001 + 2);
  expect(names.slice(-2)).toEqual(["b", "d"]);
});

test("a very large command that fails takes back all that it did", async () => {
  const large: Work = async (tx) => {
    for (let index = 0; index < 10_001; index++) await put(tx, `b${index}`);
  };
  expect(await namesAfter(puts("a"), failing(large), puts("c"))).toEqual(["a", "c"]);
});

test("no statement that returns rows may change some: it would be missing when a transaction is made again", async () => {
  const returning = "INSERT INTO settings (name, value) VALUES (?, '') RETURNING name";
  await expect(sqlite.database.write((tx) => tx.get(returning, ["a"]))).rejects.toThrow(
    "returns rows changes some",
  );
});
