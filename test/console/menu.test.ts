import { create } from "@bufbuild/protobuf";
import { describe, expect, test } from "@jest/globals";
import { type ScopedPermissions, ScopedPermissionsSchema } from "../../gen/gatehouse/v1/membership_pb.ts";
import { toHeldPermissions } from "../../src/console/api/permissions.ts";
import { findMenuPage, isOffered, placeOfOrganization } from "../../src/console/ui/menu.ts";
import { definePage, type PageEntry } from "../../src/console/routing/page-entry.ts";

const page = (entry: Partial<PageEntry>): PageEntry => ({
  ...definePage({
    pattern: "/",
    title: { en: "", de: "" },
    permission: "read",
    load: () => Promise.reject(new Error("not here")),
  }),
  ...entry,
});
const hold = (scope: ScopedPermissions["scope"], resourceOwner = "1") =>
  toHeldPermissions([create(ScopedPermissionsSchema, { scope, permissions: ["read"], resourceOwner })]);
const ofInstance = hold({ case: "instance", value: true });
const ofOrganization = hold({ case: "organizationId", value: "1" });
const ofProject = hold({ case: "projectId", value: "5" });

describe("a page", () => {
  test("without a permission is offered to everybody", () => {
    expect(isOffered(page({ permission: undefined }), toHeldPermissions([]), undefined)).toBe(true);
  });

  test("of the instance is offered to those who have its permission there", () => {
    const settings = page({ menu: "instance" });
    expect(isOffered(settings, ofInstance, "1")).toBe(true);
    expect(isOffered(settings, ofOrganization, "1")).toBe(false);
    expect(isOffered(settings, ofProject, "1")).toBe(false);
  });

  test("that spans organizations is offered to those who have its permission in one of them", () => {
    const list = page({ menu: "instance", spansOrganizations: true });
    expect(isOffered(list, ofOrganization, undefined)).toBe(true);
    expect(isOffered(list, toHeldPermissions([]), undefined)).toBe(false);
  });

  test("of an organization is offered to those who have its permission there or on single objects", () => {
    const projects = page({ menu: "organization" });
    expect(isOffered(projects, ofOrganization, "1")).toBe(true);
    expect(isOffered(projects, ofOrganization, "2")).toBe(false);
    expect(isOffered(projects, ofProject, "1")).toBe(true);
    expect(isOffered(projects, ofProject, "2")).toBe(false);
  });
});

describe("somebody who chooses an organization", () => {
  const projects = page({ menu: "organization", pattern: "/orgs/:organization/projects" });
  const users = page({ menu: "organization", pattern: "/orgs/:organization/users", permission: "more" });
  const settings = page({ menu: "organization", pattern: "/orgs/:organization", permission: "more" });
  const roles = page({ pattern: "/orgs/:organization/projects/:project/roles" });
  const list = page({ menu: "instance", pattern: "/orgs" });
  const pages = [list, projects, roles, users, settings];
  const all = toHeldPermissions([
    create(ScopedPermissionsSchema, {
      scope: { case: "organizationId", value: "1" },
      permissions: ["read", "more"],
      resourceOwner: "1",
    }),
  ]);

  test("is led to the page of the menu where they are", () => {
    expect(findMenuPage(pages, roles)).toBe(projects);
    expect(placeOfOrganization("1", { pages, permissions: all, current: roles })).toBe("/orgs/1/projects");
    expect(placeOfOrganization("1", { pages, permissions: all, current: users })).toBe("/orgs/1/users");
  });

  test("is led to the settings from elsewhere", () => {
    expect(placeOfOrganization("1", { pages, permissions: all, current: list })).toBe("/orgs/1");
    expect(placeOfOrganization("1", { pages, permissions: all })).toBe("/orgs/1");
  });

  test("is led to no page that is not offered there", () => {
    expect(placeOfOrganization("1", { pages, permissions: ofProject, current: users })).toBe(
      "/orgs/1/projects",
    );
    expect(placeOfOrganization("2", { pages, permissions: ofProject, current: projects })).toBe("/orgs/2");
  });
});
