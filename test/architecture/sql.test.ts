import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";

const root = join(import.meta.dirname, "../../src");

/** What holds SQL besides repositories, each with a reason. */
const others: readonly (readonly [path: string, reason: string])[] = [
  ["base/list.ts", "makes the statements of lists from their tables"],
  ["base/sql.ts", "makes statements from names of tables and columns"],
  ["cli/doctor/", "judges tables that no repository can be trusted to read"],
  ["events/", "keeps the log, and the secrets beside it"],
  ["storage/", "is the engine"],
];

const text = /["'`]\s*(?:SELECT|INSERT INTO|UPDATE|DELETE FROM|WITH RECURSIVE|PRAGMA)\b/;

function holdsSql(source: string): boolean {
  return text.test(source);
}

describe("SQL", () => {
  const holders = readdirSync(root, { recursive: true, encoding: "utf8" }).filter(
    (file) => file.endsWith(".ts") && holdsSql(readFileSync(join(root, file), "utf8")),
  );

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
