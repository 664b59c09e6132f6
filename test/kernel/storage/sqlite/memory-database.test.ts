import { describe, expect, test } from "@jest/globals";
import { systemRandom } from "../../../../src/kernel/base/random.ts";
import { openConnection } from "../../../../src/kernel/storage/sqlite/connection.ts";
import { openMemoryDatabase } from "../../../../src/kernel/storage/sqlite/memory-database.ts";
import { migrate } from "../../../../src/kernel/storage/sqlite/migrations.ts";
import { createTestClock } from "../../../support/clock.ts";
import { type OpenOptions } from "../../../support/engine/engine.ts";
import { insertName, instead, selectNames } from "../port/open-place.ts";

const onFatal = (error: Error) => {
  throw error;
};
const bytes = makeMigrated();
const open = (options: OpenOptions) =>
  openMemoryDatabase({ random: systemRandom, onFatal, bytes, ...options });

instead.open = open;
await import("../port/nested.test.ts");
await import("../port/on-commit.test.ts");
await import("../port/sequences.test.ts");
await import("../port/transactions.test.ts");
await import("../port/values.test.ts");
await import("../port/waiting-writes.test.ts");
await import("../port/watches.test.ts");

/** Makes what takes too long to be made in each case. */
function makeMigrated(): Buffer {
  const connection = openConnection(":memory:", { readonly: false });
  migrate(connection.raw, 0);
  return connection.raw.serialize();
}

const namesIn = async (database: ReturnType<typeof open>) => {
  const rows = await database.read((tx) => tx.all<{ name: string }>(selectNames));
  return rows.map(({ name }) => name);
};

describe("a database in memory", () => {
  test("shows a read nothing of a write that is under way, and a write waits for reads", async () => {
    const database = open({ clock: createTestClock() });
    const order: string[] = [];
    const written = database.write(async (tx) => {
      await tx.run(insertName, ["a"]);
      void namesIn(database).then((names) => order.push(`read ${names.join()}`));
      await tx.pause();
      await tx.run(insertName, ["b"]);
      order.push("write");
    });
    const before = database.read(async (tx) => {
      const rows = [await tx.all(selectNames), await tx.all(selectNames), await tx.all(selectNames)];
      order.push("read before");
      return rows.flat();
    });
    expect(await before).toEqual([]);
    await written;
    expect(await namesIn(database)).toEqual(["a", "b"]);
    expect(order).toEqual(["read before", "write", "read a,b"]);
    await database.close();
  });

  test("goes back to what was marked, as often as it is asked, and tells watches", async () => {
    const database = open({ clock: createTestClock() });
    await expect(database.restore()).rejects.toThrow("nothing was marked");
    await database.write((tx) => tx.run(insertName, ["kept"]));
    await database.mark();
    const watch = database.watch(["settings"]);
    for (const name of ["a", "b"]) {
      await database.write((tx) => tx.run(insertName, [name]));
      const seen = watch.committed();
      const sequence = await database.write((tx) => tx.reserveSequences(1));
      const waiting = database.write((tx) => tx.run(insertName, ["waits"]));
      await Promise.all([waiting, database.restore()]);
      expect(watch.committed()).not.toBe(seen);
      expect(await database.write((tx) => tx.reserveSequences(1))).toBeGreaterThan(sequence);
    }
    expect(await namesIn(database)).toContain("kept");
    await database.restore();
    expect(await namesIn(database)).toEqual(["kept"]);
    await database.close();
  });
});
