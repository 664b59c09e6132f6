import { afterEach, beforeEach, expect, test } from "@jest/globals";
import type { WriteTransaction } from "../../../src/kernel/base/database.ts";
import {
  createPersonalData,
  organizationKeyId,
  type PersonalData,
} from "../../../src/kernel/events/personal-data.ts";
import { removeSecret } from "../../../src/kernel/events/secret-store.ts";
import { engine } from "../../support/engine/engine.ts";
import { asOneOfSeveral, type OneOfSeveral } from "../../support/one-of-several.ts";
import { openTestLog, type TestLog } from "./test-log.ts";

// The keys that a process remembers for sealing, while another process destroys some of them.

let log: TestLog;
let database: OneOfSeveral;
let personalData: PersonalData;

beforeEach(async () => {
  log = await openTestLog([]);
  database = asOneOfSeveral(log.database);
  personalData = createPersonalData(log.context.keyring, log.context.random, database);
  await log.database.write(async (tx) => {
    for (const userId of ["7", "8"]) await log.personalData.createKey(tx, userId, "1");
  });
});
afterEach(() => log.close());

const seal = (userId: string) => database.write((tx) => personalData.seal(tx, userId, "Ada", "name"));
const destroy = (id: string) => log.database.write((tx) => removeSecret(tx, id));

test("nothing is sealed with a key that another process has destroyed", async () => {
  expect([await seal("7"), await seal("8")]).toEqual([expect.any(Uint8Array), expect.any(Uint8Array)]);
  await destroy("user-key:7");
  expect([await seal("7"), await seal("8")]).toEqual([undefined, expect.any(Uint8Array)]);
});

test("nothing is sealed for users of an organization whose key another process has destroyed", async () => {
  await seal("7");
  await destroy(organizationKeyId("1"));
  expect([await seal("7"), await seal("8")]).toEqual([undefined, undefined]);
});

test("a key that another process has destroyed is not remembered from an earlier command of the same write", async () => {
  await seal("7");
  await destroy("user-key:7");
  const sealed = await database.write(async (tx) => [
    await personalData.seal(tx, "8", "Ada", "name"),
    await personalData.seal(tx, "7", "Ada", "name"),
  ]);
  expect(sealed).toEqual([expect.any(Uint8Array), undefined]);
});

test("a key that is destroyed in the command that made it seals nothing more", async () => {
  const sealed = await database.write(async (tx) => {
    await personalData.createKey(tx, "9", "1");
    const before = await personalData.seal(tx, "9", "Ada", "name");
    await removeSecret(tx, "user-key:9");
    return [before, await personalData.seal(tx, "9", "Ada", "name")];
  });
  expect(sealed).toEqual([expect.any(Uint8Array), undefined]);
});

test("a key is not remembered from a command that was undone", async () => {
  const failed = database.write(async (tx) => {
    await removeSecret(tx, "user-key:7");
    await personalData.createKey(tx, "7", "1");
    await personalData.seal(tx, "7", "Ada", "name");
    throw new Error("undone");
  });
  await expect(failed).rejects.toThrow("undone");
  const sealed = await seal("7");
  const open = database.read((tx) => log.personalData.open(tx, "7", sealed!, "name"));
  await expect(open).resolves.toBe("Ada");
});

const addUser = (tx: WriteTransaction, userId: string, organizationId: string) =>
  tx.nested((part) => personalData.createKey(part, userId, organizationId));

/** Runs a write, and undoes all of it. */
async function undo(work: (tx: WriteTransaction) => Promise<unknown>): Promise<void> {
  const failed = database.write(async (tx) => {
    await work(tx);
    throw new Error("undone");
  });
  await expect(failed).rejects.toThrow("undone");
}

/** Seals with what this process remembers, and opens with what is stored. */
async function sealAndOpen(userId: string): Promise<string | undefined> {
  const sealed = await seal(userId);
  return await log.database.read((tx) => log.personalData.open(tx, userId, sealed!, "name"));
}

test("a key is not remembered from another command of a write that was undone", async () => {
  await seal("7"); // from now on what is read is remembered
  await undo(async (tx) => {
    await addUser(tx, "9", "1");
    await tx.nested((part) => personalData.seal(part, "9", "Ada", "name"));
  });
  await database.write((tx) => addUser(tx, "9", "1"));
  expect(await sealAndOpen("9")).toBe("Ada");
});

test("the key of an organization is not remembered from a write that was undone", async () => {
  await seal("7");
  await undo(async (tx) => {
    await addUser(tx, "9", "2");
    await addUser(tx, "10", "2");
  });
  await database.write((tx) => addUser(tx, "9", "2"));
  expect(await sealAndOpen("9")).toBe("Ada");
});

test("a key of an organization that another process has destroyed wraps no key of a new user", async () => {
  await seal("7");
  await database.write((tx) => addUser(tx, "9", "1"));
  await destroy(organizationKeyId("1"));
  await database.write((tx) => addUser(tx, "10", "1"));
  expect(await sealAndOpen("10")).toBe("Ada");
});

test("the key of an organization is read once for many new users", async () => {
  await seal("7");
  const statements: string[] = [];
  const end = engine.onStatement((sql) => statements.push(sql));
  for (const userId of ["9", "10", "11"]) await database.write((tx) => addUser(tx, userId, "1"));
  end();
  expect(statements.filter((sql) => sql.includes("FROM secrets"))).toHaveLength(1);
});
