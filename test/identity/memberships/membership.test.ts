import { describe, expect, test } from "@jest/globals";
import { type Role, roleDefinitions } from "../../../src/kernel/base/permission.ts";
import {
  findUnknownRoles,
  findWrongRoles,
  requireFitting,
} from "../../../src/identity/memberships/membership.ts";

describe("findWrongRoles", () => {
  const kinds = ["instance", "organization", "project", "project-grant"] as const;

  test.each(kinds)("takes the roles of the kind %s and no others", (kind) => {
    const names = Object.keys(roleDefinitions) as Role[];
    const wrong = findWrongRoles(kind, names).map((violation) => violation.field);
    expect(wrong).toEqual(
      names.flatMap((name, index) => (roleDefinitions[name].scope === kind ? [] : [`roles[${index}]`])),
    );
  });

  test.each(["", "OWNER", "project_owner", "__proto__", "constructor"])(
    "refuses %j, which is no role",
    (name) => {
      expect(findWrongRoles("project", ["PROJECT_OWNER", name])).toEqual([
        { field: "roles[1]", description: "must be one of PROJECT_OWNER, PROJECT_VIEWER" },
      ]);
    },
  );

  test("leaves a request without scope to the rule of the scope", () => {
    expect(findWrongRoles(undefined, ["OWNER"])).toEqual([]);
  });
});

describe("roles of an update", () => {
  test("that are no roles at all are named before the scope is known", () => {
    const violations = findUnknownRoles(["PROJECT_OWNER", "NOBODY", "INSTANCE_OWNER", "toString"]);
    expect(violations.map(({ field }) => field)).toEqual(["roles[1]", "roles[3]"]);
    expect(violations[0]?.description).toContain("INSTANCE_OWNER");
  });

  test("that do not fit the scope are named once it is", () => {
    expect(() => requireFitting("project", ["PROJECT_OWNER", "PROJECT_VIEWER"])).not.toThrow();
    expect(() => requireFitting("project", ["PROJECT_OWNER", "ORGANIZATION_OWNER"])).toThrow(
      expect.objectContaining({
        reason: "FIELD_INVALID",
        violations: [{ field: "roles[1]", description: "must be one of PROJECT_OWNER, PROJECT_VIEWER" }],
      }),
    );
  });
});
