import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import * as fc from "fast-check";
import { type OrganizationId, toId } from "../../../src/kernel/base/ids.ts";
import { aggregateTypeOf } from "../../../src/kernel/events/catalogue.ts";
import type { EventType } from "../../../src/kernel/events/payloads.ts";
import type { EventFilter, EventScope } from "../../../src/identity/events/event.ts";
import { isEmptySpan, scanEvents, type Span } from "../../../src/identity/events/repository.ts";
import type { PlanStep } from "../../support/engine/engine.ts";
import type { EventRow, TestLog } from "../../kernel/events/test-log.ts";
import { everything, instance, openEventLog, organizations, originBy, sampleEvent } from "./fixture.ts";

let log: TestLog;
let rows: readonly EventRow[];

beforeAll(async () => {
  log = await openEventLog();
  for (let index = 0; index < 700; index += 1) {
    const owner = index % 11 === 0 ? instance : (organizations[(index * 7) % 4] ?? instance);
    await log.append(
      [sampleEvent(index * 5, index % 6, owner)],
      originBy(index % 3 === 0 ? "20" : `2${index % 5}`),
    );
  }
  // More rows than one look goes through, none of which has the type that is asked for.
  await log.append([sampleEvent(4, 0, "13")], originBy("29"));
  const dull = Array.from({ length: 900 }, (_, index) => sampleEvent(0, index % 3, "13"));
  for (let round = 0; round < 7; round += 1) await log.append(dull, originBy("29"));
  await log.append([sampleEvent(1, 0, "13")], originBy("29"));
  rows = await log.events();
}, 60_000);
afterAll(() => log.close());

/** Looks until the end, and returns what was found and how often it took. */
async function lookThrough(
  scope: EventScope,
  filter: EventFilter,
  { after = 0, limit = 50, newestFirst = false } = {},
) {
  let rest: Span = { after, upTo: rows.at(-1)?.sequence ?? 0 };
  const found: number[] = [];
  let looks = 0;
  while (!isEmptySpan(rest)) {
    const range = { ...rest, limit, newestFirst };
    const look = await log.database.read((tx) => scanEvents(tx, scope, filter, range));
    expect(look.rest.upTo - look.rest.after).toBeLessThan(rest.upTo - rest.after);
    expect(look.sequences.length).toBeLessThanOrEqual(limit);
    found.push(...look.sequences);
    ({ rest } = look);
    looks += 1;
  }
  return { found, looks };
}

function expected(scope: EventScope, filter: EventFilter, after = 0): readonly number[] {
  return rows
    .filter(
      (row) =>
        row.sequence > after &&
        (scope === "all" || scope.some((id) => id === row.resource_owner)) &&
        (filter.aggregateType === "" || filter.aggregateType === aggregateTypeOf(row.type as EventType)) &&
        (filter.aggregateId === "" || filter.aggregateId === row.aggregate_id) &&
        (filter.eventType === "" || filter.eventType === row.type) &&
        (filter.editor === "" || filter.editor === row.editor),
    )
    .map((row) => row.sequence);
}

describe("scanEvents", () => {
  test("finds exactly what matches, in order, whatever the scope, the filter and the limit", async () => {
    const oneOf = (values: readonly string[]) => fc.constantFrom("", ...values);
    const column = (name: keyof EventRow) => [...new Set(rows.map((row) => String(row[name])))];
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(fc.constant("all" as const), fc.subarray(organizations)),
        fc.record({
          aggregateType: oneOf([...column("aggregate_type"), "application"]),
          aggregateId: oneOf([...column("aggregate_id").slice(0, 40), "404"]),
          eventType: oneOf([...column("type"), "user.added"]),
          editor: oneOf([...column("editor"), "system"]),
        }),
        fc.nat(rows.length - 1),
        fc.integer({ min: 1, max: 60 }),
        fc.boolean(),
        async (scope, filter, start, limit, newestFirst) => {
          const after = rows[start]?.sequence ?? 0;
          const { found } = await lookThrough(scope, filter, { after, limit, newestFirst });
          const inOrder = expected(scope, filter, after);
          expect(found).toEqual(newestFirst ? inOrder.toReversed() : inOrder);
        },
      ),
      { numRuns: 400 },
    );
  }, 60_000);

  test.each(["20", "21", "24"])(
    "finds of the editor %s what they did in the organizations of the scope, and nothing else",
    async (editor) => {
      const filter = { ...everything, editor };
      for (const organization of organizations) {
        const { found } = await lookThrough([organization], filter);
        expect(found).toEqual(expected([organization], filter));
        expect(found.length).toBeLessThan(expected("all", filter).length);
      }
    },
  );

  test("finds an object in the organization that it is in, and in no other", async () => {
    for (const owner of organizations) {
      const row = rows.find((each) => each.resource_owner === owner);
      const filter = { ...everything, aggregateId: row?.aggregate_id ?? "none" };
      expect((await lookThrough([owner], filter)).found).toContain(row?.sequence);
      const others = organizations.filter((each) => each !== owner);
      expect(await lookThrough(others, filter)).toEqual({ found: [], looks: 1 });
    }
  });

  test.each([
    ["on", { eventType: "membership.removed", editor: "29" }, false],
    ["back", { eventType: "project.changed", editor: "29" }, true],
    ["back along an object", { aggregateId: "13121", editor: "24" }, true],
  ])(
    "goes %s through a bounded number of rows at a time, and reaches what lies behind them",
    async (_way, filters, newestFirst) => {
      const filter = { ...everything, ...filters };
      const { found, looks } = await lookThrough("all", filter, { newestFirst });
      expect(found).toEqual(expected("all", filter).toReversed());
      expect(found.length).toBeGreaterThan(0);
      expect(looks).toBeGreaterThan(1);
    },
  );

  test("finds the same in so many organizations that the types are not looked for one by one", async () => {
    const scope = [
      ...organizations,
      ...Array.from({ length: 400 }, (_, index) => toId<OrganizationId>(`9${index}`)),
    ];
    const filter = { ...everything, aggregateType: "project" };
    const { found } = await lookThrough(scope, filter);
    expect(found.length).toBeGreaterThan(0);
    expect(found).toEqual(expected(scope, filter));
  });

  test("finds nothing for somebody who may see nothing", async () => {
    expect(await lookThrough([], everything)).toEqual({ found: [], looks: 1 });
  });
});

describe.each([
  ["before statistics are gathered", false],
  ["with statistics of full tables", false],
  ["backwards, with statistics of full tables", true],
])("the plans of its queries, %s", (when, newestFirst) => {
  // The last cases of this file: what is copied into the log is not in `rows`.
  beforeAll(async () => {
    if (when === "with statistics of full tables") await log.place.raw.grow();
  }, 60_000);

  const aggregateId = "1012";
  const filters: readonly Partial<EventFilter>[] = [
    {},
    { aggregateType: "project" },
    { eventType: "project.changed" },
    { editor: "20" },
    { aggregateType: "project", editor: "20" },
    { eventType: "project.changed", editor: "20" },
  ];
  test.each(
    ["all", "organizations"].flatMap((scope) =>
      filters.flatMap((filter) => [
        [scope, filter] as const,
        [scope, Object.assign({ aggregateId }, filter)] as const,
      ]),
    ),
  )("on %s with %j walk an index, and sort nothing", async (name, filter) => {
    const scope = name === "all" ? "all" : organizations;
    const id =
      filter.aggregateId === undefined || filter.aggregateId === "" ? "" : (rows[5]?.aggregate_id ?? "");
    const isUnfiltered =
      scope === "all" && Object.values({ ...filter, aggregateId: id }).every((value) => value === "");
    const plans = await plansOf(scope, { ...everything, ...filter, aggregateId: id });
    expect(plans.length).toBeGreaterThan(0);
    for (const plan of plans) {
      expect(plan.filter(({ kind }) => kind === "walk" || kind === "sort")).toEqual([]);
      const isOnIndex = ({ kind, table, index, terms }: PlanStep) =>
        kind === "search" &&
        table === "events" &&
        (isUnfiltered
          ? /^(rowid|sequence)>/.test(terms[0] ?? "")
          : index.startsWith("events_by_") || terms.join().startsWith("aggregate_type=,aggregate_id="));
      expect(plan.filter((step) => isOnIndex(step))).not.toEqual([]);
    }
  });

  /** Returns the plan of each query that a look makes. */
  async function plansOf(scope: EventScope, filter: EventFilter): Promise<readonly (readonly PlanStep[])[]> {
    const range = { after: rows[3]?.sequence ?? 0, upTo: rows.at(-1)?.sequence ?? 0, limit: 10, newestFirst };
    return await log.plansOf((tx) => scanEvents(tx, scope, filter, range));
  }
});
