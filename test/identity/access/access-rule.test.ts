import { describe, expect, test } from "@jest/globals";
import { create, type Message } from "@bufbuild/protobuf";
import { type AccessRule, OrganizationSource } from "../../../gen/gatehouse/v1/access_pb.ts";
import {
  AddMembershipRequestSchema,
  MembershipService,
} from "../../../gen/gatehouse/v1/membership_service_pb.ts";
import { OrganizationService } from "../../../gen/gatehouse/v1/organization_service_pb.ts";
import { ProjectService } from "../../../gen/gatehouse/v1/project_service_pb.ts";
import { permissions } from "../../../src/kernel/base/permission.ts";
import { toAccessRequest } from "../../../src/identity/access/access-rule.ts";
import { listMethods, ruleOf } from "../../support/methods.ts";

const methods = await listMethods();

const asked = (rule: AccessRule, request: Message, organizationId?: string) =>
  toAccessRequest({ rule, request, organizationId });

describe("the access rule of an rpc", () => {
  test("is there for every rpc", () => {
    expect(methods.length).toBeGreaterThan(8);
    expect(methods.filter((method) => ruleOf(method) === undefined)).toEqual([]);
  });

  test.each(methods.map((method) => [method.toString(), method] as const))(
    "of %s fits its request",
    (_name, method) => {
      const rule = ruleOf(method)!;
      const found = asked(rule, create(method.input), "5");
      const { organization } = rule;
      const needsNone = organization === OrganizationSource.SELF || organization === OrganizationSource.ITEMS;
      const expected = needsNone ? [undefined] : permissions;
      expect(expected).toContain(found?.permission);
    },
  );

  test("that takes the organization from the header is filled with it", () => {
    const method = ProjectService.method.addProject;
    const filled = (header: string | undefined) => asked(ruleOf(method)!, create(method.input), header);
    expect(filled("5")).toEqual({ permission: "project.create", on: { kind: "organization", id: "5" } });
    expect(filled(undefined)?.on).toEqual({ kind: "organization", id: undefined });
  });

  test("that takes it from an id or a membership is filled with what the request names", () => {
    const { getOrganization, listOrganizations } = OrganizationService.method;
    const found = asked(ruleOf(getOrganization)!, create(getOrganization.input, { id: "7" }));
    expect(found).toEqual({ permission: "organization.read", on: { kind: "organization", id: "7" } });
    const { removeMembership } = MembershipService.method;
    const request = create(removeMembership.input, { membershipId: "8" });
    expect(asked(ruleOf(removeMembership)!, request)).toEqual({
      permission: "membership.write",
      on: { kind: "membership", membershipId: "8" },
    });
    expect(asked(ruleOf(listOrganizations)!, create(listOrganizations.input))?.on).toEqual({
      kind: "held",
      id: undefined,
    });
  });

  test.each([
    [{ case: "instance", value: true } as const, { kind: "instance" }],
    [{ case: "organizationId", value: "1" } as const, { kind: "organization", id: "1" }],
    [{ case: "projectId", value: "2" } as const, { kind: "project", id: "2" }],
    [{ case: "projectGrantId", value: "3" } as const, { kind: "project-grant", id: "3" }],
    [{ case: undefined } as const, undefined],
  ])("that takes it from the scope is filled with %j", (scope, expected) => {
    const request = create(AddMembershipRequestSchema, { scope });
    const found = asked(ruleOf(MembershipService.method.addMembership)!, request, "9");
    expect(found).toEqual({ permission: "membership.write", on: { kind: "scope", scope: expected } });
  });
});
