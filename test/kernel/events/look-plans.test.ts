import { afterEach, beforeEach, expect, test } from "@jest/globals";
import type { EventFilter } from "../../../src/identity/events/event.ts";
import { isEmptySpan, scanEvents } from "../../../src/identity/events/repository.ts";
import {
  everything,
  openEventLog,
  organizations,
  originBy,
  sampleEvent,
} from "../../identity/events/fixture.ts";
import type { PlanStep } from "../../support/engine/engine.ts";
import type { TestLog } from "./test-log.ts";

let log: TestLog;
let sequences: readonly number[];

beforeEach(async () => {
  log = await openEventLog();
  const events = Array.from({ length: 30 }, () => sampleEvent(4, 0, organizations[0] ?? ""));
  const last = await log.append(events, originBy("20"));
  sequences = events.map((_event, index) => last - events.length + 1 + index);
});
afterEach(() => log.close());

/** Looks, and returns how the database goes through the table for each query. */
async function plansOf(filter: EventFilter, after: number): Promise<readonly PlanStep[]> {
  const upTo = sequences.at(-1) ?? 0;
  const plans = await log.plansOf((tx) => scanEvents(tx, "all", filter, { after, upTo, limit: 10 }));
  return plans.flat().filter(({ table }) => table === "events");
}

const about = sampleEvent(4, 0, organizations[0] ?? "").aggregateId;
const filters: readonly (readonly [string, EventFilter, readonly string[]])[] = [
  ["of any type", { ...everything, aggregateId: about }, ["revision>"]],
  [
    "of a type",
    { ...everything, aggregateId: about, eventType: "project.added" },
    ["revision>", "revision<"],
  ],
  ["of an editor", { ...everything, aggregateId: about, editor: "21" }, ["revision>", "revision<"]],
];

test.each(filters)(
  "events about an object %s are looked for from where the last look has ended, and not beyond this one",
  async (_which, filter, walk) => {
    const plans = await plansOf(filter, sequences[20] ?? 0);
    expect(plans.at(-1)?.terms).toEqual(expect.arrayContaining([...walk]));
    // What is left are look-ups: the kind of the object, and its last event.
    expect(plans.filter(({ terms }) => !terms.includes("revision>"))).toHaveLength(2);
  },
);

test.each([0, 1, 7, 19, 28, 29])("an object's events behind its event %i are found", async (index) => {
  const upTo = sequences.at(-1) ?? 0;
  for (const off of [-1, 0]) {
    const after = (sequences[index] ?? 0) + off;
    const look = await log.database.read((tx) =>
      scanEvents(tx, "all", { ...everything, aggregateId: about }, { after, upTo, limit: 50 }),
    );
    expect(look.sequences).toEqual(sequences.filter((sequence) => sequence > after));
    expect(isEmptySpan(look.rest)).toBe(true);
  }
});
