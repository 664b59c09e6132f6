import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { ListIndex } from "../../src/kernel/base/list.ts";
import { type FeatureFixture, openFeatureFixture } from "../support/feature-fixture.ts";
import { findLists } from "../support/lists.ts";
import { listMethods } from "../support/methods.ts";

const lists = await findLists();

let fixture: FeatureFixture;
let indexes: readonly ListIndex[];
beforeAll(async () => {
  fixture = await openFeatureFixture();
  indexes = await readIndexes();
});
afterAll(() => fixture.close());

test("every rpc that lists has one list; those of events and deliveries go by sequence and have readers of their own", async () => {
  const names = (await listMethods()).map(({ name }) => name).filter((name) => name.startsWith("List"));
  expect([...lists.map(({ name }) => name), "ListDeliveries", "ListEvents"].toSorted()).toEqual(
    names.toSorted(),
  );
});

describe.each(lists.map((list) => [list.name, list] as const))("%s", (_name, list) => {
  test.each(list.indexes.map((index) => [`${index.table} (${index.columns.join(", ")})`, index] as const))(
    "has the index %s",
    (_columns, wanted) => {
      expect(indexes.filter((index) => serves(index, wanted))).not.toEqual([]);
    },
  );
});

describe("an index serves a list", () => {
  const wanted: ListIndex = { table: "things", columns: ["owner", "state", "id"], isUnique: false };
  const index = (...columns: readonly string[]): ListIndex => ({ table: "things", columns, isUnique: false });

  test("when it begins with the columns of the list, in their order", () => {
    expect(serves(index("owner", "state", "id"), wanted)).toBe(true);
    expect(serves(index("owner", "state", "id", "name"), wanted)).toBe(true);
    expect(serves(index("owner", "id"), wanted)).toBe(false);
    expect(serves(index("state", "owner", "id"), wanted)).toBe(false);
    expect(serves({ ...index("owner", "state", "id"), table: "others" }, wanted)).toBe(false);
  });

  test("that looks for one object when it is unique on columns that are given", () => {
    const unique = { ...wanted, columns: ["owner", "name"], isUnique: true };
    expect(serves({ ...index("name"), isUnique: true }, unique)).toBe(true);
    expect(serves({ ...index("owner", "name"), isUnique: true }, unique)).toBe(true);
    expect(serves(index("owner", "name"), unique)).toBe(false);
    expect(serves({ ...index("owner"), isUnique: true }, unique)).toBe(false);
    expect(serves({ ...index("owner", "name", "state"), isUnique: true }, unique)).toBe(false);
  });
});

/** Says whether a list that wants the one index finds its rows by the other. */
function serves(index: ListIndex, wanted: ListIndex): boolean {
  if (index.table !== wanted.table) return false;
  if (!wanted.isUnique) return wanted.columns.every((column, at) => index.columns[at] === column);
  const isGiven = index.columns.every((column) => wanted.columns.includes(column));
  return index.isUnique && isGiven && index.columns.includes(wanted.columns.at(-1) ?? "");
}

/** Reads the indexes of the newest schema. */
async function readIndexes(): Promise<readonly ListIndex[]> {
  const all = await fixture.place.raw.indexes();
  // Lists read the view of that name.
  return all.map((index) => Object.assign(index, { table: index.table.replace(/^stored_/, "") }));
}
