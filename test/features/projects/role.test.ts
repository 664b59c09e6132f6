import { describe, expect, test } from "@jest/globals";
import { type ProjectId, toId } from "../../../src/base/ids.ts";
import { addRoles, findRepeatedKeys, roleTaken } from "../../../src/features/projects/role.ts";

const fieldsOf = (...keys: readonly string[]) =>
  findRepeatedKeys(keys.map((roleKey) => ({ roleKey }))).map((violation) => violation.field);

describe("findRepeatedKeys", () => {
  test("finds nothing where every key stands once", () => {
    expect(fieldsOf()).toEqual([]);
    expect(fieldsOf("a", "b", "c")).toEqual([]);
  });

  test("names each place where a key stands again", () => {
    expect(fieldsOf("a", "b", "a", "c", "b", "a")).toEqual([
      "roles[2].role_key",
      "roles[4].role_key",
      "roles[5].role_key",
    ]);
  });

  test("compares keys exactly as written", () => {
    expect(fieldsOf("a", "A", "\u00e9", "e\u0301", "__proto__", "constructor")).toEqual([]);
    expect(fieldsOf("__proto__", "__proto__")).toEqual(["roles[1].role_key"]);
  });
});

describe("addRoles", () => {
  test("records an event for each role, on the project", () => {
    const project = {
      id: toId<ProjectId>("7"),
      details: { sequence: 5, creationDate: 4, resourceOwner: "1" },
      state: "ACTIVE",
      name: "Portal",
      projectRoleAssertion: false,
      projectRoleCheck: false,
      hasProjectCheck: false,
      privateLabelingSetting: "",
    } as const;
    const roles = [
      { key: "reader", displayName: "Reader", group: "" },
      { key: "writer", displayName: "", group: "staff" },
    ];
    const place = { type: "project.role.added", aggregateId: "7", resourceOwner: "1" };
    expect(addRoles(project, roles)).toEqual([
      { ...place, payload: { role_key: "reader", display_name: "Reader", group: "" } },
      { ...place, payload: { role_key: "writer", display_name: "", group: "staff" } },
    ]);
  });
});

test("the problem of a taken key names it", () => {
  expect(roleTaken("reader")).toMatchObject({
    kind: "already-exists",
    reason: "ALREADY_EXISTS",
    resource: { type: "role", name: "reader" },
  });
});
