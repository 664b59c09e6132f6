import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { Database, WriteTransaction } from "../../../src/kernel/base/database.ts";
import { addSecret, putSecret } from "../../../src/kernel/events/secret-store.ts";
import { shareServer, type TestDatabases } from "../connect/support/cluster.ts";
import { openProcess } from "./support.ts";

let cluster: TestDatabases;
let one: Database;
let other: Database;

beforeAll(async () => {
  cluster = shareServer();
  const url = await cluster.makeDatabase();
  [one, other] = await Promise.all([openProcess(url), openProcess(url)]);
});
afterAll(async () => {
  await one.close();
  await other.close();
  await cluster.close();
});

const store = (tx: WriteTransaction, id: string) =>
  putSecret(tx, id, { keyId: "", value: new Uint8Array(1) });

test("a write that was undone before anything was sent does not hide what another process commits next", async () => {
  const watch = one.watch(["secrets"]);
  const undone = one.write(async (tx) => {
    await store(tx, "undone");
    throw new Error("undone");
  });
  await expect(undone).rejects.toThrow("undone");
  const before = watch.committed();
  await other.write((tx) => store(tx, "of the other"));
  await one.refresh();
  expect(watch.committed()).toBeGreaterThan(before);
});

test("another process does not forget what it remembers for a secret that is new, and does for one that is replaced", async () => {
  const watch = one.watch(["secrets"]);
  const before = watch.committed();
  await other.write((tx) => addSecret(tx, "new", { keyId: "", value: new Uint8Array(1) }));
  await one.refresh();
  expect(watch.committed()).toBe(before);
  await other.write((tx) => store(tx, "new"));
  await one.refresh();
  expect(watch.committed()).toBeGreaterThan(before);
});

test("sequences of a write that was undone are not taken for those of events", async () => {
  const before = one.lastSequence();
  const undone = one.write(async (tx) => {
    await tx.reserveSequences(1000);
    throw new Error("undone");
  });
  await expect(undone).rejects.toThrow("undone");
  expect(one.lastSequence()).toBe(before);
});
