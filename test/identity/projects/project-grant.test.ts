import { describe, expect, test } from "@jest/globals";
import {
  type OrganizationId,
  type ProjectGrantId,
  type ProjectId,
  toId,
} from "../../../src/kernel/base/ids.ts";
import type { Access } from "../../../src/kernel/base/permission.ts";
import {
  addProjectGrant,
  grantedToOwner,
  type NamedProjectGrant,
  projectGrantTaken,
  type ProjectGrantView,
  removeProjectGrant,
  requireGrantOf,
  requireReadable,
  setProjectGrantState,
  updateProjectGrant,
} from "../../../src/identity/projects/project-grant.ts";
import { project } from "../../support/samples.ts";

const grant = (roleKeys: readonly string[], projectRoles: readonly string[] = ["reader", "writer"]) =>
  addProjectGrant({
    id: toId<ProjectGrantId>("9"),
    project: project(),
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

const stored: NamedProjectGrant = {
  id: toId<ProjectGrantId>("9"),
  details: { sequence: 5, creationDate: 4, resourceOwner: "1" },
  state: "ACTIVE",
  projectId: toId<ProjectId>("7"),
  projectName: "Portal",
  grantedOrganizationId: toId<OrganizationId>("2"),
  roleKeys: ["writer", "reader"],
};
const place = { aggregateId: "9", resourceOwner: "1" };
const projectRoles = new Set(["reader", "writer", "auditor"]);

describe("updateProjectGrant", () => {
  test.each([[["reader"]], [["reader", "writer"]], [["writer", "reader", "auditor"]], [[]]])(
    "records %j",
    (roleKeys) => {
      expect(updateProjectGrant(stored, { projectRoles, roleKeys })).toEqual([
        { ...place, type: "project_grant.changed", payload: { role_keys: roleKeys } },
      ]);
    },
  );

  test.each([[["writer", "reader"]], [["writer", "writer", "reader", "writer"]]])(
    "records nothing for %j",
    (roleKeys) => {
      expect(updateProjectGrant(stored, { projectRoles, roleKeys })).toEqual([]);
    },
  );

  test("refuses a role that the project does not have", () => {
    expect(() => updateProjectGrant(stored, { projectRoles, roleKeys: ["reader", "constructor"] })).toThrow(
      expect.objectContaining({ reason: "NOT_FOUND", resource: { type: "role", name: "constructor" } }),
    );
  });
});

describe("setProjectGrantState", () => {
  test.each([
    ["ACTIVE", "INACTIVE", "project_grant.deactivated"],
    ["INACTIVE", "ACTIVE", "project_grant.reactivated"],
  ] as const)("from %s to %s records %s", (before, after, type) => {
    expect(setProjectGrantState({ ...stored, state: before }, after)).toEqual([
      { ...place, type, payload: {} },
    ]);
  });

  test.each(["ACTIVE", "INACTIVE"] as const)("records nothing for a grant that is %s already", (state) => {
    expect(setProjectGrantState({ ...stored, state }, state)).toEqual([]);
  });
});

describe("removeProjectGrant", () => {
  test("is one event", () => {
    expect(removeProjectGrant(stored)).toEqual({ ...place, type: "project_grant.removed", payload: {} });
  });
});

describe("requireGrantOf", () => {
  test("returns the grant of the project", () => {
    expect(requireGrantOf("7", "9", stored)).toBe(stored);
  });

  test.each([
    ["another project", "8", "9", stored],
    ["another grant", "7", "10", stored],
    ["no grant", "7", "9", undefined],
  ])("refuses %s", (_what, projectId, grantId, found) => {
    expect(() => requireGrantOf(projectId, grantId, found)).toThrow(
      expect.objectContaining({ reason: "NOT_FOUND", resource: { type: "project_grant", name: grantId } }),
    );
  });
});

describe("requireReadable", () => {
  const access = (projects: Access["projects"], projectGrants: Access["projectGrants"]): Access => ({
    organizationId: toId<OrganizationId>("2"),
    projects,
    projectGrants,
  });
  const none = new Set<string>();
  const owned: ProjectGrantView = { kind: "owned", grant: stored };
  const granted: ProjectGrantView = { kind: "granted", grant: stored };
  const asked = { projectId: "7", grantId: "9" };

  test.each([
    ["its project is owned and the whole organization is open", access("all", "all"), owned],
    ["its project is owned and open", access(new Set(["7"]), none), owned],
    ["it is held and the whole organization is open", access("all", "all"), granted],
    ["it is held and open", access(none, new Set(["9"])), granted],
  ])("returns the grant when %s", (_when, own, view) => {
    expect(requireReadable(own, asked, view)).toBe(stored);
  });

  test.each([
    ["the organization does not have the project", access("all", "all"), undefined],
    ["the project is owned, and another project is open", access(new Set(["8"]), new Set(["9"])), owned],
    ["the grant is held, and only the project is open", access(new Set(["7"]), none), granted],
    ["the grant is held, and another grant is open", access(none, new Set(["10"])), granted],
  ])("does not find the project when %s", (_when, own, view) => {
    expect(() => requireReadable(own, asked, view)).toThrow(
      expect.objectContaining({ reason: "NOT_FOUND", resource: { type: "project", name: "7" } }),
    );
  });

  test.each([
    ["that is not there", { kind: "owned", grant: undefined }],
    ["of another project", { kind: "owned", grant: { ...stored, projectId: toId<ProjectId>("8") } }],
    [
      "that another organization holds",
      { kind: "granted", grant: { ...stored, id: toId<ProjectGrantId>("10") } },
    ],
  ] satisfies readonly (readonly [string, ProjectGrantView])[])("does not find a grant %s", (_what, view) => {
    expect(() => requireReadable(access("all", "all"), asked, view)).toThrow(
      expect.objectContaining({ reason: "NOT_FOUND", resource: { type: "project_grant", name: "9" } }),
    );
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
      message: 'the project is already granted to the organization "2"',
      resource: { type: "project_grant", name: "2" },
    });
  });
});
