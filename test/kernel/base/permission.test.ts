import { describe, expect, test } from "@jest/globals";
import * as fc from "fast-check";
import { type OrganizationId, toId } from "../../../src/kernel/base/ids.ts";
import {
  type Access,
  findAccess,
  findMissing,
  findRole,
  type HeldRoles,
  holdsAt,
  holdsOnInstance,
  holdsOnOrganization,
  holdsSomewhere,
  mayAccessProject,
  mayAccessProjectGrant,
  type Permission,
  permissions,
  permissionsOf,
  type Role,
  roleDefinitions,
  type Scope,
} from "../../../src/kernel/base/permission.ts";

const organizationIds = ["1", "2", "3"].map((id) => toId<OrganizationId>(id));
const [first, second] = organizationIds as [OrganizationId, OrganizationId];

const organization = (organizationId: OrganizationId): Scope => ({ kind: "organization", organizationId });
const project = (id: string, organizationId: OrganizationId): Scope => ({
  kind: "project",
  projectId: toId(id),
  organizationId,
});
const projectGrant = (id: string, organizationId: OrganizationId): Scope => ({
  kind: "project-grant",
  projectGrantId: toId(id),
  organizationId,
});

/** The scopes of a small world: project 11 is of organization 1 and granted to organization 2 as 21, and so on. */
const world = {
  instance: { kind: "instance" },
  "organization 1": organization(first),
  "organization 2": organization(second),
  "project 11 of 1": project("11", first),
  "project 12 of 1": project("12", first),
  "project 13 of 2": project("13", second),
  "grant 21 to 2": projectGrant("21", second),
  "grant 22 to 2": projectGrant("22", second),
  "grant 23 to 1": projectGrant("23", first),
} as const satisfies Record<string, Scope>;

const roles = Object.keys(roleDefinitions) as Role[];
const rolesOn = (kind: Scope["kind"]) => roles.filter((role) => roleDefinitions[role].scope === kind);
const allows = (role: Role, permission: Permission) =>
  (roleDefinitions[role].permissions as readonly Permission[]).includes(permission);

const anyPermission = fc.constantFrom(...permissions);
const anyOrganization = fc.constantFrom(...organizationIds);
const anyHeldRoles: fc.Arbitrary<HeldRoles> = fc
  .constantFrom<Scope>(...Object.values(world))
  .chain((scope) => fc.record({ scope: fc.constant(scope), roles: fc.subarray(rolesOn(scope.kind)) }));
const anyHeld = fc.array(anyHeldRoles, { maxLength: 5 });

/** Says whether the second access lets through everything that the first one does. */
function isWithin(inner: Access | undefined, outer: Access | undefined): boolean {
  if (inner === undefined) return true;
  if (outer === undefined || inner.organizationId !== outer.organizationId) return false;
  const includes = (few: "all" | ReadonlySet<string>, many: "all" | ReadonlySet<string>) =>
    many === "all" || (few !== "all" && few.isSubsetOf(many));
  return includes(inner.projects, outer.projects) && includes(inner.projectGrants, outer.projectGrants);
}

describe("the role table", () => {
  test("knows these roles, each on one kind of scope", () => {
    expect(Object.fromEntries(roles.map((role) => [role, roleDefinitions[role].scope]))).toEqual({
      INSTANCE_OWNER: "instance",
      INSTANCE_VIEWER: "instance",
      ORGANIZATION_OWNER: "organization",
      ORGANIZATION_VIEWER: "organization",
      ORGANIZATION_USER_MANAGER: "organization",
      ORGANIZATION_PROJECT_MANAGER: "organization",
      PROJECT_OWNER: "project",
      PROJECT_VIEWER: "project",
      PROJECT_GRANT_OWNER: "project-grant",
    });
  });

  test("lets the owner of the instance do everything, and nobody else add organizations", () => {
    expect(roleDefinitions.INSTANCE_OWNER.permissions).toEqual(permissions);
    expect(roles.filter((role) => allows(role, "organization.create"))).toEqual(["INSTANCE_OWNER"]);
  });

  test.each(roles.filter((role) => role.endsWith("_VIEWER")))("lets %s only read", (role) => {
    const allowed = [...permissionsOf([role])];
    expect(allowed).not.toEqual([]);
    expect(allowed.filter((permission) => !permission.endsWith(".read"))).toEqual([]);
  });

  test.each([
    ["instance", "INSTANCE_OWNER"],
    ["organization", "ORGANIZATION_OWNER"],
    ["project", "PROJECT_OWNER"],
    ["project-grant", "PROJECT_GRANT_OWNER"],
  ] as const)("lets no role on a scope of kind %s do what %s may not", (kind, owner) => {
    expect([...permissionsOf(rolesOn(kind))].filter((permission) => !allows(owner, permission))).toEqual([]);
  });

  test.each([
    ["user.credential.write", ["INSTANCE_OWNER", "ORGANIZATION_OWNER", "ORGANIZATION_USER_MANAGER"]],
    ["membership.write", ["INSTANCE_OWNER", "ORGANIZATION_OWNER", "PROJECT_OWNER", "PROJECT_GRANT_OWNER"]],
    ["idp.write", ["INSTANCE_OWNER", "ORGANIZATION_OWNER"]],
    ["project.create", ["INSTANCE_OWNER", "ORGANIZATION_OWNER", "ORGANIZATION_PROJECT_MANAGER"]],
    ["event.read", ["INSTANCE_OWNER", "INSTANCE_VIEWER", "ORGANIZATION_OWNER", "ORGANIZATION_VIEWER"]],
  ] as const)("gives %s to no other role than %j", (permission, holders) => {
    expect(roles.filter((role) => allows(role, permission))).toEqual(holders);
  });
});

describe("findRole", () => {
  test.each(roles)("finds %s", (role) => {
    expect(findRole(role)).toBe(role);
  });

  test.each(["", "instance_owner", "__proto__", "constructor", "toString"])("does not find %j", (name) => {
    expect(findRole(name)).toBeUndefined();
  });
});

describe("holdsAt", () => {
  const enclosed = {
    instance: Object.keys(world),
    "organization 1": ["organization 1", "project 11 of 1", "project 12 of 1", "grant 23 to 1"],
    "organization 2": ["organization 2", "project 13 of 2", "grant 21 to 2", "grant 22 to 2"],
    "project 11 of 1": ["project 11 of 1"],
    "project 12 of 1": ["project 12 of 1"],
    "project 13 of 2": ["project 13 of 2"],
    "grant 21 to 2": ["grant 21 to 2"],
    "grant 22 to 2": ["grant 22 to 2"],
    "grant 23 to 1": ["grant 23 to 1"],
  } as const satisfies Record<keyof typeof world, readonly string[]>;

  test.each(Object.entries(world))("lets a role on %s reach exactly what it encloses", (name, scope) => {
    const held = [{ scope, roles: rolesOn(scope.kind) }];
    const reached = Object.entries(world).filter(([, inner]) => holdsAt(held, "membership.write", inner));
    expect(reached.map(([inner]) => inner)).toEqual(enclosed[name as keyof typeof world]);
  });

  test("needs role and scope from one membership, not from two", () => {
    const held: HeldRoles[] = [
      { scope: world["organization 1"], roles: ["ORGANIZATION_VIEWER"] },
      { scope: world["organization 2"], roles: ["ORGANIZATION_OWNER"] },
    ];
    expect(holdsAt(held, "project.write", world["project 11 of 1"])).toBe(false);
    expect(holdsAt(held, "project.write", world["project 13 of 2"])).toBe(true);
  });
});

describe("holdsOnInstance, holdsOnOrganization and holdsSomewhere", () => {
  const held: HeldRoles[] = [
    { scope: world["organization 1"], roles: ["ORGANIZATION_OWNER"] },
    { scope: world["project 13 of 2"], roles: ["PROJECT_OWNER"] },
  ];

  test("do not take an organization for the instance", () => {
    expect(holdsOnInstance(held, "user.read")).toBe(false);
    expect(holdsOnInstance([{ scope: world.instance, roles: ["INSTANCE_VIEWER"] }], "user.read")).toBe(true);
  });

  test("do not take a project for its organization", () => {
    expect(holdsOnOrganization(held, "project.write", first)).toBe(true);
    expect(holdsOnOrganization(held, "project.write", second)).toBe(false);
  });

  test("find a permission on any scope, and none that is held nowhere", () => {
    expect(holdsSomewhere(held.slice(1), "project.write")).toBe(true);
    expect(holdsSomewhere(held.slice(1), "user.read")).toBe(false);
    expect(holdsSomewhere([], "user.read")).toBe(false);
  });
});

describe("findAccess", () => {
  test("opens the whole organization to a role on it or on the instance", () => {
    const all = { organizationId: first, projects: "all", projectGrants: "all" };
    const owner: HeldRoles = { scope: world["organization 1"], roles: ["ORGANIZATION_OWNER"] };
    const viewer: HeldRoles = { scope: world.instance, roles: ["INSTANCE_VIEWER"] };
    expect(findAccess([owner], "project.write", first)).toEqual(all);
    expect(findAccess([viewer], "project.read", first)).toEqual(all);
  });

  test("opens one project to a role on it, and no other", () => {
    const held: HeldRoles[] = [{ scope: world["project 11 of 1"], roles: ["PROJECT_OWNER"] }];
    const access = findAccess(held, "project.write", first)!;
    expect(mayAccessProject(access, "11")).toBe(true);
    expect(mayAccessProject(access, "12")).toBe(false);
    expect(mayAccessProjectGrant(access, "23")).toBe(false);
  });

  test("opens one project grant to a role on it, in the organization that it is made to", () => {
    const held: HeldRoles[] = [{ scope: world["grant 21 to 2"], roles: ["PROJECT_GRANT_OWNER"] }];
    const access = findAccess(held, "user.grant.write", second)!;
    expect(mayAccessProjectGrant(access, "21")).toBe(true);
    expect(mayAccessProjectGrant(access, "22")).toBe(false);
    expect(mayAccessProject(access, "13")).toBe(false);
    expect(findAccess(held, "user.grant.write", first)).toBeUndefined();
  });

  test("leaves out a project on which the role does not allow it", () => {
    const held: HeldRoles[] = [
      { scope: world["project 11 of 1"], roles: ["PROJECT_VIEWER"] },
      { scope: world["project 12 of 1"], roles: ["PROJECT_OWNER"] },
    ];
    expect(findAccess(held, "project.write", first)?.projects).toEqual(new Set(["12"]));
    expect(findAccess(held, "project.read", first)?.projects).toEqual(new Set(["11", "12"]));
  });

  test("is undefined exactly when the permission is held nowhere in the organization", () => {
    fc.assert(
      fc.property(anyHeld, anyPermission, anyOrganization, (held, permission, organizationId) => {
        const isHeld = held.some(
          ({ scope, roles: own }) =>
            (scope.kind === "instance" || scope.organizationId === organizationId) &&
            own.some((role) => allows(role, permission)),
        );
        expect(findAccess(held, permission, organizationId) !== undefined).toBe(isHeld);
      }),
      { numRuns: 1000 },
    );
  });

  test("is undefined for everything in an organization where no scope is", () => {
    fc.assert(
      fc.property(anyHeld, anyPermission, anyOrganization, (held, permission, organizationId) => {
        const elsewhere = held.filter(
          ({ scope }) => scope.kind !== "instance" && scope.organizationId !== organizationId,
        );
        expect(findAccess(elsewhere, permission, organizationId)).toBeUndefined();
        expect(holdsOnOrganization(elsewhere, permission, organizationId)).toBe(false);
      }),
      { numRuns: 1000 },
    );
  });

  test("never names an organization other than the one asked for", () => {
    fc.assert(
      fc.property(anyHeld, anyPermission, anyOrganization, (held, permission, organizationId) => {
        expect([undefined, organizationId]).toContain(
          findAccess(held, permission, organizationId)?.organizationId,
        );
      }),
    );
  });

  test("never shrinks when more is held", () => {
    fc.assert(
      fc.property(anyHeld, anyHeld, anyPermission, anyOrganization, (held, more, permission, id) => {
        const before = findAccess(held, permission, id);
        expect(isWithin(before, findAccess([...held, ...more], permission, id))).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });
});

describe("findMissing", () => {
  test("finds nothing missing in what is held", () => {
    fc.assert(
      fc.property(anyHeld, (held) => {
        expect(findMissing(held, held)).toBeUndefined();
      }),
    );
  });

  test("lets nobody hand out access that they do not have", () => {
    fc.assert(
      fc.property(anyHeld, anyHeld, anyPermission, anyOrganization, (held, wanted, permission, id) => {
        fc.pre(findMissing(held, wanted) === undefined);
        expect(isWithin(findAccess(wanted, permission, id), findAccess(held, permission, id))).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });

  test("names a permission that is wanted on the scope and not held there", () => {
    fc.assert(
      fc.property(anyHeld, anyHeld, (held, wanted) => {
        const missing = findMissing(held, wanted);
        fc.pre(missing !== undefined);
        expect(holdsAt(wanted, missing.permission, missing.scope)).toBe(true);
        expect(holdsAt(held, missing.permission, missing.scope)).toBe(false);
      }),
    );
  });

  test("misses the permissions of a role on a wider scope", () => {
    const held: HeldRoles[] = [{ scope: world["organization 1"], roles: ["ORGANIZATION_OWNER"] }];
    expect(findMissing(held, [{ scope: world.instance, roles: ["INSTANCE_VIEWER"] }])).toEqual({
      permission: "organization.read",
      scope: world.instance,
    });
  });

  test("looks at what is held no oftener for many scopes than for one", () => {
    let looks = 0;
    const counted = (own: HeldRoles): HeldRoles => ({
      roles: own.roles,
      get scope() {
        looks += 1;
        return own.scope;
      },
    });
    const owned = Array.from(
      { length: 100 },
      (_, index): HeldRoles => ({ scope: project(`${index}`, first), roles: ["PROJECT_OWNER"] }),
    );
    expect(findMissing(owned.map(counted), owned)).toBeUndefined();
    const each = roleDefinitions.PROJECT_OWNER.permissions.length + 1;
    expect(looks).toBeLessThanOrEqual(owned.length * each);
  });
});
