import { describe, expect, test } from "@jest/globals";
import Sqlite from "better-sqlite3";
import { Problem } from "../../../../src/kernel/base/problem.ts";
import {
  isLostWrite,
  toReadProblem,
  toWriteProblem,
} from "../../../../src/kernel/storage/sqlite/storage-error.ts";

/** What callers of a read and of a write are told, and whether the process must end. */
const cases = [
  ["SQLITE_FULL", "unavailable", "unavailable", false],
  ["SQLITE_BUSY", "unavailable", "unavailable", false],
  ["SQLITE_IOERR_READ", "unavailable", "unavailable", true],
  ["SQLITE_IOERR_FSYNC", "unavailable", "unavailable", true],
  ["SQLITE_CANTOPEN", "unavailable", "unavailable", false],
  ["SQLITE_CORRUPT", "a bug", "unavailable", true],
  ["SQLITE_CONSTRAINT_UNIQUE", "a bug", "a bug", false],
  ["SQLITE_ERROR", "a bug", "a bug", false],
] as const;

describe("an error of the storage", () => {
  test.each(cases)("%s is %s to a read and %s to a write", (code, read, write, isLost) => {
    const error = new Sqlite.SqliteError("words of SQLite", code);
    const kindOf = (translated: unknown) => (translated instanceof Problem ? translated.kind : "a bug");
    expect([kindOf(toReadProblem(error)), kindOf(toWriteProblem(error)), isLostWrite(error)]).toEqual([
      read,
      write,
      isLost,
    ]);
  });

  test("comes with how long to wait, and not in the words of SQLite", () => {
    const error = new Sqlite.SqliteError("words of SQLite", "SQLITE_FULL");
    for (const problem of [toReadProblem(error), toWriteProblem(error)]) {
      expect(problem).toMatchObject({ reason: "OVERLOADED", retryAfterMs: 5000, cause: error });
      expect(String(problem)).not.toContain("SQLite");
    }
  });

  test("of another kind is left as it is", () => {
    const error = new TypeError("a bug");
    expect([toReadProblem(error), toWriteProblem(error)]).toEqual([error, error]);
  });
});
