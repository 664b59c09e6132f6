import { afterAll, beforeAll, expect, test } from "@jest/globals";
import * as fc from "fast-check";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Database, ReadTransaction } from "../../../src/kernel/base/database.ts";
import { createEventCommands, type EventCommands } from "../../../src/identity/events/commands.ts";
import { createEventFeed } from "../../../src/identity/events/feed.ts";
import type { TestLog } from "../../kernel/events/test-log.ts";
import {
  callBy,
  everything,
  instanceWide,
  openEventLog,
  organizations,
  originBy,
  sampleEvent,
} from "./fixture.ts";

const [home = "10"] = organizations;

let log: TestLog;

beforeAll(async () => {
  log = await openEventLog();
});
afterAll(() => log.close());

/** The projects that events are of. A watch is of one of them, so that the others do not wake it. */
const projectIds = [0, 1].map((place) => sampleEvent(4, place, home).aggregateId);

/** What may happen in any order. "let": the first or the last of all that waits at the gate goes on. */
const steps = fc.oneof(
  { weight: 12, arbitrary: fc.record({ kind: fc.constant("let"), which: fc.constantFrom(0, -1) }) },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant("commit"), which: fc.nat(1) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom("open", "end"), which: fc.nat(1) }) },
);

// Only a commit wakes these watches, and none follows the last one.
test("an open watch has each event, however reads, commits and the news of them overlap", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(steps, { maxLength: 30 }), async (order) => {
      const gate = createGate(log.database);
      const limits = { maxWatches: 100, maxWatchesPerOrganization: 100 };
      const watched = createEventCommands(
        { ...log.context, database: gate.database },
        { ...limits, watchMaxLagMs: 600_000, checkEveryMs: 600_000 },
      );
      const after = log.database.lastSequence();
      const watches = projectIds.map((projectId) => follow(watched, { projectId, after }));
      for (const { kind, which } of order) {
        if (kind === "commit") await commit(which);
        if (kind === "open") watches.push(follow(watched, { projectId: projectIds[which] ?? "", after }));
        if (kind === "let") gate.let(which);
        if (kind === "end") watches.splice(which, 1)[0]?.end();
        await nextTurn();
      }
      await gate.open();
      for (const { end } of watches) end();
      await Promise.all(watches.map(({ ended }) => ended));
      const events = (await log.events()).filter(({ sequence }) => sequence > after);
      for (const { projectId, seen } of watches) {
        const wanted = events.filter((event) => event.aggregate_id === projectId);
        expect(seen).toEqual(wanted.map(({ sequence }) => sequence));
      }
    }),
    { numRuns: 100 },
  );
});

test("news of a commit that comes while the feed reads makes it read again", async () => {
  const gate = createGate(log.database);
  const wakes: string[] = [];
  const unfollow = createEventFeed(gate.database).follow({
    wants: () => true,
    wake: () => wakes.push("wake"),
  });
  await commit(0);
  gate.let(0); // the news; the answer of the read that follows waits
  await gate.holds(1);
  await commit(0);
  await gate.holds(2);
  gate.let(-1); // the news of the second
  await nextTurn();
  expect(wakes).toEqual([]);
  await gate.open();
  expect(wakes).toHaveLength(2);
  unfollow();
});

const commit = (place: number) => log.append([sampleEvent(4, place, home)], originBy("20"));

/** Watches the events of a project after a sequence, until it is ended. */
function follow(
  commands: EventCommands,
  { projectId, after }: { readonly projectId: string; readonly after: number },
) {
  const abort = new AbortController();
  const seen: number[] = [];
  const call = callBy(instanceWide, undefined, abort.signal);
  const filter = { ...everything, aggregateId: projectId };
  const read = async () => {
    for await (const sent of commands.watch(call, { filter, after }))
      if ("event" in sent) seen.push(sent.event.sequence);
  };
  return { projectId, seen, ended: read(), end: () => abort.abort() };
}

/** Holds up the answer of each read of a database and the news of each commit until they are let through. */
function createGate(database: Database) {
  let isOpen = false;
  let reads = 0;
  const waiting: (() => void)[] = [];
  const pass = () =>
    new Promise<void>((resolve) => {
      if (isOpen) resolve();
      else waiting.push(resolve);
    });
  return {
    database: {
      ...database,
      async read<T>(work: (tx: ReadTransaction) => Promise<T>) {
        reads += 1;
        try {
          const result = await database.read(work);
          await pass();
          return result;
        } finally {
          reads -= 1;
        }
      },
      onCommit: (listener: () => void) => database.onCommit(() => void pass().then(listener)),
    } satisfies Database,
    let(place: number) {
      waiting.splice(place, 1)[0]?.();
    },
    /** Resolves when so many wait. */
    async holds(count: number) {
      while (waiting.length < count) await nextTurn();
    },
    /** Lets everything through, and resolves when nothing has been read for some turns. */
    async open() {
      isOpen = true;
      for (const go of waiting.splice(0)) go();
      for (let quiet = 0; quiet < 5; quiet = reads === 0 ? quiet + 1 : 0) await nextTurn();
    },
  };
}
