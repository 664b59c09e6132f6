import { expect, test } from "@jest/globals";
import { DatabaseUnusableError } from "../../../src/kernel/storage/database-unusable.ts";
import { toOpeningError } from "../../../src/kernel/storage/places/opening-error.ts";
import { ConnectionLostError } from "../../../src/kernel/storage/postgres/postgres-error.ts";

const coded = (code: string, message: string) => Object.assign(new Error(message), { code });

test.each([
  [coded("ECONNRESET", "read ECONNRESET")],
  [coded("EPIPE", "write EPIPE")],
  [new Error("Connection terminated unexpectedly")],
  [new Error("Client has encountered a connection error and is not queryable")],
  [new ConnectionLostError("the connection to the database was lost: read ECONNRESET")],
])("a connection that broke while a database was opened is a sentence: %s", (error) => {
  const opening = toOpeningError("postgres://a@b/c", error);
  expect(opening).toBeInstanceOf(DatabaseUnusableError);
  expect(opening).toHaveProperty("cause", error);
  expect(opening).toHaveProperty(
    "message",
    `postgres://a@b/c cannot be used: the server closed the connection (${error.message}); start again when it is back`,
  );
});

test.each([new TypeError("undefined is not a function"), coded("ENOENT", "no such file"), "text"])(
  "an error of another kind stays as it is: %s",
  (error) => {
    expect(toOpeningError("postgres://a@b/c", error)).toBe(error);
  },
);
