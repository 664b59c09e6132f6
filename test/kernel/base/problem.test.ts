import { describe, expect, test } from "@jest/globals";
import { ErrorReasonSchema } from "../../../gen/gatehouse/v1/error_reason_pb.ts";
import {
  alreadyExists,
  fieldInvalid,
  fieldsInvalid,
  notFound,
  Problem,
  permissionDenied,
  requestInvalid,
  wrongKind,
} from "../../../src/kernel/base/problem.ts";
import { reasons } from "../../../src/kernel/base/reason.ts";

describe("the catalogue of reasons", () => {
  test("is the enum of the contract, in its order and with its numbers", () => {
    const inContract = ErrorReasonSchema.values.map(({ name, number }) => ({ name, number }));
    const inCatalogue = reasons.map((name, index) => ({ name: `ERROR_REASON_${name}`, number: index + 1 }));
    expect(inContract).toEqual([{ name: "ERROR_REASON_UNSPECIFIED", number: 0 }, ...inCatalogue]);
  });

  test("has names in UPPER_SNAKE of fewer than 64 characters", () => {
    expect(reasons.filter((reason) => !/^(?=.{1,63}$)[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$/.test(reason))).toEqual([]);
  });

  test("holds no reason twice", () => {
    expect(new Set(reasons).size).toBe(reasons.length);
  });
});

describe("Problem", () => {
  test("is an error with a cause, and has empty details where none are given", () => {
    const cause = new Error("disk");
    const problem = new Problem({ kind: "internal", reason: "INTERNAL", message: "failed", cause });
    expect(problem).toBeInstanceOf(Error);
    expect(problem).toMatchObject({ name: "Problem", message: "failed", metadata: {}, violations: [] });
    expect(problem.cause).toBe(cause);
    expect([problem.resource, problem.retryAfterMs]).toEqual([undefined, undefined]);
  });
});

describe("fieldsInvalid", () => {
  test("lists every broken rule and says the first", () => {
    const violations = [
      { field: "name", description: "must not be empty" },
      { field: "role_keys[1]", description: "is too long" },
    ];
    expect(fieldsInvalid(violations)).toMatchObject({
      kind: "invalid",
      reason: "FIELD_INVALID",
      message: "name: must not be empty (and 1 more)",
      violations,
    });
  });

  test("says one broken rule without counting", () => {
    expect(fieldInvalid("name", "must not be empty").message).toBe("name: must not be empty");
  });
});

describe("requestInvalid", () => {
  test("names a field only where the input does", () => {
    expect(requestInvalid("is no number", "size").violations).toEqual([
      { field: "size", description: "is no number" },
    ]);
    expect(requestInvalid("is no JSON")).toMatchObject({ reason: "INVALID_REQUEST", violations: [] });
  });
});

describe("the problems of objects", () => {
  test("say the noun and the caller's own value, on one line whatever stands in it", () => {
    const problem = notFound("project", 'a\n"b"');
    expect(problem).toMatchObject({ kind: "not-found", reason: "NOT_FOUND" });
    expect(problem.resource).toEqual({ type: "project", name: 'a\n"b"' });
    expect(problem.message).toBe('project "a\\n\\"b\\"" does not exist');
  });

  test("say that a name is taken, in words of the feature where it has some", () => {
    expect(alreadyExists("project", "Portal")).toMatchObject({
      kind: "already-exists",
      reason: "ALREADY_EXISTS",
      message: 'project "Portal" already exists; choose another one',
      resource: { type: "project", name: "Portal" },
    });
    expect(alreadyExists("project", "Portal", "taken").message).toBe("taken");
  });

  test("say which permission was missing, and where", () => {
    expect(permissionDenied("user.read", "1")).toMatchObject({
      kind: "denied",
      reason: "PERMISSION_DENIED",
      metadata: { permission: "user.read", organization_id: "1" },
    });
  });

  test("say that the object is of another kind, without calling it absent", () => {
    const problem = wrongKind("name a human user", { type: "user", name: "1" });
    expect(problem).toMatchObject({
      kind: "precondition",
      reason: "WRONG_KIND",
      message: "name a human user",
    });
    expect(problem.resource).toBeUndefined();
  });
});
