import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { join } from "node:path";
import type { SqlValue } from "../../../../src/kernel/base/database.ts";
import { type Connection, openConnection } from "../../../../src/kernel/storage/sqlite/connection.ts";
import { makeTemporaryFolder } from "../../../support/temporary.ts";

let connection: Connection;
let folder: ReturnType<typeof makeTemporaryFolder>;

beforeEach(() => {
  folder = makeTemporaryFolder();
  connection = openConnection(join(folder.path, "test.db"), { readonly: false });
  connection.run("CREATE TABLE things (id TEXT PRIMARY KEY, number INTEGER, bytes BLOB) STRICT", []);
});
afterEach(() => {
  connection.close();
  folder.remove();
});

/** Values whose affinity would show: text that looks like a number, and numbers beside their texts. */
const values: readonly SqlValue[] = ["", "7", "007", "1e3", "ü\u{1f600}", 0, 7, -1.5, 2 ** 52, null];

describe("a value that is bound", () => {
  test.each([...values, new Uint8Array([0, 255])])("comes back as it is: %j", (value) => {
    expect(connection.get("SELECT ? AS value", [value])).toEqual({
      value: value instanceof Uint8Array ? Buffer.from(value) : value,
    });
  });

  test.each(values)("is compared with columns as a bare parameter is: %j", (value) => {
    for (const [index, id] of ["7", "007", "1000", "1e3"].entries())
      connection.run("INSERT INTO things VALUES (?, ?, ?)", [id, index === 0 ? 7 : 1000, null]);
    for (const column of ["id", "number"]) {
      const sql = `SELECT id FROM things WHERE ${column} = ? ORDER BY id`;
      expect(connection.all(sql, [value])).toEqual(connection.raw.prepare(sql).all(value));
    }
  });

  test("can be a limit and an entry of a list", () => {
    for (const id of ["a", "b", "c"]) connection.run("INSERT INTO things VALUES (?, ?, ?)", [id, 1, null]);
    const sql = "SELECT id FROM things WHERE id IN (?, ?) AND number = ? ORDER BY id LIMIT ?";
    expect(connection.all(sql, ["b", "c", 1, 1])).toEqual([{ id: "b" }]);
  });
});

test("no value of a statement is known to the planner, which would plan it anew for each", () => {
  let prepared = "";
  const { raw } = connection;
  const prepare = raw.prepare.bind(raw);
  Object.assign(raw, { prepare: (sql: string) => prepare((prepared = sql)) });
  connection.get(
    "SELECT a.id FROM things a JOIN things b ON b.id = a.id WHERE a.id = ? AND b.number IN (?, ?)",
    ["a", 1, 2],
  );
  expect(prepared.match(/\+?\?/g)).toEqual(["+?", "+?", "+?"]);
});
