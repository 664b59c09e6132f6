import { describe, expect, test } from "@jest/globals";
import * as fc from "fast-check";
import { createdDetails } from "../../../src/kernel/base/details.ts";
import {
  type OrganizationId,
  type ProjectGrantId,
  type ProjectId,
  toId,
  type UserGrantId,
  type UserId,
} from "../../../src/kernel/base/ids.ts";
import type { Access } from "../../../src/kernel/base/permission.ts";
import type { ProjectGrant } from "../../../src/identity/projects/project-grant.ts";
import {
  addUserGrant,
  type GrantSource,
  requireGrantSource,
} from "../../../src/identity/user-grants/user-grant.ts";

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
const add = (source: GrantSource, roleKeys: readonly string[]) =>
  addUserGrant({
    id: toId<UserGrantId>("40"),
    organizationId,
    userId: toId<UserId>("50"),
    source,
    roleKeys,
    isHeldAtHome: false,
  });

describe("addUserGrant", () => {
  test("records user, project, project grant and roles for the organization acted on", () => {
    expect(add(granted("a", "b"), ["b"])).toEqual({
      type: "user_grant.added",
      aggregateId: "40",
      resourceOwner: organizationId,
      payload: { user_id: "50", project_id: projectId, project_grant_id: grantId, role_keys: ["b"] },
    });
  });

  test("names no project grant when the organization owns the project", () => {
    expect(add(owned("a"), ["a"]).payload.project_grant_id).toBe("");
  });

  test("drops repeated roles and keeps the order in which each came first", () => {
    expect(add(owned("a", "b", "c"), ["c", "a", "c", "a", "b"]).payload.role_keys).toEqual(["c", "a", "b"]);
  });

  test("allows no roles", () => {
    expect(add(owned("a"), []).payload.role_keys).toEqual([]);
  });

  test.each([
    ["a role that the project does not have", owned("a"), "b"],
    ["a role of the project that is not in the project grant", granted("a"), "b"],
    ["a key of every object", owned("a"), "__proto__"],
    ["a method of every object", granted("a"), "constructor"],
    ["a role in another case", owned("a"), "A"],
  ])("refuses %s", (_name, source, key) => {
    expect(() => add(source, ["a", key])).toThrow(
      expect.objectContaining({ reason: "NOT_FOUND", resource: { type: "role", name: key } }),
    );
  });

  test("gives a set of allowed roles or nothing, whatever is asked for", () => {
    const key = fc.constantFrom("a", "b", "c", "d", "__proto__", "toString", "");
    fc.assert(
      fc.property(fc.array(key), fc.array(key), fc.boolean(), (allowed, asked, isOwned) => {
        const source = isOwned ? owned(...allowed) : granted(...allowed);
        const isAllowed = asked.every((each) => allowed.includes(each));
        const given = attempt(() => add(source, asked).payload.role_keys);
        expect(given === undefined).toBe(!isAllowed);
        expect(new Set(given).size).toBe((given ?? []).length);
        expect(new Set(given ?? [])).toEqual(new Set(isAllowed ? asked : []));
      }),
    );
  });
});

describe("requireGrantSource", () => {
  const require = (source: GrantSource | undefined, projectGrantId: string, access: Access = everything) =>
    requireGrantSource({ access, source, projectId: "20", projectGrantId });
  const only = (projects: readonly string[], projectGrants: readonly string[]): Access => ({
    organizationId,
    projects: new Set(projects),
    projectGrants: new Set(projectGrants),
  });

  test("takes an owned project without project grant, and a granted one with its own", () => {
    expect(require(owned(), "").kind).toBe("owned");
    expect(require(granted(), grantId).kind).toBe("granted");
  });

  test.each([
    ["no project", undefined, "", "project", "20"],
    ["no project, though a project grant is named", undefined, grantId, "project", "20"],
    ["another project grant", granted(), "31", "project_grant", "31"],
  ])("answers NOT_FOUND for %s", (_name, source, named, type, name) => {
    expect(() => require(source, named)).toThrow(
      expect.objectContaining({ reason: "NOT_FOUND", resource: { type, name } }),
    );
  });

  test("demands the project grant of a project that the organization does not own", () => {
    expect(() => require(granted(), "")).toThrow(
      expect.objectContaining({ kind: "invalid", reason: "PROJECT_GRANT_REQUIRED" }),
    );
  });

  test("refuses a project grant for a project that the organization owns", () => {
    expect(() => require(owned(), grantId)).toThrow(
      expect.objectContaining({ kind: "invalid", reason: "PROJECT_GRANT_NOT_ALLOWED" }),
    );
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

  test("opens what the caller's roles open", () => {
    expect(require(owned(), "", only([projectId], [])).kind).toBe("owned");
    expect(require(granted(), grantId, only([], [grantId])).kind).toBe("granted");
  });
});

function attempt<T>(run: () => T): T | undefined {
  try {
    return run();
  } catch {
    return undefined;
  }
}
