import { describe, expect, test } from "@jest/globals";
import { createdDetails } from "../../../src/kernel/base/details.ts";
import {
  type OrganizationId,
  type ProjectGrantId,
  type ProjectId,
  toId,
} from "../../../src/kernel/base/ids.ts";
import type { Access } from "../../../src/kernel/base/permission.ts";
import type { ProjectGrant } from "../../../src/identity/projects/project-grant.ts";
import { type GrantSource, requireGrantSource } from "../../../src/identity/user-grants/user-grant.ts";

const organizationId = toId<OrganizationId>("10");
const projectId = toId<ProjectId>("20");
const grantId = toId<ProjectGrantId>("30");
const everything: Access = { organizationId, projects: "all", projectGrants: "all" };

const owned = (...roleKeys: string[]): GrantSource => ({
  kind: "owned",
  projectId,
  roleKeys: new Set(roleKeys),
});
const granted = (...roleKeys: string[]): GrantSource => {
  const grant: ProjectGrant = {
    id: grantId,
    details: createdDetails(1, "99"),
    state: "ACTIVE",
    projectId,
    grantedOrganizationId: organizationId,
    roleKeys,
  };
  return { kind: "granted", grant };
};

describe("requireGrantSource", () => {
  const require = (source: GrantSource | undefined, projectGrantId: string, access: Access = everything) =>
    requireGrantSource({ access, source, projectId: "20", projectGrantId });
  const only = (projects: readonly string[], projectGrants: readonly string[]): Access => ({
    organizationId,
    projects: new Set(projects),
    projectGrants: new Set(projectGrants),
  });

  test.each([
    ["an owned project", owned(), "", only(["21"], [])],
    ["an owned project, with a project grant", owned(), grantId, only(["21"], [grantId])],
    ["a granted project", granted(), grantId, only([projectId], ["31"])],
    ["a granted project, without project grant", granted(), "", only([projectId], ["31"])],
  ])("hides %s that the caller's roles do not open", (_name, source, named, access) => {
    expect(() => require(source, named, access)).toThrow(
      expect.objectContaining({ reason: "NOT_FOUND", resource: { type: "project", name: "20" } }),
    );
  });
});
