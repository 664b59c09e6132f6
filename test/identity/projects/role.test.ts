import { describe, expect, test } from "@jest/globals";
import {
  addRoles,
  findRepeatedKeys,
  type ProjectRole,
  removeRole,
  roleNotFound,
  roleTaken,
  updateRole,
} from "../../../src/identity/projects/role.ts";
import { project } from "../../support/samples.ts";

const portal = project();
const reader: ProjectRole = {
  id: "reader",
  key: "reader",
  displayName: "Reader",
  group: "staff",
  details: { sequence: 6, creationDate: 6, resourceOwner: "1" },
};

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
    const roles = [
      { key: "reader", displayName: "Reader", group: "" },
      { key: "writer", displayName: "", group: "staff" },
    ];
    const place = { type: "project.role.added", aggregateId: "7", resourceOwner: "1" };
    expect(addRoles(portal, roles)).toEqual([
      { ...place, payload: { role_key: "reader", display_name: "Reader", group: "" } },
      { ...place, payload: { role_key: "writer", display_name: "", group: "staff" } },
    ]);
  });
});

describe("updateRole", () => {
  test.each([
    [{ displayName: "Readers", group: "staff" }],
    [{ displayName: "Reader", group: "" }],
    [{ displayName: "", group: "" }],
  ])("records all that is shown when it becomes %j", (shown) => {
    expect(updateRole(portal, reader, shown)).toEqual([
      {
        type: "project.role.changed",
        aggregateId: "7",
        resourceOwner: "1",
        payload: { role_key: "reader", display_name: shown.displayName, group: shown.group },
      },
    ]);
  });

  test("records nothing when nothing changes", () => {
    expect(updateRole(portal, reader, { displayName: "Reader", group: "staff" })).toEqual([]);
  });
});

describe("removeRole", () => {
  test("is one event on the project", () => {
    expect(removeRole(portal, reader)).toEqual({
      type: "project.role.removed",
      aggregateId: "7",
      resourceOwner: "1",
      payload: { role_key: "reader" },
    });
  });
});

test("the problem of an absent role names it", () => {
  expect(roleNotFound("writer")).toMatchObject({
    kind: "not-found",
    reason: "NOT_FOUND",
    resource: { type: "role", name: "writer" },
  });
});

test("the problem of a taken key names it", () => {
  expect(roleTaken("reader")).toMatchObject({
    kind: "already-exists",
    reason: "ALREADY_EXISTS",
    resource: { type: "role", name: "reader" },
  });
});
