import { afterEach, beforeEach, expect, jest, test } from "@jest/globals";
import type { OrganizationId } from "../../../src/kernel/base/ids.ts";
import { addOrganization } from "../../../src/identity/organizations/organization.ts";
import { createRemovalSweep, type RemovalSweep } from "../../../src/identity/organizations/removal-sweep.ts";
import { systemOrigin, openTestLog, type TestLog } from "../../kernel/events/test-log.ts";
import { asOneOfSeveral, type OneOfSeveral } from "../../support/one-of-several.ts";

// Which of several processes deletes the rows of removed organizations, and when.

let log: TestLog;
let database: OneOfSeveral;
let term: AbortSignal | undefined;
let sweep: RemovalSweep;
let errors: unknown[];

beforeEach(async () => {
  jest.useFakeTimers({
    doNotFake: ["Date", "hrtime", "nextTick", "performance", "queueMicrotask", "setImmediate", "setTimeout"],
  });
  log = await openTestLog();
  database = asOneOfSeveral(log.database);
  term = new AbortController().signal;
  errors = [];
  sweep = createRemovalSweep({
    context: { ...log.context, database },
    leadership: { term: () => term },
    onError: (error) => errors.push(error),
  });
});
afterEach(async () => {
  jest.useRealTimers();
  await sweep.stop();
  await log.close();
});

/** Removes an organization, as the process of the database given does it, and leaves its rows. */
async function removeOne(): Promise<void> {
  const id = log.context.ids.next<OrganizationId>();
  await log.append([addOrganization(id, `Organization ${id}`)]);
  await log.database.write((tx) =>
    log.context.log.append(tx, systemOrigin, [
      { type: "organization.removed", aggregateId: id, resourceOwner: id, payload: {} },
    ]),
  );
}

const countLeft = async () =>
  (await log.database.read((tx) => tx.all("SELECT id FROM removed_organizations"))).length;

/** Waits until nothing is left; the time limit of the test ends it if that never comes. */
async function swept(): Promise<true> {
  while ((await countLeft()) > 0) await new Promise(setImmediate);
  return true;
}

const turns = async () => {
  for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
};

test("begins with what processes before have left", async () => {
  await removeOne();
  sweep.start();
  expect(await swept()).toBe(true);
});

test("goes on at once when it is told", async () => {
  sweep.start();
  await turns();
  await removeOne();
  await turns();
  expect(await countLeft()).toBe(1);
  sweep.wake();
  expect(await swept()).toBe(true);
});

test("finds what another process has removed when it looks again", async () => {
  sweep.start();
  await turns();
  await removeOne();
  jest.advanceTimersByTime(5000);
  expect(await swept()).toBe(true);
});

test("leaves the work to the leader, and takes it over", async () => {
  term = undefined;
  await removeOne();
  sweep.start();
  sweep.wake();
  jest.advanceTimersByTime(5000);
  await turns();
  expect([await countLeft(), database.refreshes()]).toEqual([1, 0]);
  term = new AbortController().signal;
  jest.advanceTimersByTime(5000);
  expect(await swept()).toBe(true);
});

test("stops when the term ends, and goes on in the next one", async () => {
  const ending = new AbortController();
  term = ending.signal;
  await removeOne();
  sweep.start();
  ending.abort(); // before its first transaction
  await turns();
  expect(await countLeft()).toBe(1);
  term = new AbortController().signal;
  sweep.wake();
  expect(await swept()).toBe(true);
});

test("tells of a failure", async () => {
  const failure = new Error("the connection is gone");
  database.failWith(failure);
  sweep.start();
  await turns();
  expect(errors).toEqual([failure]);
});
