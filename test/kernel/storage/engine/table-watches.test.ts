import { beforeEach, describe, expect, test } from "@jest/globals";
import type { TableWatch } from "../../../../src/kernel/base/database.ts";
import {
  createTableWatches,
  type TableWatches,
} from "../../../../src/kernel/storage/engine/table-watches.ts";

let watches: TableWatches;
let watch: TableWatch;

beforeEach(() => {
  watches = createTableWatches();
  watch = watches.watch(["users", "tokens"]);
});

/** Returns whether the statement changes what the watch says of what is written. */
function isSeen(sql: string): boolean {
  const before = watch.written();
  watches.onStatement(sql);
  return watch.written() !== before;
}

describe("a watch", () => {
  test.each([
    "INSERT INTO users (id) VALUES (?)",
    "UPDATE tokens SET id = ? WHERE id = ?",
    "DELETE FROM users WHERE id IN (SELECT id FROM others)",
    "\n  INSERT  INTO\n users (id) VALUES (?) ON CONFLICT (id) DO UPDATE SET id = excluded.id",
    // What is not understood may have changed everything.
    "WITH a AS (SELECT 1) DELETE FROM users",
    "REPLACE INTO users (id) VALUES (?)",
    "DROP TABLE users",
  ])("sees %j, each time", (sql) => {
    expect([isSeen(sql), isSeen(sql)]).toEqual([true, true]);
  });

  test.each([
    "INSERT INTO users_old (id) VALUES (?)",
    "UPDATE others SET id = (SELECT id FROM users)",
    "DELETE FROM others WHERE id IN (SELECT id FROM users)",
  ])("does not see %j", (sql) => {
    expect([isSeen(sql), isSeen(sql)]).toEqual([false, false]);
  });

  describe("of tables that much is remembered of", () => {
    beforeEach(() => {
      watch = watches.watch(["secrets", "stored_projects", "stored_users"]);
    });

    test.each([
      "INSERT INTO stored_users (id) VALUES (?)",
      "INSERT INTO stored_projects (id) VALUES (?)",
      "\n  INSERT  INTO\n secrets (id) VALUES (?)",
      "UPDATE stored_users SET folded_username = NULL\n WHERE folded_username = ?",
    ])("does not see %j, which changes nothing of what is remembered", (sql) => {
      expect(isSeen(sql)).toBe(false);
    });

    test.each([
      "INSERT INTO secrets (id) VALUES (?)\n ON CONFLICT (id) DO UPDATE SET value = excluded.value",
      "UPDATE stored_users SET state = ? WHERE id = ?",
      "UPDATE stored_users SET folded_username = NULL, state = ? WHERE id = ?",
      "DELETE FROM stored_projects WHERE id = ?",
      "INSERT OR REPLACE INTO stored_users (id) VALUES (?)",
    ])("sees %j", (sql) => {
      expect(isSeen(sql)).toBe(true);
    });
  });

  test("that begins later sees statements that were known before", () => {
    const sql = "UPDATE others SET id = ?";
    watches.onStatement(sql);
    const later = watches.watch(["others"]);
    const before = later.written();
    watches.onStatement(sql);
    expect(later.written()).not.toBe(before);
  });

  test("changes together with the revision of all", () => {
    const change = (sql: string) => {
      const before = watches.revision();
      watches.onStatement(sql);
      return watches.revision() !== before;
    };
    watches.watch(["others"]);
    expect(["DELETE FROM users", "DELETE FROM others", "DELETE FROM users_old"].map(change)).toEqual([
      true,
      true,
      false,
    ]);
    const before = watches.revision();
    watches.onForeignCommit();
    expect(watches.revision()).not.toBe(before);
  });

  test("counts as committed only what was written in a transaction that has ended", () => {
    const before = watch.committed();
    watches.onStatement("DELETE FROM users");
    expect(watch.committed()).toBe(before);
    watches.onTransactionEnd();
    expect(watch.committed()).not.toBe(before);
    expect(watch.committed()).toBe(watch.written());
  });
});
