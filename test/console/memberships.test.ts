// What the console offers of memberships: roles by scope, and only to those who hold what the roles allow.
import { create } from "@bufbuild/protobuf";
import { describe, expect, test } from "@jest/globals";
import { ScopedPermissionsSchema } from "../../gen/gatehouse/v1/membership_pb.ts";
import { roleDefinitions } from "../../src/kernel/base/permission.ts";
import { toHeldPermissions } from "../../src/console/api/permissions.ts";
import {
  membershipRoles,
  mayWriteRoles,
  rolesOf,
  toFilter,
  toPermissionScope,
} from "../../src/console/pages/memberships/roles.ts";
import {
  findChoice,
  keyOfScope,
  type ScopeChoice,
} from "../../src/console/pages/memberships/scope-choice.ts";

const kinds = {
  instance: "instance",
  organization: "organizationId",
  project: "projectId",
  "project-grant": "projectGrantId",
} as const;

describe("the roles that the console knows", () => {
  test("are those of the service, on the same scopes, with the same permissions", () => {
    const ofService = Object.entries(roleDefinitions).map(([name, { scope, permissions }]) => [
      name,
      { scope: kinds[scope], permissions: new Set<string>(permissions) },
    ]);
    const ofConsole = Object.entries(membershipRoles).map(([name, { scope, permissions }]) => [
      name,
      { scope, permissions: new Set<string>(permissions) },
    ]);
    expect(ofConsole).toEqual(ofService);
  });

  test("are offered on scopes of their kind only", () => {
    expect(rolesOf("projectId")).toEqual(["PROJECT_OWNER", "PROJECT_VIEWER"]);
    expect(rolesOf("projectGrantId")).toEqual(["PROJECT_GRANT_OWNER"]);
  });
});

test("a scope that was chosen stays that one in another list, and none in one without it", () => {
  const choices: readonly ScopeChoice[] = [
    { scope: { case: "organizationId", value: "7" }, ownerId: "7", title: "Lamps" },
    { scope: { case: "projectId", value: "7" }, ownerId: "7", title: "Desk" },
    { scope: { case: "projectId", value: "8" }, ownerId: "7", title: "Floor" },
    { scope: { case: "instance", value: true }, ownerId: undefined, title: "All" },
  ];
  for (const choice of choices) {
    const key = keyOfScope(choice.scope);
    expect(findChoice(choices.toReversed(), key)).toBe(choice);
    const others = choices.filter((other) => other !== choice);
    expect(findChoice(others, key)).toBeUndefined();
  }
});

describe("who may give a role", () => {
  const holder = toHeldPermissions([
    create(ScopedPermissionsSchema, {
      scope: { case: "projectId", value: "7" },
      permissions: [...membershipRoles.PROJECT_OWNER.permissions],
    }),
    create(ScopedPermissionsSchema, {
      scope: { case: "organizationId", value: "2" },
      permissions: ["membership.write", "membership.read"],
    }),
  ]);

  test("is whoever holds all that it allows, on that scope", () => {
    const project = toPermissionScope({ case: "projectId", value: "7" }, "1");
    expect(mayWriteRoles(holder, ["PROJECT_OWNER"], project)).toBe(true);
    const other = toPermissionScope({ case: "projectId", value: "8" }, "1");
    expect(mayWriteRoles(holder, ["PROJECT_OWNER"], other)).toBe(false);
  });

  test("is nobody who may only write memberships", () => {
    const organization = toPermissionScope({ case: "organizationId", value: "2" }, "2");
    expect(mayWriteRoles(holder, ["ORGANIZATION_VIEWER"], organization)).toBe(false);
    expect(mayWriteRoles(holder, [], organization)).toBe(true);
    expect(mayWriteRoles(holder, ["ROLE_OF_TOMORROW"], organization)).toBe(true);
  });

  test("is asked of the installation alone, for its own roles", () => {
    expect(toPermissionScope({ case: "instance", value: true }, "1")).toEqual({});
  });
});

test("a list is asked for the memberships of one scope", () => {
  expect(toFilter({ case: "projectGrantId", value: "9" })).toEqual({ projectGrantId: "9" });
  expect(toFilter({ case: "instance", value: true })).toEqual({ instance: true });
  expect(toFilter({ case: undefined })).toEqual({});
});
