import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { setTimeout as pause } from "node:timers/promises";
import { DatabaseBusyError } from "../../../src/kernel/storage/database-unusable.ts";
import type { Connector } from "../../../src/kernel/storage/postgres/connect/connector.ts";
import {
  openSessionLocks,
  type SessionLocks,
} from "../../../src/kernel/storage/postgres/session/session-locks.ts";
import { connectTo, startCluster, type TestCluster } from "./support/cluster.ts";

let cluster: TestCluster;
let opened: SessionLocks[] = [];
const connectors = new Map<string, Connector>();

beforeAll(async () => {
  cluster = await startCluster();
});
afterEach(async () => {
  await Promise.all(opened.map((each) => each.close()));
  opened = [];
});
afterAll(() => cluster.folder.remove());

/** Takes the locks as a process of its own would. */
async function open(name: string, isAlone = false): Promise<SessionLocks> {
  const connector = connectTo(`${cluster.server.url()}?application_name=${name}`);
  connectors.set(name, connector);
  const locks = await openSessionLocks({ connector, isAlone, giveUpAfterMs: 5000, heartbeatMs: 20 });
  opened.push(locks);
  return locks;
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await pause(5);
}

const leads = (locks: SessionLocks) => locks.leadership.term() !== undefined;
const cut = (name: string) =>
  cluster.ask(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = '${name} locks'`,
  );

/** Looks at a process for ten heartbeats, in which it tries to lead three times. */
async function expectNoLead(name: string, locks: SessionLocks): Promise<void> {
  const beats = new Set<unknown>();
  const sql = `SELECT query_start::text FROM pg_stat_activity WHERE application_name = '${name} locks'`;
  while (beats.size < 10) {
    beats.add((await cluster.ask(sql))[0]?.["query_start"]);
    expect(leads(locks)).toBe(false);
  }
}

describe("the leader", () => {
  test("is one process, and the next one when it ends", async () => {
    const one = await open("one");
    await until(() => leads(one));
    const two = await open("two");
    const term = one.leadership.term();
    await expectNoLead("two", two);
    await one.close();
    expect(term?.aborted).toBe(true);
    expect(leads(one)).toBe(false);
    await until(() => leads(two));
  });

  test("ends its term as soon as its connection is lost, and another process or a new term follows", async () => {
    const one = await open("one");
    await until(() => leads(one));
    const term = one.leadership.term();
    const two = await open("two");
    await cut("one");
    await until(() => term?.aborted === true);
    await until(() => leads(one) || leads(two));
    expect(leads(one) && leads(two)).toBe(false);
    expect([one.leadership.term(), two.leadership.term()]).not.toContain(term);
  });

  test("ends its term as soon as its process has seen a later primary, and leaves the old one", async () => {
    const one = await open("one");
    await until(() => leads(one));
    const term = one.leadership.term();
    const fence = connectors.get("one")?.fence;
    fence?.require({ timeline: fence.timeline() + 1, synchronous_standby_names: "" });
    expect(leads(one)).toBe(false);
    expect(term?.aborted).toBe(true);
    const sql = "SELECT 1 FROM pg_stat_activity WHERE application_name = 'one locks'";
    while ((await cluster.ask(sql)).length > 0);
    const two = await open("two");
    await until(() => leads(two));
    expect(leads(one)).toBe(false);
  });

  test("is never a command that has the database alone", async () => {
    const alone = await open("alone", true);
    await expectNoLead("alone", alone);
  });
});

describe("presence", () => {
  test("keeps out a command that needs the database alone", async () => {
    const one = await open("one");
    const two = await open("two");
    await one.close();
    await expect(open("alone", true)).rejects.toThrow(DatabaseBusyError);
    await expect(open("alone", true)).rejects.toThrow("other processes of gatehouse are using the database");
    await two.close();
    await open("alone", true);
  });

  test("is refused while such a command has the database", async () => {
    const alone = await open("alone", true);
    await expect(open("one")).rejects.toThrow("a command that needs the database for itself is under way");
    await expect(open("other", true)).rejects.toThrow(DatabaseBusyError);
    await alone.close();
    await open("one");
  });

  test("is taken again after a lost connection", async () => {
    const one = await open("one");
    await until(() => leads(one));
    const term = one.leadership.term();
    await cut("one");
    await until(() => leads(one) && one.leadership.term() !== term);
    await expect(open("alone", true)).rejects.toThrow(DatabaseBusyError);
  });
});
