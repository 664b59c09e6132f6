import { describe, expect, test } from "@jest/globals";
import { createRelations } from "../../../../src/kernel/storage/postgres/relations.ts";
import {
  createStatements,
  toReadValues,
  toWriteValues,
} from "../../../../src/kernel/storage/postgres/statements.ts";

const relations = createRelations(
  ["parents", "children", "others"],
  [
    { name: "children", other: "parents" },
    { name: "grown", other: "children" },
    { name: "all_grown", other: "grown" },
    { name: "parents", other: "parents" },
  ],
);
const statements = createStatements(relations);

describe("relations", () => {
  test("know the tables behind views, and those that they refer to", () => {
    expect([...relations.behind(["SELECT", "all_grown"])].toSorted()).toEqual(["children", "parents"]);
    expect([...relations.behind(["others"])]).toEqual(["others"]);
    expect([...relations.behind(["nothing"])]).toEqual([]);
  });

  test("rank a table after those that it refers to", () => {
    expect(relations.rank("children")).toBeGreaterThan(relations.rank("parents"));
  });
});

describe("a statement", () => {
  test("has numbered parameters, and one name for each text", () => {
    const one = statements.of("SELECT id FROM parents WHERE id = ? AND name = ?");
    expect(one.text).toBe("SELECT id FROM parents WHERE id = $1 AND name = $2");
    expect(statements.of("SELECT id FROM parents WHERE id = ? AND name = ?")).toBe(one);
    expect(statements.of("SELECT id FROM parents WHERE id = ?").name).not.toBe(one.name);
  });

  test.each([
    ["SELECT 1 FROM grown", true],
    ["\n  WITH a AS (SELECT 1) SELECT * FROM a", true],
    ["WITH a AS (DELETE FROM parents RETURNING id) SELECT * FROM a", false],
    ["DELETE FROM parents RETURNING id", false],
    ["UPDATE parents SET id = ?", false],
    ["SET CONSTRAINTS ALL DEFERRED", false],
  ])("%j reads only: %j", (sql, isRead) => {
    expect(statements.of(sql).isRead).toBe(isRead);
  });

  test.each([
    [
      "SELECT COUNT(*), lower(name) FROM parents WHERE id IN (?) AND NOT EXISTS (SELECT 1 FROM children)",
      true,
    ],
    ["WITH RECURSIVE a AS (SELECT 1) SELECT MAX(id) FROM a", true],
    ["SELECT random() FROM parents", false],
    ["SELECT set_config ('a', 'b', true)", false],
    ["SELECT id FROM parents FOR SHARE", false],
    ["SELECT id FROM parents FOR UPDATE", false],
    ["UPDATE parents SET id = ?", false],
  ])("%j may be asked at any time: %j", (sql, isPure) => {
    expect(statements.of(sql).isPure).toBe(isPure);
  });

  test.each([
    ["DELETE FROM children", "children"],
    ["INSERT INTO parents (id) SELECT id FROM grown", "parents"],
    ["DELETE FROM grown", undefined],
    ["WITH a AS (DELETE FROM children) SELECT 1", undefined],
  ])("%j writes to %j", (sql, target) => {
    expect(statements.of(sql).target).toBe(target);
  });

  test("that inserts one row can insert several", () => {
    const { insert } = statements.of("INSERT INTO children (id, state, parent)\n  VALUES (?, 'ACTIVE', ?)");
    expect(insert?.table).toBe("children");
    expect(insert?.rows(2).text).toBe(
      "INSERT INTO children (id, state, parent)\n  VALUES ($1, 'ACTIVE', $2), ($3, 'ACTIVE', $4)",
    );
    expect(insert?.rows(2)).toBe(insert?.rows(2));
    expect(insert?.rows(4).name).not.toBe(insert?.rows(2).name);
  });

  test.each([
    "INSERT INTO children (id) VALUES (?) ON CONFLICT (id) DO NOTHING",
    "INSERT INTO children (id) SELECT id FROM parents",
    "INSERT INTO children (id) VALUES (lower(?))",
    "INSERT INTO children (id) VALUES (?), (?)",
    "INSERT INTO children (id) VALUES (?) RETURNING id",
    "INSERT INTO grown (id) VALUES (?)",
    "INSERT INTO unknown (id) VALUES (?)",
    "UPDATE children SET id = ?",
  ])("%j is sent by itself", (sql) => {
    expect(statements.of(sql).insert).toBeUndefined();
  });
});

describe("values with U+0000", () => {
  test("are replaced in reads by what is never stored", () => {
    expect(toReadValues(["a\0b", 1, null])).toEqual(["a\u0001b", 1, null]);
  });

  test("are refused in writes", () => {
    expect(() => toWriteValues(["a", "\0"])).toThrow("U+0000");
    expect(toWriteValues(["a", new Uint8Array([0])])).toHaveLength(2);
  });
});
