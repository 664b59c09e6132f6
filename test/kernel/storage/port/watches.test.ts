import { expect, test } from "@jest/globals";
import type { WriteTransaction } from "../../../../src/kernel/base/database.ts";
import { addSecret, putSecret } from "../../../../src/kernel/events/secret-store.ts";
import { usePort } from "./open-place.ts";

const port = usePort();
const store = (tx: WriteTransaction, id: string) =>
  putSecret(tx, id, { keyId: "k", value: new Uint8Array([1]) });

test("a watch counts a write of its table once it is committed, and inside the transaction at once", async () => {
  const watch = port.database.watch(["secrets"]);
  const before = watch.committed();
  const inside = await port.database.write(async (tx) => {
    const atFirst = watch.written();
    await store(tx, "a");
    return { atFirst, committed: watch.committed(), written: watch.written() };
  });
  expect(inside.written).not.toBe(inside.atFirst);
  expect(inside.committed).toBe(before);
  expect(watch.committed()).not.toBe(before);
});

test("a watch does not count a secret that is new", async () => {
  const watch = port.database.watch(["secrets"]);
  const before = watch.committed();
  await port.database.write(async (tx) => {
    const atFirst = watch.written();
    await addSecret(tx, "new", { keyId: "k", value: new Uint8Array([1]) });
    expect(watch.written()).toBe(atFirst);
  });
  expect(watch.committed()).toBe(before);
});

test("a watch of another table stays", async () => {
  const watch = port.database.watch(["stored_organizations"]);
  await port.database.read((tx) => tx.all("SELECT name FROM settings"));
  const before = watch.committed();
  await port.database.write((tx) => store(tx, "a"));
  expect(watch.committed()).toBe(before);
});

test("refresh has nothing to learn from a database at rest", async () => {
  await port.database.write((tx) => store(tx, "a"));
  const watch = port.database.watch(["secrets"]);
  const before = watch.committed();
  await port.database.refresh();
  expect(watch.committed()).toBe(before);
});
