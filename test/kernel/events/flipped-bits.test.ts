import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import Sqlite from "better-sqlite3";
import { join } from "node:path";
import { checkChecksums, checkSealed } from "../../../src/cli/doctor/row-checks.ts";
import type { Unreadable } from "../../../src/kernel/events/event-row.ts";
import { readEventsOf } from "../../../src/kernel/events/event-row.ts";
import { putSecret } from "../../../src/kernel/events/secret-store.ts";
import { createKeyring, newMasterKeyText, parseMasterKeys } from "../../../src/kernel/base/keyring.ts";
import { systemRandom } from "../../../src/kernel/base/random.ts";
import { resealSecrets } from "../../../src/identity/instance/sealed-secrets.ts";
import type { UserId } from "../../../src/kernel/base/ids.ts";
import { flipBit, type Stored } from "../../support/flipped-bit.ts";
import { ids, sampleEvents } from "./sample-events.ts";
import { openTestLog, type TestLog } from "./test-log.ts";

// A bit of each column of the log and of the secrets is changed, one after the other.

let log: TestLog;
/** A second connection, past all code of ours. */
let raw: Sqlite.Database;

const origin = { editor: ids.human as UserId, remoteAddress: "192.0.2.7", requestId: "request-7" };

beforeAll(async () => {
  log = await openTestLog();
  await log.append(sampleEvents);
  const phone = sampleEvents.filter(({ type }) => type === "user.phone.set");
  await log.append([...phone, ...phone], origin); // the second one refers to the address of the first
  await log.database.write((tx) =>
    putSecret(tx, "token:1", { keyId: "none", value: new Uint8Array([1, 2]) }),
  );
  raw = new Sqlite(join(log.place.folder, "gatehouse.db"));
  raw.defaultSafeIntegers(true);
  raw.pragma("foreign_keys = OFF");
});

afterAll(async () => {
  raw.close();
  await log.close();
});

const columnsOf = (table: string) =>
  (raw.pragma(`table_info(${table})`) as { name: string }[])
    .map(({ name }) => name)
    .filter((name) => name !== "checksum");
const columns = {
  events: [
    "sequence",
    "date",
    "aggregate_type",
    "aggregate_id",
    "revision",
    "type",
    "version",
    "resource_owner",
    "editor",
    "request_id",
    "remote_address",
    "payload",
    "personal",
    "remote_address_of",
  ],
  secrets: ["id", "key_id", "value"],
};

test("all columns are tried", () => {
  expect({ events: columnsOf("events"), secrets: columnsOf("secrets") }).toEqual(columns);
});

const keys = { events: "sequence", secrets: "id" };

/** Reads of one turn of the event loop share a snapshot, which does not end when another connection writes. */
const nextSnapshot = () => new Promise(setImmediate);

/** Changes a bit of the last row that has something in the column, looks, and takes the change back. */
async function withFlippedBit<T>(
  {
    table,
    column,
    bit,
  }: { readonly table: keyof typeof keys; readonly column: string; readonly bit: number },
  look: (key: Stored) => Promise<T>,
): Promise<T> {
  const key = keys[table];
  const found = raw
    .prepare(
      `SELECT ${key} AS key, ${column} AS value FROM ${table} WHERE ${column} IS NOT NULL ORDER BY ${key} DESC LIMIT 1`,
    )
    .get() as { readonly key: Stored; readonly value: Stored }; // as selected
  const changed = flipBit(found.value, bit);
  const place = column === key ? changed : found.key;
  const set = raw.prepare(`UPDATE ${table} SET ${column} = ? WHERE ${key} = ?`);
  expect(set.run(changed, found.key).changes).toBe(1);
  await nextSnapshot();
  try {
    return await look(place);
  } finally {
    expect(set.run(found.value, place).changes).toBe(1);
    await nextSnapshot();
  }
}

const readAll = async () => {
  const found: Unreadable[] = [];
  const events = await log.database.read(async (tx) => {
    const sequences = await tx.all<{ sequence: number }>("SELECT sequence FROM events ORDER BY sequence");
    const setup = {
      personalData: log.personalData,
      onUnreadable: (those: readonly Unreadable[]) => void found.push(...those),
    };
    return await readEventsOf(
      tx,
      setup,
      sequences.map(({ sequence }) => sequence),
    );
  });
  return { events, columns: found.map(({ column }) => column) };
};
const doctor = () =>
  log.database.read(async (tx) => ({
    checksums: await checkChecksums(tx),
    sealed: await checkSealed(tx, log.context.keyring),
  }));

/** Some bits of each column; of a key those that make no other key of it. */
const bitsOf: Readonly<Record<string, readonly number[]>> = {
  sequence: [12, 50],
  revision: [12, 50],
  id: [5, 60],
};
const cases = Object.entries(columns).flatMap(([table, names]) =>
  names.flatMap((column) =>
    (bitsOf[column] ?? [0, 5, 62]).map((bit) => ({ table: table as keyof typeof keys, column, bit })),
  ),
);

test.each(cases)(
  "bit $bit of $column in $table: doctor sees it, and every event is listed",
  async (flipped) => {
    const before = await readAll();
    await withFlippedBit(flipped, async (key) => {
      const { checksums } = await doctor();
      const name = `the ${flipped.table.slice(0, -1)} ${key.toString()}`;
      expect(checksums.state).toBe("FAILED");
      expect(checksums.detail).toMatch(/^1 of \d+ rows have changed since they were written, the first is /);
      expect(checksums.detail).toContain(`${name}; restore a backup`);
      expect((await readAll()).events).toHaveLength(before.events.length);
    });
    expect((await doctor()).checksums).toMatchObject({ state: "ok" });
  },
);

describe("what cannot be opened", () => {
  test.each([
    ["events", "personal", 0, ["personal"]],
    ["events", "remote_address", 0, ["remote_address", "remote_address"]], // of the event that refers to it too
    ["events", "version", 0, ["personal"]],
    ["events", "payload", 0, ["payload"]],
    ["events", "date", 62, ["date"]],
  ] as const)("in %s.%s reads as absent, and is counted", async (table, column, bit, expected) => {
    const before = await readAll();
    expect(before.columns).toEqual([]);
    await withFlippedBit({ table, column, bit }, async () => {
      expect((await readAll()).columns).toEqual(expected);
      const { sealed } = await doctor();
      expect(sealed.state).toBe("FAILED");
      expect(sealed.detail).toMatch(new RegExp(`^${expected.length} values cannot be read, the first is `));
    });
    expect(await readAll()).toEqual(before);
  });

  test("takes from an event nothing but what was changed", async () => {
    const before = (await readAll()).events.at(-1);
    expect(before).toMatchObject({ remoteAddress: "192.0.2.7", payload: { phone: expect.any(String) } });
    await withFlippedBit({ table: "events", column: "personal", bit: 9 }, async () => {
      expect((await readAll()).events.at(-1)).toEqual({ ...before, payload: {} });
    });
  });

  test("is not rebuilt without: the tables hold what the log has lost", async () => {
    await withFlippedBit({ table: "events", column: "personal", bit: 0 }, async () => {
      const before = await log.dump();
      await expect(log.rebuild()).rejects.toThrow(/cannot be applied: sealed data cannot be opened/);
      expect(await log.dump()).toEqual(before);
    });
  });

  test("does not keep its owner from working, whose address is left out", async () => {
    const id = `user-key:${ids.human}`;
    const { value } = raw.prepare("SELECT value FROM secrets WHERE id = ?").get(id) as { value: Buffer };
    const set = (bytes: Stored) =>
      log.run("UPDATE secrets SET value = ? WHERE id = ?", [bytes as Buffer, id]);
    await set(flipBit(value));
    await log.append(
      [{ ...organizationOf("99"), type: "organization.added", payload: { name: "Later" } }],
      origin,
    );
    expect((await readAll()).events.at(-1)).toMatchObject({ aggregateId: "99", remoteAddress: undefined });
    expect((await doctor()).checksums.detail).toContain(`the secret ${id}`);
    await set(value);
  });
});

const organizationOf = (id: string) => ({ aggregateId: id, resourceOwner: id });

describe("checksums", () => {
  test("are counted where an earlier version wrote none", async () => {
    raw.exec("BEGIN; UPDATE secrets SET checksum = NULL");
    const { changes } = raw.prepare("UPDATE events SET checksum = NULL WHERE type LIKE 'user.%'").run();
    raw.exec("COMMIT");
    await nextSnapshot();
    const secrets = raw.prepare("SELECT COUNT(*) AS n FROM secrets").get() as { n: bigint };
    const { checksums } = await doctor();
    expect(checksums.state).toBe("ok");
    expect(checksums.detail).toMatch(
      new RegExp(`, ${BigInt(changes) + secrets.n} rows of an earlier version have no checksum$`),
    );
  });

  test("are right again when a secret is written anew, by a rotation too", async () => {
    const { keyring } = log.context;
    const next = createKeyring(parseMasterKeys(newMasterKeyText(systemRandom)), systemRandom);
    const both = { ...next, decrypt: keyring.decrypt };
    const { count } = await log.database.write((tx) => resealSecrets(tx, both, ""));
    expect(count).toBeGreaterThan(0);
    const sums = raw.prepare("SELECT COUNT(checksum) AS n FROM secrets WHERE key_id = ?").get(next.keyIds[0]);
    expect(sums).toEqual({ n: BigInt(count) });
    expect((await doctor()).checksums).toMatchObject({ state: "ok" });
  });
});
