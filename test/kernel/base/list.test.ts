import { toInstant } from "../../../src/kernel/base/clock.ts";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import Sqlite from "better-sqlite3";
import * as fc from "fast-check";
import type { ReadTransaction } from "../../../src/kernel/base/database.ts";
import { defineList, defineListOfParts } from "../../../src/kernel/base/list.ts";
import type { PageQuery } from "../../../src/kernel/base/paging.ts";
import { equals } from "../../../src/kernel/base/sql.ts";

interface Thing {
  readonly id: string;
  readonly owner: string;
  readonly state: string;
  readonly creation_date: number;
}

const things: readonly Thing[] = Array.from({ length: 60 }, (_, index) => ({
  id: String((index * 37) % 60).padStart(2, "0"),
  owner: index % 3 === 0 ? "a" : "b",
  state: index % 4 === 0 ? "ON" : "OFF",
  creation_date: Math.floor(index / 5), // some share an instant
}));

let database: Sqlite.Database;
let statements: string[];
const tx: ReadTransaction = {
  now: () => toInstant(0),
  get: async <Row>(sql: string, parameters: readonly unknown[] = []) =>
    database.prepare(sql).get(...parameters) as Row | undefined,
  all: async <Row>(sql: string, parameters: readonly unknown[] = []) => {
    statements.push(sql);
    return database.prepare(sql).all(...parameters) as readonly Row[];
  },
};

beforeAll(() => {
  statements = [];
  database = new Sqlite(":memory:");
  database.exec("CREATE TABLE things (id TEXT PRIMARY KEY, owner TEXT, state TEXT, creation_date INTEGER)");
  const insert = database.prepare("INSERT INTO things VALUES (?, ?, ?, ?)");
  for (const { id, owner, state, creation_date: date } of things) insert.run(id, owner, state, date);
});
afterAll(() => void database.close());

const columns = ["id", "owner", "state", "creation_date"];
const list = defineList<{ readonly id?: string; readonly state?: string }, Thing, Thing>({
  name: "ListThings",
  from: "things",
  of: "owner",
  columns,
  filters: {
    id: { column: "id", toStored: (id) => id.padStart(2, "0"), leaves: "one" },
    state: { column: "state" },
  },
  toItems: (rows) => rows,
});
const byOwners = defineListOfParts<{ readonly owners: readonly string[] }, Thing, Thing>({
  name: "ListThings",
  from: "things",
  columns,
  indexes: [],
  keyOf: () => [],
  partsOf: ({ owners }) => owners.map((owner) => ({ where: [equals("owner", owner)] })),
  toItems: (rows) => rows,
});

const inOrder = (left: Thing, right: Thing) =>
  left.creation_date - right.creation_date || Number(left.id > right.id) - Number(left.id < right.id);

/** What a page of these things is. */
function pageOf(all: readonly Thing[], { after, limit }: PageQuery): readonly Thing[] {
  const sorted = all.toSorted(inOrder);
  const from = after === undefined ? -1 : sorted.findIndex(({ id }) => id === after.id);
  return sorted.slice(from + 1, from + 1 + limit);
}

const anyPage = (all: readonly Thing[]) =>
  fc.record({
    after: fc.option(
      fc.constantFrom(...all).map(({ id, creation_date: date }) => ({ id, date })),
      { nil: undefined },
    ),
    limit: fc.integer({ min: 1, max: 70 }),
  });

describe("a list of what one object has", () => {
  test("holds what the filters and the open ids leave, in order, page by page, and counts it", async () => {
    const anyAsked = fc.record({
      filter: fc.record({ state: fc.constantFrom("ON", "OFF", "", undefined) }),
      open: fc.oneof(
        fc.constant("all" as const),
        fc.uniqueArray(fc.constantFrom(...things).map(({ id }) => id)).map((ids) => new Set(ids)),
      ),
    });
    const owned = things.filter(({ owner }) => owner === "b");
    await fc.assert(
      fc.asyncProperty(anyAsked, anyPage(owned), async ({ filter, open }, page) => {
        const left = owned.filter(
          ({ id, state }) =>
            (open === "all" || open.has(id)) && [state, "", undefined].includes(filter.state),
        );
        const asked = { of: "b", filter, open };
        const cursor = page.after;
        const behind = left.filter(
          ({ id, creation_date: date }) =>
            cursor === undefined || date > cursor.date || (date === cursor.date && id > cursor.id),
        );
        expect(await list.read(tx, asked, page)).toEqual(pageOf(behind, { ...page, after: undefined }));
        expect(await list.count(tx, asked, 10)).toBe(Math.min(10, left.length));
      }),
    );
  });

  test("is led by the first filter of its table; the others use no index", async () => {
    statements = [];
    const page = { after: undefined, limit: 5 };
    await list.read(tx, { of: "a", filter: { state: "ON", id: "7" } }, page);
    await list.read(tx, { of: "a", filter: { state: "ON" } }, page);
    await list.read(tx, { of: "a", filter: {}, open: new Set(["07"]) }, page);
    expect(statements.map((sql) => / WHERE (.*?)(?: ORDER|$)/.exec(sql)?.[1])).toEqual([
      "owner = ? AND id = ? AND state || '' = ? AND TRUE",
      "owner = ? AND state = ? AND TRUE",
      "id IN (?) AND owner || '' = ? AND TRUE",
    ]);
  });

  test("binds its page tokens to what it is of and to each filter, empty or not", () => {
    expect(list.keyOf({ of: "a", filter: { state: "ON" } }, "a")).toEqual(["", "ON"]);
    expect(list.keyOf({ of: "a", filter: { id: "7" } }, "organization")).toEqual(["a", "7", ""]);
  });

  test("says which indexes it needs", () => {
    expect(list.indexes).toEqual([
      { table: "things", columns: ["owner", "creation_date", "id"], isUnique: false },
      { table: "things", columns: ["owner", "id"], isUnique: true },
      { table: "things", columns: ["owner", "state", "creation_date", "id"], isUnique: false },
    ]);
  });
});

test("a list of parts is in one order, and counts them together", async () => {
  const asked = { owners: ["a", "b"] };
  await fc.assert(
    fc.asyncProperty(anyPage(things), async (page) => {
      expect(await byOwners.read(tx, asked, page)).toEqual(pageOf(things, page));
    }),
  );
  expect(await byOwners.count(tx, asked, 50)).toBe(50);
  expect(await byOwners.count(tx, asked, 100)).toBe(60);
  expect(await byOwners.read(tx, { owners: [] }, { after: undefined, limit: 5 })).toEqual([]);
});
