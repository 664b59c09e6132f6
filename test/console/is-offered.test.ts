import { create } from "@bufbuild/protobuf";
import { describe, expect, test } from "@jest/globals";
import { type ScopedPermissions, ScopedPermissionsSchema } from "../../gen/gatehouse/v1/membership_pb.ts";
import { toHeldPermissions } from "../../src/console/api/permissions.ts";
import { isOffered } from "../../src/console/app/is-offered.ts";
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
const hold = (scope: ScopedPermissions["scope"]) =>
  toHeldPermissions([create(ScopedPermissionsSchema, { scope, permissions: ["read"] })]);
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
    expect(isOffered(projects, ofProject, "2")).toBe(true);
  });
});
