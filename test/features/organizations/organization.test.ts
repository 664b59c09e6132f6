import { describe, expect, test } from "@jest/globals";
import { type InstanceId, toId } from "../../../src/base/ids.ts";
import type { HeldRoles, Scope } from "../../../src/base/permission.ts";
import {
  deactivateOrganization,
  type Organization,
  reactivateOrganization,
  removeOrganization,
  requireNoneMightier,
  updateOrganization,
} from "../../../src/features/organizations/organization.ts";

const active: Organization = {
  id: toId("10"),
  details: { sequence: 5, creationDate: 4, resourceOwner: "10" },
  state: "ACTIVE",
  name: "Home",
};
const inactive: Organization = { ...active, state: "INACTIVE" };
const event = (type: string, payload: object = {}) => ({
  type,
  aggregateId: "10",
  resourceOwner: "10",
  payload,
});

describe("an organization", () => {
  test("gets another name, also one that differs in case only", () => {
    expect(updateOrganization(active, "Away")).toEqual([event("organization.changed", { name: "Away" })]);
    expect(updateOrganization(inactive, "HOME")).toEqual([event("organization.changed", { name: "HOME" })]);
  });

  test("that keeps its name has nothing to record", () => {
    expect(updateOrganization(active, "Home")).toEqual([]);
  });

  test("is stopped and started once", () => {
    expect(deactivateOrganization(active)).toEqual([event("organization.deactivated")]);
    expect(deactivateOrganization(inactive)).toEqual([]);
    expect(reactivateOrganization(inactive)).toEqual([event("organization.reactivated")]);
    expect(reactivateOrganization(active)).toEqual([]);
  });

  test("is removed in any state", () => {
    for (const each of [active, inactive])
      expect(removeOrganization(each)).toEqual(event("organization.removed"));
  });
});

describe("requireNoneMightier", () => {
  const home: Scope = { kind: "organization", organizationId: toId("10") };
  const away: Scope = { kind: "organization", organizationId: toId("11") };
  const instanceId = toId<InstanceId>("1");
  const owner: HeldRoles[] = [{ scope: home, roles: ["ORGANIZATION_OWNER"] }];

  test("lets those pass who hold all that the users hold", () => {
    const users: HeldRoles[] = [
      { scope: home, roles: ["ORGANIZATION_OWNER", "ORGANIZATION_VIEWER"] },
      {
        scope: { kind: "project", projectId: toId("20"), organizationId: toId("10") },
        roles: ["PROJECT_OWNER"],
      },
    ];
    expect(() => requireNoneMightier(owner, users, instanceId)).not.toThrow();
    expect(() => requireNoneMightier([], [], instanceId)).not.toThrow();
  });

  test.each<[string, HeldRoles, string, string]>([
    [
      "on the instance",
      { scope: { kind: "instance" }, roles: ["INSTANCE_VIEWER"] },
      "organization.read",
      "1",
    ],
    ["elsewhere", { scope: away, roles: ["ORGANIZATION_VIEWER"] }, "organization.read", "11"],
  ])(
    "names the permission that one of them holds %s, and where",
    (_where, held, permission, organizationId) => {
      expect(() => requireNoneMightier(owner, [...owner, held], instanceId)).toThrow(
        expect.objectContaining({
          reason: "PERMISSION_DENIED",
          metadata: { permission, organization_id: organizationId },
        }),
      );
    },
  );
});
