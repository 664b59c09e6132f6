import { afterEach, beforeEach, expect, test } from "@jest/globals";
import type { Database } from "../../../src/kernel/base/database.ts";
import { createEventCommands, type EventCommands } from "../../../src/identity/events/commands.ts";
import {
  callBy,
  everything,
  instanceWide,
  openEventLog,
  originBy,
  sampleEvent,
} from "../../identity/events/fixture.ts";
import type { TestLog } from "./test-log.ts";
import { largeTest } from "../../support/large.ts";

const limits = { watchMaxLagMs: 10_000, maxWatches: 100, maxWatchesPerOrganization: 100 };
const readMs = 6;

let log: TestLog;
let abort: AbortController;

beforeEach(async () => {
  log = await openEventLog();
  abort = new AbortController();
  // A few looks long for a filter that matches nothing.
  const dull = Array.from({ length: 1000 }, () => sampleEvent(5, 0, "10"));
  for (let round = 0; round < 5; round += 1) await log.append(dull, originBy("20"));
});
afterEach(() => log.close());

/** Commands whose reads are slow, and the largest number of them that the event loop had to wait for at once. */
function openSlowly(): { readonly commands: EventCommands; readonly most: () => number } {
  let inTurn = 0;
  let most = 0;
  const read: Database["read"] = (fn) =>
    log.database.read((tx) => {
      inTurn += 1;
      most = Math.max(most, inTurn);
      const endMs = performance.now() + readMs;
      while (performance.now() < endMs);
      return fn(tx);
    });
  const tick = () => {
    inTurn = 0;
    if (!abort.signal.aborted) setImmediate(tick);
  };
  tick();
  const database = { ...log.database, read };
  return { commands: createEventCommands({ ...log.context, database }, limits), most: () => most };
}

const call = () => callBy(instanceWide, undefined, abort.signal);
const rare = { ...everything, editor: "20", eventType: "project.changed" };

largeTest("many watches that look through the log let everybody else in between", async () => {
  const { commands, most } = openSlowly();
  const watches = Array.from({ length: 20 }, async () => {
    for await (const sent of commands.watch(call(), { filter: rare, after: 0 }))
      if ("event" in sent) return sent.event.type;
    return undefined;
  });
  await log.append([sampleEvent(4, 1, "10")], originBy("20"));
  expect(new Set(await Promise.all(watches))).toEqual(new Set(["project.changed"]));
  expect(most()).toBeLessThanOrEqual(2);
  abort.abort();
});

largeTest("many lists that look through the log let everybody else in between", async () => {
  const { commands, most } = openSlowly();
  const page = { pageSize: 0, pageToken: "", countTotal: true };
  // What begins them, and chooses the events of a page, are reads of their own.
  const lists = Array.from({ length: 5 }, () => commands.list(call(), { filter: rare, after: 0 }, page));
  const totals = (await Promise.all(lists)).map((list) => list.page.totalResult);
  expect(totals).toEqual([0, 0, 0, 0, 0]);
  expect(most()).toBeLessThanOrEqual(6);
  abort.abort();
});

test("a watch without a sequence has what is committed while it waits for its turn", async () => {
  const { commands } = openSlowly();
  const others = Array.from({ length: 10 }, () =>
    commands.watch(call(), { filter: rare, after: 0 })[Symbol.asyncIterator]().next(),
  );
  const watch = commands.watch(call(), { filter: everything, after: undefined })[Symbol.asyncIterator]();
  const next = watch.next();
  const sequence = await log.append([sampleEvent(4, 2, "10")], originBy("20"));
  expect((await next).value).toMatchObject({ event: { sequence } });
  const ended = Promise.all(others);
  abort.abort();
  await ended;
});
