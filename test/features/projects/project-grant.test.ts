import { describe, expect, test } from "@jest/globals";
import { type OrganizationId, type ProjectGrantId, type ProjectId, toId } from "../../../src/base/ids.ts";
import {
  addProjectGrant,
  grantedToOwner,
  projectGrantTaken,
} from "../../../src/features/projects/project-grant.ts";

const grant = (roleKeys: readonly string[], projectRoles: readonly string[] = ["reader", "writer"]) =>
  addProjectGrant({
    id: toId<ProjectGrantId>("9"),
    project: {
      id: toId<ProjectId>("7"),
      details: { sequence: 5, creationDate: 4, resourceOwner: "1" },
      state: "ACTIVE",
      name: "Portal",
      projectRoleAssertion: false,
      projectRoleCheck: false,
      hasProjectCheck: false,
      privateLabelingSetting: "",
    },
    projectRoles: new Set(projectRoles),
    grantedOrganizationId: toId<OrganizationId>("2"),
    roleKeys,
  });

describe("addProjectGrant", () => {
  test("records the grant for the organization that owns the project", () => {
    expect(grant(["writer"])).toEqual({
      type: "project_grant.added",
      aggregateId: "9",
      resourceOwner: "1",
      payload: { project_id: "7", granted_organization_id: "2", role_keys: ["writer"] },
    });
  });

  test("collapses repeated roles in the order in which each comes first", () => {
    expect(grant(["writer", "reader", "writer", "reader"]).payload).toMatchObject({
      role_keys: ["writer", "reader"],
    });
  });

  test("allows no roles", () => {
    expect(grant([]).payload).toMatchObject({ role_keys: [] });
  });

  test.each(["owner", "Reader", "reader ", "", "__proto__", "constructor"])(
    "refuses the role %j, which the project does not have",
    (key) => {
      expect(() => grant(["reader", key])).toThrow(
        expect.objectContaining({ reason: "NOT_FOUND", resource: { type: "role", name: key } }),
      );
    },
  );

  test("knows a role whose key looks like a field of every object", () => {
    expect(grant(["__proto__"], ["__proto__"]).payload).toMatchObject({ role_keys: ["__proto__"] });
  });
});

describe("the problems of project grants", () => {
  test("name the field of a grant to the owner", () => {
    expect(grantedToOwner()).toMatchObject({
      kind: "invalid",
      reason: "FIELD_INVALID",
      violations: [{ field: "granted_organization_id" }],
    });
  });

  test("name the organization that was granted the project already", () => {
    expect(projectGrantTaken("2")).toMatchObject({
      kind: "already-exists",
      reason: "ALREADY_EXISTS",
      message: 'the project is granted to the organization "2" already',
      resource: { type: "project_grant", name: "2" },
    });
  });
});
