import { describe, expect, test } from "@jest/globals";
import { type OrganizationId, toId } from "../../../src/kernel/base/ids.ts";
import { type HeldRoles, permissionsOf, type Role, type Scope } from "../../../src/kernel/base/permission.ts";
import { listScopedPermissions } from "../../../src/identity/held-roles/scoped-permissions.ts";

const home = toId<OrganizationId>("7");

const instance: Scope = { kind: "instance" };
const organization = (id: string): Scope => ({ kind: "organization", organizationId: toId(id) });
const project = (id: string): Scope => ({ kind: "project", projectId: toId(id), organizationId: home });
const grant = (id: string): Scope => ({
  kind: "project-grant",
  projectGrantId: toId(id),
  organizationId: home,
});

const held = (scope: Scope, ...roles: readonly Role[]): HeldRoles => ({ scope, roles });
const sorted = (...roles: readonly Role[]) => [...permissionsOf(roles)].toSorted();

describe("listScopedPermissions", () => {
  test("tells each permission that a role gives on its scope once, in alphabetical order", () => {
    expect(listScopedPermissions([held(grant("5"), "PROJECT_GRANT_OWNER")])).toEqual([
      {
        scope: grant("5"),
        permissions: [
          "membership.read",
          "membership.write",
          "project.grant.read",
          "user.grant.read",
          "user.grant.write",
        ],
      },
    ]);
  });

  test("puts together what several roles give on one scope, of one membership or of several", () => {
    const both = sorted("ORGANIZATION_USER_MANAGER", "ORGANIZATION_PROJECT_MANAGER");
    const expected = [{ scope: organization("5"), permissions: both }];
    const roles = ["ORGANIZATION_PROJECT_MANAGER", "ORGANIZATION_USER_MANAGER"] as const;
    expect(listScopedPermissions([held(organization("5"), ...roles)])).toEqual(expected);
    const apart = roles.map((role) => held(organization("5"), role));
    expect(listScopedPermissions(apart)).toEqual(expected);
    expect(new Set(both).size).toBe(both.length);
  });

  test("keeps scopes apart that have other ids or are of other kinds", () => {
    expect(
      listScopedPermissions([
        held(organization("5"), "ORGANIZATION_PROJECT_MANAGER"),
        held(organization("6"), "ORGANIZATION_USER_MANAGER"),
        held(project("5"), "PROJECT_VIEWER"),
        held(grant("5"), "PROJECT_GRANT_OWNER"),
      ]),
    ).toEqual([
      { scope: organization("5"), permissions: sorted("ORGANIZATION_PROJECT_MANAGER") },
      { scope: organization("6"), permissions: sorted("ORGANIZATION_USER_MANAGER") },
      { scope: project("5"), permissions: sorted("PROJECT_VIEWER") },
      { scope: grant("5"), permissions: sorted("PROJECT_GRANT_OWNER") },
    ]);
  });

  test("does not add what a wider scope gives to those inside it", () => {
    expect(
      listScopedPermissions([
        held(project("5"), "PROJECT_VIEWER"),
        held(instance, "INSTANCE_OWNER"),
        held(organization(home), "ORGANIZATION_OWNER"),
      ]).map(({ permissions }) => permissions),
    ).toEqual([sorted("INSTANCE_OWNER"), sorted("ORGANIZATION_OWNER"), sorted("PROJECT_VIEWER")]);
  });

  test("leaves out scopes on which no role is carried", () => {
    expect(listScopedPermissions([])).toEqual([]);
    expect(listScopedPermissions([held(instance), held(project("5"), "PROJECT_VIEWER")])).toMatchObject([
      { scope: project("5") },
    ]);
  });

  test("has one order, whatever the order of the memberships: kinds of scopes, then ids as numbers", () => {
    const inOrder = [
      held(instance, "INSTANCE_VIEWER"),
      ...["9", "10", "11", "100"].map((id) => held(organization(id), "ORGANIZATION_VIEWER")),
      ...["8", "70"].map((id) => held(project(id), "PROJECT_VIEWER")),
      ...["6", "50"].map((id) => held(grant(id), "PROJECT_GRANT_OWNER")),
    ];
    const scopes = inOrder.map(({ scope }) => scope);
    for (const start of inOrder.keys()) {
      const turned = [...inOrder.slice(start), ...inOrder.slice(0, start)];
      for (const given of [turned, turned.toReversed()])
        expect(listScopedPermissions(given).map(({ scope }) => scope)).toEqual(scopes);
    }
  });
});
