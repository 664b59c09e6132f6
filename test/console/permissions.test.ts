import { create } from "@bufbuild/protobuf";
import { describe, expect, test } from "@jest/globals";
import { type ScopedPermissions, ScopedPermissionsSchema } from "../../gen/gatehouse/v1/membership_pb.ts";
import { type HeldPermissions, toHeldPermissions } from "../../src/console/api/permissions.ts";

function hold(scope: ScopedPermissions["scope"], ...permissions: readonly string[]): HeldPermissions {
  const resourceOwner = scope.case === "instance" ? "" : "1"; // of everything here
  return toHeldPermissions([
    create(ScopedPermissionsSchema, { scope, permissions: [...permissions], resourceOwner }),
  ]);
}

describe("a permission", () => {
  test("on the instance holds everywhere", () => {
    const held = hold({ case: "instance", value: true }, "project.write");
    expect(held.can("project.write", {})).toBe(true);
    expect(held.can("project.write", { organization: "1", project: "2" })).toBe(true);
    expect(held.can("user.write", {})).toBe(false);
    expect(held.isOfInstance).toBe(true);
  });

  test("on an organization holds there, and for what belongs to it", () => {
    const held = hold({ case: "organizationId", value: "1" }, "project.write");
    expect(held.can("project.write", { organization: "1" })).toBe(true);
    expect(held.can("project.write", { organization: "1", project: "9" })).toBe(true);
    expect(held.can("project.write", { organization: "2" })).toBe(false);
    expect(held.can("project.write", {})).toBe(false);
    expect(held.organizations).toEqual(["1"]);
  });

  test("on a project or a project grant holds on that one only", () => {
    const project = hold({ case: "projectId", value: "5" }, "project.write");
    expect(project.can("project.write", { organization: "1", project: "5" })).toBe(true);
    expect(project.can("project.write", { organization: "1", project: "6" })).toBe(false);
    expect(project.can("project.write", { organization: "5" })).toBe(false);
    expect(project.can("project.write", { projectGrant: "5" })).toBe(false);
    const grant = hold({ case: "projectGrantId", value: "7" }, "user.grant.write");
    expect(grant.can("user.grant.write", { organization: "1", projectGrant: "7" })).toBe(true);
    expect(grant.can("user.grant.write", { organization: "1" })).toBe(false);
  });

  test("is held somewhere in an organization, if on it or on single objects in it", () => {
    expect(hold({ case: "organizationId", value: "1" }, "a").canSomewhere("a", "1")).toBe(true);
    expect(hold({ case: "organizationId", value: "1" }, "a").canSomewhere("a", "2")).toBe(false);
    for (const kind of ["projectId", "projectGrantId"] as const) {
      const held = hold({ case: kind, value: "5" }, "a");
      expect([held.canSomewhere("a", "1"), held.canSomewhere("a")]).toEqual([true, true]);
      expect([held.canSomewhere("a", "2"), held.canSomewhere("b", "1")]).toEqual([false, false]);
      expect([held.organizations, held.reachableOrganizations]).toEqual([[], ["1"]]);
    }
    expect(hold({ case: "instance", value: true }, "a").canSomewhere("a", "2")).toBe(true);
  });

  test("is held by nobody without roles", () => {
    const held = toHeldPermissions([]);
    expect(held.can("a", { organization: "1" })).toBe(false);
    expect(held.canSomewhere("a")).toBe(false);
    expect(held.isEmpty).toBe(true);
  });
});
