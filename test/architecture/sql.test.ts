import { describe, expect, test } from "@jest/globals";
import { readFiles } from "./source-files.ts";

/** What holds SQL besides repositories, each with a reason. */
const others: readonly (readonly [path: string, reason: string])[] = [
  ["src/kernel/base/list.ts", "makes the statements of lists from their tables"],
  ["src/kernel/base/names/unique-name.ts", "asks any table for a name, given the table and the column"],
  ["src/kernel/base/sql.ts", "makes statements from names of tables and columns"],
  ["src/cli/doctor/", "checks tables that no repository can be trusted to read"],
  ["src/kernel/events/", "keeps the log, and the secrets beside it"],
  ["src/kernel/storage/", "is the engine"],
];

const text = /["'`]\s*(?:SELECT|INSERT INTO|UPDATE|DELETE FROM|WITH RECURSIVE|PRAGMA)\b/;

function holdsSql(source: string): boolean {
  return text.test(source);
}

describe("SQL", () => {
  const holders = readFiles("src", [".ts"])
    .filter((file) => holdsSql(file.text))
    .map(({ path }) => path);

  test("stands in repositories, and where there is a reason", () => {
    const isAtHome = (file: string) =>
      /(?:^|[/-])repository\.ts$/.test(file) || others.some(([path]) => file.startsWith(path));
    expect(holders.filter((file) => !isAtHome(file))).toEqual([]);
  });

  test("is found in many repositories, and wherever there is said to be a reason", () => {
    expect(holders.filter((file) => file.endsWith("repository.ts")).length).toBeGreaterThan(10);
    const unused = others.filter(([path]) => !holders.some((file) => file.startsWith(path)));
    expect(unused).toEqual([]);
  });

  test.each([
    'tx.get("SELECT 1")',
    "tx.all(`\n    SELECT id FROM users`)",
    "tx.run('DELETE FROM users')",
    "tx.run(`UPDATE ${table} SET name = ?`)",
    'tx.run("INSERT INTO users (id) VALUES (?)")',
  ])("is seen in %s", (source) => {
    expect(holdsSql(source)).toBe(true);
  });

  test.each(["/** Runs a SELECT */", 'print("nothing to update")', "UPDATE = 1"])(
    "is not seen in %s",
    (source) => {
      expect(holdsSql(source)).toBe(false);
    },
  );
});
