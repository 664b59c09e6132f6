import { describe, expect, test } from "@jest/globals";
import { findRepeatedKeys, type ProjectRole, updateRole } from "../../../src/identity/projects/role.ts";
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
});
