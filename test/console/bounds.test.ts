import { describe, expect, test } from "@jest/globals";
import { AddHumanUserRequestSchema, SetEmailRequestSchema } from "../../gen/gatehouse/v1/user_service_pb.ts";
import { AddProjectRoleRequestSchema } from "../../gen/gatehouse/v1/project_service_pb.ts";
import { boundsOf, type FieldBounds, findBreach } from "../../src/console/api/bounds.ts";

describe("the bounds of a request", () => {
  test("are those of the proto, by the names that scripts use", () => {
    const { givenName, email, phone } = boundsOf(AddHumanUserRequestSchema);
    expect(givenName).toEqual({ minLength: 1, maxLength: 200, isNotBlank: true, hasNoControl: true });
    expect(email).toEqual({ isRequired: true, isEmail: true, maxLength: 200 });
    expect(phone).toEqual({ maxLength: 200 });
    expect(boundsOf(AddProjectRoleRequestSchema)["roleKey"]?.isRoleKey).toBe(true);
    expect(boundsOf(SetEmailRequestSchema)["email"]?.isEmail).toBe(true);
  });
});

describe("a value", () => {
  const text: FieldBounds = { minLength: 2, maxLength: 3, isNotBlank: true, hasNoControl: true };

  test.each<readonly [unknown, FieldBounds, ReturnType<typeof findBreach>]>([
    ["", text, { rule: "required" }],
    ["", { isRequired: true }, { rule: "required" }],
    ["", { maxLength: 3, isNotBlank: true }, undefined],
    ["a", text, { rule: "tooShort", bound: 2 }],
    ["abcd", text, { rule: "tooLong", bound: 3 }],
    ["🔑🔑🔑", text, undefined],
    ["  ", text, { rule: "blank" }],
    ["a\u0000", text, { rule: "control" }],
    ["a b", { isRoleKey: true }, { rule: "malformed" }],
    ["..", { isRoleKey: true }, { rule: "malformed" }],
    ["reader:all", { isRoleKey: true }, undefined],
    ["x y", { isHeaderName: true }, { rule: "malformed" }],
    ["x-assertion", { isHeaderName: true }, undefined],
    ["ada", { isEmail: true }, { rule: "malformed" }],
    ["ada@example.com", { isEmail: true }, undefined],
    ["nowhere", { isUrl: true }, { rule: "malformed" }],
    ["abc", { pattern: "^[0-9]+$" }, { rule: "malformed" }],
    [true, { isRequired: true }, undefined],
  ])("%j with %j breaks %j", (value, bounds, breach) => {
    expect(findBreach(value, bounds)).toEqual(breach);
  });

  test.each<readonly [readonly string[], FieldBounds, ReturnType<typeof findBreach>]>([
    [[], { minItems: 1 }, { rule: "required" }],
    [["a"], { minItems: 2 }, { rule: "tooFew", bound: 2 }],
    [["a", "b"], { maxItems: 1 }, { rule: "tooMany", bound: 1 }],
    [["a", "abc"], { items: { maxLength: 2 } }, { rule: "tooLong", bound: 2 }],
    [[], {}, undefined],
  ])("that is the list %j with %j breaks %j", (value, bounds, breach) => {
    expect(findBreach(value, bounds)).toEqual(breach);
  });
});
