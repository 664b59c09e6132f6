import { describe, expect, test } from "@jest/globals";
import { toId } from "../../../src/kernel/base/ids.ts";
import {
  type HeldRoles,
  type Role,
  roleDefinitions,
  type Scope,
} from "../../../src/kernel/base/permission.ts";
import {
  addMembership,
  findUnknownRoles,
  findWrongRoles,
  type Membership,
  membershipTaken,
  removeMembership,
  requireFitting,
  requireHeld,
  isSameRoles,
  updateMembership,
} from "../../../src/identity/memberships/membership.ts";

const home: Scope = { kind: "organization", organizationId: toId("10") };
const project: Scope = { kind: "project", projectId: toId("20"), organizationId: toId("10") };
const grant: Scope = { kind: "project-grant", projectGrantId: toId("30"), organizationId: toId("11") };

describe("addMembership", () => {
  test.each<[Scope, object]>([
    [{ kind: "instance" }, { instance: true }],
    [home, { organization_id: "10" }],
    [project, { project_id: "20" }],
    [grant, { project_grant_id: "30" }],
  ])("records exactly the scope %j", (scope, recorded) => {
    const event = addMembership({
      id: toId("1"),
      userId: toId("2"),
      scope,
      roles: ["INSTANCE_VIEWER"],
      resourceOwner: "3",
    });
    expect(event).toEqual({
      type: "membership.added",
      aggregateId: "1",
      resourceOwner: "3",
      payload: { user_id: "2", ...recorded, roles: ["INSTANCE_VIEWER"] },
    });
  });

  test("takes roles as a set, in the order in which each comes first", () => {
    const roles: Role[] = ["ORGANIZATION_VIEWER", "ORGANIZATION_OWNER", "ORGANIZATION_VIEWER"];
    const event = addMembership({
      id: toId("1"),
      userId: toId("2"),
      scope: home,
      roles,
      resourceOwner: "10",
    });
    expect(event.payload).toMatchObject({ roles: ["ORGANIZATION_VIEWER", "ORGANIZATION_OWNER"] });
  });
});

describe("a membership", () => {
  const membership: Membership = {
    id: toId("1"),
    details: { sequence: 5, creationDate: 4, resourceOwner: "10" },
    userId: toId("2"),
    scope: home,
    roles: ["ORGANIZATION_VIEWER", "ORGANIZATION_USER_MANAGER"],
  };

  test("that gets other roles records them as a set, in the order in which each comes first", () => {
    const roles: Role[] = ["ORGANIZATION_OWNER", "ORGANIZATION_VIEWER", "ORGANIZATION_OWNER"];
    expect(isSameRoles(membership, roles)).toBe(false);
    const changed = {
      type: "membership.changed",
      aggregateId: "1",
      resourceOwner: "10",
      payload: { roles: ["ORGANIZATION_OWNER", "ORGANIZATION_VIEWER"] },
    };
    expect(updateMembership(membership, roles, [])).toEqual(changed);
    expect(updateMembership(membership, roles, [toId("7")])).toEqual({
      ...changed,
      payload: { ...changed.payload, limited_token_ids: ["7"] },
    });
  });

  test("that keeps its roles records nothing, also when they are repeated", () => {
    const roles: Role[] = ["ORGANIZATION_VIEWER", "ORGANIZATION_USER_MANAGER", "ORGANIZATION_VIEWER"];
    expect(isSameRoles(membership, roles)).toBe(true);
  });

  test("that is removed says nothing but that", () => {
    expect(removeMembership(membership)).toEqual({
      type: "membership.removed",
      aggregateId: "1",
      resourceOwner: "10",
      payload: {},
    });
  });
});

describe("requireHeld", () => {
  const held: HeldRoles[] = [{ scope: home, roles: ["ORGANIZATION_USER_MANAGER"] }];

  test("lets somebody hand out what they hold, there and on what is enclosed", () => {
    expect(() =>
      requireHeld(held, { scope: home, roles: ["ORGANIZATION_USER_MANAGER"] }, "10"),
    ).not.toThrow();
    const owner: HeldRoles[] = [{ scope: home, roles: ["ORGANIZATION_OWNER"] }];
    expect(() => requireHeld(owner, { scope: project, roles: ["PROJECT_OWNER"] }, "10")).not.toThrow();
  });

  test("refuses a role with one permission more, and names it", () => {
    const wanted: HeldRoles = { scope: home, roles: ["ORGANIZATION_VIEWER"] };
    expect(() => requireHeld(held, wanted, "10")).toThrow(
      expect.objectContaining({
        reason: "PERMISSION_DENIED",
        metadata: { permission: "membership.read", organization_id: "10" },
      }),
    );
  });

  test("refuses the same role elsewhere", () => {
    const elsewhere: Scope = { kind: "organization", organizationId: toId("11") };
    const wanted: HeldRoles = { scope: elsewhere, roles: ["ORGANIZATION_USER_MANAGER"] };
    expect(() => requireHeld(held, wanted, "11")).toThrow(
      expect.objectContaining({ reason: "PERMISSION_DENIED" }),
    );
  });
});

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

test("the problem of a second membership names the user", () => {
  expect(membershipTaken("2")).toMatchObject({
    reason: "ALREADY_EXISTS",
    resource: { type: "membership", name: "2" },
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
