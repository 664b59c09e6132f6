import { describe, expect, test } from "@jest/globals";
import Sqlite from "better-sqlite3";
import * as fc from "fast-check";
import { toInList } from "../../../src/kernel/base/database.ts";

const distinct = fc.uniqueArray(fc.string({ minLength: 1 }), { maxLength: 70 });

describe("toInList", () => {
  test("selects exactly the values, in an engine", () => {
    const engine = new Sqlite(":memory:");
    fc.assert(
      fc.property(distinct, distinct, (all, wanted) => {
        const { sql, parameters } = toInList(wanted);
        const found = engine
          .prepare<string[], string>(`SELECT value FROM json_each(?) WHERE value IN ${sql}`)
          .pluck()
          .all(JSON.stringify(all), ...parameters);
        expect(found).toEqual(all.filter((value) => wanted.includes(value)));
      }),
    );
    engine.close();
  });

  test("needs one text for all lengths up to the next power of two", () => {
    const textOf = (length: number) => toInList(Array.from({ length }, (_, index) => `${index}`)).sql;
    expect([0, 1, 2, 3, 4].map(textOf)).toEqual(["(?)", "(?)", "(?, ?)", "(?, ?, ?, ?)", "(?, ?, ?, ?)"]);
    const texts = Array.from({ length: 1024 }, (_, index) => textOf(index + 1));
    expect(new Set(texts).size).toBe(11);
  });

  test("gives an empty list a parameter that no id equals", () => {
    expect(toInList([])).toEqual({ sql: "(?)", parameters: [""] });
  });

  test("has as many parameters as marks", () => {
    fc.assert(
      fc.property(fc.nat(5000), (length) => {
        const { sql, parameters } = toInList(Array.from({ length }, (_, index) => `${index}`));
        expect(sql.split("?")).toHaveLength(parameters.length + 1);
      }),
    );
  });

  test("is never longer than SQLite binds for as many values as it binds", () => {
    const engine = new Sqlite(":memory:");
    for (const length of [16_384, 16_385, 32_766]) {
      const { sql, parameters } = toInList(Array.from({ length }, (_, index) => `${index}`));
      expect(
        engine
          .prepare(`SELECT '7' IN ${sql}`)
          .pluck()
          .get(...parameters),
      ).toBe(1);
    }
    engine.close();
  });
});
