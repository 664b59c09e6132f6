import { describe, expect, test } from "@jest/globals";
import { Problem } from "../../../../src/kernel/base/problem.ts";
import {
  ConnectionLostError,
  isPostgresFailure,
  outcomeUnknown,
  PostgresError,
  toPostgresError,
  toPostgresReadProblem,
  toPostgresWriteProblem,
} from "../../../../src/kernel/storage/postgres/postgres-error.ts";

const ofServer = (code: string, message = "words") =>
  Object.assign(new Error(message), { code, severity: "ERROR" });

describe("an error of the driver", () => {
  test.each(["08006", "25006", "25P03", "40001", "53100", "55P03", "57014", "57P01", "58030", "XX001"])(
    "with the code %s says something about the server",
    (code) => {
      const error = toPostgresError(ofServer(code));
      expect(isPostgresFailure(error)).toBe(true);
      expect(toPostgresWriteProblem(error)).toMatchObject({
        kind: "unavailable",
        reason: "OVERLOADED",
        cause: error,
      });
      expect(toPostgresReadProblem(error)).toMatchObject({ kind: "unavailable", retryAfterMs: 5000 });
    },
  );

  test.each(["23505", "23503", "22P02", "42P01", "08P01", "25P01"])("with the code %s is a bug", (code) => {
    const error = toPostgresError(ofServer(code));
    expect(error).toBeInstanceOf(PostgresError);
    expect(isPostgresFailure(error)).toBe(false);
    expect(toPostgresWriteProblem(error)).toBe(error);
    expect(toPostgresReadProblem(error)).toBe(error);
  });

  test.each([
    new Error("Connection terminated unexpectedly"),
    Object.assign(new Error("x"), { code: "ECONNRESET" }),
    "text",
  ])("without a code of PostgreSQL is a lost connection", (error) => {
    expect(toPostgresError(error)).toBeInstanceOf(ConnectionLostError);
    expect(isPostgresFailure(toPostgresError(error))).toBe(true);
  });

  test("never shows a value", () => {
    const error = Object.assign(ofServer("22P02", 'invalid input syntax for type bigint: "secret"'), {
      detail: "secret",
    });
    const shown = toPostgresError(error);
    expect(JSON.stringify([shown, shown.message, shown.stack])).not.toContain("secret");
    expect(shown.cause).toBeUndefined();
  });
});

test("a read whose snapshot another read has broken can be tried again", () => {
  expect(toPostgresReadProblem(new PostgresError("25P02", ""))).toMatchObject({ kind: "unavailable" });
});

test("problems stay as they are, and an unknown outcome says that it may have happened", () => {
  const unknown = outcomeUnknown(undefined);
  expect(unknown).toBeInstanceOf(Problem);
  expect(unknown.message).toContain("may have happened");
  expect(toPostgresWriteProblem(unknown)).toBe(unknown);
});
