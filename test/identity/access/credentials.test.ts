import { afterEach, beforeEach, expect, test } from "@jest/globals";
import type { Database } from "../../../src/kernel/base/database.ts";
import { type TokenId, toId } from "../../../src/kernel/base/ids.ts";
import { accessTables, createCredentials } from "../../../src/identity/access/credentials.ts";
import { openSetup, type Setup } from "../memberships/setup.ts";

let setup: Setup;
let first: TokenId;
let second: TokenId;
let reads: number;

beforeEach(async () => {
  setup = await openSetup();
  await setup.give(setup.userId, setup.scopes.project, "PROJECT_OWNER");
  const { userId } = setup;
  ({ id: first } = await setup.addToken({ userId, by: "system" }));
  ({ id: second } = await setup.addToken({ userId, by: "system" }));
  reads = 0;
});
afterEach(() => setup.close());

/** A look-up whose reads are counted. */
function openCredentials(limit?: number) {
  const { database, clock } = setup.log;
  const read: Database["read"] = (fn) => {
    reads++;
    return database.read(fn);
  };
  return createCredentials({ database: { read }, clock }, database.watch(accessTables), limit);
}

test("a token is read once until something is committed, by calls at the same time too", async () => {
  const find = openCredentials();
  const [found, same] = await Promise.all([find(first), find(first)]);
  expect(found).toMatchObject({ token: { tokenId: first }, held: [{ roles: ["PROJECT_OWNER"] }] });
  expect([same, await find(first), reads]).toEqual([found, found, 1]);
  await setup.give(setup.userId, setup.scopes.home, "ORGANIZATION_VIEWER");
  expect((await find(first))?.held).toHaveLength(2);
  expect(reads).toBe(2);
});

test("a write to tables that say nothing about access is no reason to read again", async () => {
  const find = openCredentials();
  await find(first);
  await setup.log.run("INSERT INTO settings (name, value) VALUES ('a', '')");
  await find(first);
  expect(reads).toBe(1);
});

test("a token that is not there is read each time", async () => {
  const find = openCredentials();
  const absent = toId<TokenId>("4711");
  expect([await find(absent), await find(absent), reads]).toEqual([undefined, undefined, 2]);
});

test("what is remembered is bounded, by what the users of the tokens hold", async () => {
  const find = openCredentials(3); // a token and its membership count two
  for (const id of [first, second]) await find(id);
  expect(reads).toBe(2);
  for (const id of [first, second]) await find(id);
  expect(reads).toBe(4);
});
