import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import type { WriteTransaction } from "../../../src/kernel/base/database.ts";
import { engine } from "../../support/engine/engine.ts";
import { ids, sampleEvents } from "./sample-events.ts";
import { openTestLog, organizationAdded, originOf, type TestLog } from "./test-log.ts";

let log: TestLog;

beforeEach(async () => {
  log = await openTestLog();
});

afterEach(() => log.close());

describe("the remote address", () => {
  const address = "198.51.100.23";
  const openWith = (row: { remote_address: Uint8Array | null }, userId: string, context: string) =>
    log.database.read((tx) => log.personalData.open(tx, userId, row.remote_address!, context));

  test("is sealed under the key of the editor, bound to the event", async () => {
    await log.append(sampleEvents);
    await log.append([organizationAdded("1")], originOf(ids.service, address));
    const row = (await log.events()).at(-1)!;
    expect(Buffer.from(row.remote_address!).includes(address)).toBe(false);
    const context = "1organization.added1remote_address";
    expect(await openWith(row, ids.service, context)).toBe(address);
    await expect(openWith(row, ids.human, context)).rejects.toThrow();
    await expect(openWith(row, ids.service, "2organization.added1remote_address")).rejects.toThrow();
  });

  test("can be opened by nobody once the key of the editor is destroyed", async () => {
    await log.append(sampleEvents);
    await log.append([organizationAdded("1")], originOf(ids.service, address));
    await log.run("DELETE FROM secrets WHERE id = ?", [`user-key:${ids.service}`]);
    const row = (await log.events()).at(-1)!;
    expect(await openWith(row, ids.service, "1organization.added1remote_address")).toBeUndefined();
  });

  test("is not sealed any more once that key is destroyed, which was used a moment ago", async () => {
    await log.append(sampleEvents);
    await log.append([organizationAdded("1")], originOf(ids.service, address));
    await log.database.write(async (tx) => {
      await tx.run("DELETE FROM secrets WHERE id = ?", [`user-key:${ids.service}`]);
      await log.context.log.append(tx, originOf(ids.service, address), [organizationAdded("2")]);
    });
    await log.append([organizationAdded("3")], originOf(ids.service, address));
    expect((await log.events()).slice(-3).map((row) => row.remote_address)).toEqual([
      expect.anything(),
      null,
      null,
    ]);
  });

  test("is sealed once in a transaction, for each editor and each address", async () => {
    await log.append(sampleEvents);
    const origins = [
      originOf(ids.service, address),
      originOf(ids.service, address),
      originOf(ids.human, address),
      originOf(ids.human, address),
      originOf(ids.human, "203.0.113.7"),
      originOf("system", address),
    ];
    await log.database.write(async (tx) => {
      for (const [index, origin] of origins.entries())
        await log.context.log.append(tx, origin, [
          organizationAdded(`70${index}`),
          organizationAdded(`80${index}`),
        ]);
    });
    const rows = (await log.events()).slice(-2 * origins.length);
    const sequences = rows.map((row) => row.sequence);
    const [service, , , , human, , , , moved] = sequences;
    expect(rows.map((row) => row.remote_address_of)).toEqual([
      null,
      service,
      service,
      service,
      null,
      human,
      human,
      human,
      null,
      moved,
      null,
      null,
    ]);
    expect(rows.filter((row) => row.remote_address !== null).map((row) => row.sequence)).toEqual([
      service,
      human,
      moved,
    ]);
    const read = await log.database.read((tx) => log.context.log.read(tx, sequences));
    expect(read.map((event) => event.remoteAddress)).toEqual(
      origins.flatMap(({ editor, remoteAddress }) =>
        Array.from({ length: 2 }, () => (editor === "system" ? undefined : remoteAddress)),
      ),
    );
  });

  const append = (tx: WriteTransaction, id: string) =>
    log.context.log.append(tx, originOf(ids.service, address), [organizationAdded(id)]);

  test("is sealed anew after the part of a transaction whose event held it was undone", async () => {
    await log.append(sampleEvents);
    await log.database.write(async (tx) => {
      const undone = tx.nested(async (part) => {
        await append(part, "1");
        throw new Error("undone");
      });
      await expect(undone).rejects.toThrow("undone");
      await tx.nested((part) => append(part, "2"));
      await append(tx, "3");
      await append(tx, "4");
    });
    const rows = (await log.events()).slice(-3);
    expect(rows.map((row) => row.aggregate_id)).toEqual(["2", "3", "4"]);
    expect(rows.map((row) => row.remote_address_of)).toEqual([null, rows[0]?.sequence, rows[0]?.sequence]);
    const read = await log.database.read((tx) =>
      log.context.log.read(
        tx,
        rows.map((row) => row.sequence),
      ),
    );
    expect(read.map((event) => event.remoteAddress)).toEqual([address, address, address]);
  });

  test("is sealed once in all commands of a commit, by one of those that stay", async () => {
    await log.append(sampleEvents);
    const failed = log.database.write(async (tx) => {
      await append(tx, "1");
      throw new Error("undone");
    });
    const alone = log.database.write((tx) => append(tx, "2"));
    const undone = log.database.write(async (tx) => {
      await log.context.log.append(tx, originOf(ids.human, address), [organizationAdded("3")]);
      throw new Error("undone");
    });
    const others = [
      log.database.write((tx) =>
        log.context.log.append(tx, originOf(ids.human, address), [organizationAdded("4")]),
      ),
      log.database.write((tx) => append(tx, "5")),
      log.database.write((tx) => append(tx, "6")),
    ];
    await expect(failed).rejects.toThrow("undone");
    await expect(undone).rejects.toThrow("undone");
    await Promise.all([alone, ...others]);
    await log.append([organizationAdded("7")], originOf(ids.service, address));
    const rows = (await log.events()).slice(-5);
    expect(rows.map((row) => row.aggregate_id)).toEqual(["2", "4", "5", "6", "7"]);
    const first = rows[0]?.sequence;
    expect(rows.map((row) => row.remote_address_of)).toEqual([null, null, first, first, null]);
    const read = await log.database.read((tx) =>
      log.context.log.read(
        tx,
        rows.map((row) => row.sequence),
      ),
    );
    expect(read.map((event) => event.remoteAddress)).toEqual(rows.map(() => address));
  });

  test("is absent where a damaged log lacks the event that held it", async () => {
    await log.append(sampleEvents);
    const write = log.database.write(async (tx) => {
      await tx.run(engine.deferForeignKeys);
      const sequence = await append(tx, "1");
      await tx.run("UPDATE events SET remote_address_of = 1, remote_address = NULL WHERE sequence = ?", [
        sequence,
      ]);
      expect(await log.context.log.read(tx, [sequence])).toMatchObject([
        { aggregateId: "1", remoteAddress: undefined },
      ]);
    });
    await expect(write).rejects.toThrow(engine.words.brokenForeignKey);
  });

  test("is never looked for in an event that was undone", async () => {
    await log.append(sampleEvents);
    await log.database.write(async (tx) => {
      const part = tx.nested(() => append(tx, "1")); // not in the part, which is refused
      await expect(part).rejects.toThrow("while a part of it was under way");
      await append(tx, "2");
    });
    const row = (await log.events()).at(-1);
    expect(row).toMatchObject({ aggregate_id: "2", remote_address_of: null });
    expect(row?.remote_address).not.toBeNull();
  });

  test.each([
    ["the system", originOf("system", address)],
    ["an editor without a key", originOf("99", address)],
    ["a call whose port does not know it", originOf(ids.service)],
  ])("is absent for %s", async (_who, origin) => {
    await log.append(sampleEvents);
    await log.append([organizationAdded("1")], origin);
    expect((await log.events()).at(-1)?.remote_address).toBeNull();
  });
});
