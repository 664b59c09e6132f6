import { describe, expect, test } from "@jest/globals";
import { HeldRows, splitGroup } from "../../../../src/kernel/storage/postgres/held-rows.ts";
import { createRelations } from "../../../../src/kernel/storage/postgres/relations.ts";
import { createStatements, type RowInsert } from "../../../../src/kernel/storage/postgres/statements.ts";

const statements = createStatements(
  createRelations(["parents", "children"], [{ name: "children", other: "parents" }]),
);
const insertInto = (table: string): RowInsert => {
  const { insert } = statements.of(`INSERT INTO ${table} (id) VALUES (?)`);
  if (insert === undefined) throw new Error("not an insert");
  return insert;
};
const [parents, children] = [insertInto("parents"), insertInto("children")];
const row = (id: string) => ({ values: [id], owner: 0 });
const idsOf = (rows: HeldRows, tables?: ReadonlySet<string>) =>
  rows.take(tables).map((group) => group.rows.flatMap(({ values }) => values));

describe("held rows", () => {
  test("leave after the rows that they refer to, whatever came first", () => {
    const rows = new HeldRows();
    rows.add(children, row("child of an old parent"));
    rows.add(parents, row("parent"));
    rows.add(children, row("child"));
    expect(idsOf(rows)).toEqual([["parent"], ["child of an old parent", "child"]]);
    expect(rows.count).toBe(0);
  });

  test("of some tables leave alone", () => {
    const rows = new HeldRows();
    rows.add(parents, row("parent"));
    rows.add(children, row("child"));
    expect(rows.touches(new Set(["parents"]))).toBe(true);
    expect(idsOf(rows, new Set(["parents"]))).toEqual([["parent"]]);
    expect(rows.touches(new Set(["parents"]))).toBe(false);
    expect(rows.count).toBe(1);
  });

  test("are taken over behind those that are there", () => {
    const [rows, others] = [new HeldRows(), new HeldRows()];
    rows.add(parents, row("first"));
    others.add(parents, row("second"));
    rows.append(others);
    expect([others.count, rows.count]).toEqual([0, 2]);
    expect(idsOf(rows)).toEqual([["first", "second"]]);
  });

  test("leave in numbers that are powers of two, so that there are few texts", () => {
    const rows = Array.from({ length: 77 }, (_, index) => row(`${index}`));
    const parts = splitGroup({ insert: parents, rows });
    expect(parts.map((part) => part.rows.length)).toEqual([64, 8, 4, 1]);
    expect(parts.flatMap((part) => part.rows)).toEqual(rows);
  });
});
