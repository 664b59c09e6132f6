import { afterAll, expect, test } from "@jest/globals";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { AccessService } from "../../gen/gatehouse/v1/access_service_pb.ts";
import { ApplicationService } from "../../gen/gatehouse/v1/application_service_pb.ts";
import { LoginPolicyService } from "../../gen/gatehouse/v1/login_policy_service_pb.ts";
import { MembershipService } from "../../gen/gatehouse/v1/membership_service_pb.ts";
import { ProjectService } from "../../gen/gatehouse/v1/project_service_pb.ts";
import { UserGrantService } from "../../gen/gatehouse/v1/user_grant_service_pb.ts";
import { refusalOf, startService } from "../support/service.ts";
import {
  createCaller,
  createHumanUser,
  createOidcApplication,
  createProject,
  createWorld,
  idOf,
} from "../support/world.ts";

// The rules of the past are in `test/identity/as-of`.

const service = await startService();
const { organizationId, viewer } = await createWorld(service);
const inside = createCaller(service, organizationId);
afterAll(() => service.stop());

test("lists and explanations of one user are as they were at an instant, and after an event", async () => {
  const { addUserGrant, listUserGrants, listEffectiveRoles, removeUserGrant } = UserGrantService.method;
  const { addMembership, listMemberships, removeMembership } = MembershipService.method;
  const projectId = await createProject(service, organizationId, ["reader"]);
  const userId = await createHumanUser(service, organizationId);
  const role = { case: "role", value: { projectId, roleKey: "reader" } } as const;
  const added = await inside(addUserGrant, { userId, projectId, roleKeys: ["reader"] });
  const grantId = idOf(added, "userGrantId");
  const scope = { case: "organizationId", value: organizationId } as const;
  const given = await inside(addMembership, { userId, scope, roles: ["ORGANIZATION_VIEWER"] });
  const membershipId = idOf(given, "membershipId");
  const { details } = given as { readonly details: { readonly sequence: string } }; // of the answer
  const sequence = BigInt(details.sequence);
  service.clock.turn(10);
  const between = timestampFromMs(service.clock.nowMs());
  service.clock.turn(10);
  await inside(removeUserGrant, { userId, grantId });
  await inside(removeMembership, { membershipId });
  const moments = [
    { case: "asOfDate", value: between },
    { case: "asOfSequence", value: sequence },
  ] as const;
  for (const asOf of moments) {
    expect((await inside(listUserGrants, { userId, asOf })).userGrants).toMatchObject([{ id: grantId }]);
    expect(await inside(listEffectiveRoles, { userId, asOf })).toMatchObject({
      details: { processedSequence: String(sequence) },
      effectiveRoles: [{ projectId, roleKeys: ["reader"] }],
    });
    expect((await inside(listMemberships, { userId, asOf })).memberships).toMatchObject([
      { id: membershipId },
    ]);
    const asked = { userId, question: role, asOf };
    expect(await inside(AccessService.method.explainAccess, asked)).toMatchObject({ allowed: true });
  }
  expect((await inside(listUserGrants, { userId })).userGrants).toEqual([]);
  expect(await inside(AccessService.method.explainAccess, { userId, question: role })).toMatchObject({
    allowed: false,
  });
});

test("a login is explained by the application, the project, its grants and the policies as they were", async () => {
  const { organizationId: ownerId } = await createWorld(service);
  const call = createCaller(service, ownerId);
  const projectId = await createProject(service, ownerId, ["reader"]);
  const appId = await createOidcApplication(service, ownerId, projectId);
  const userId = await createHumanUser(service, organizationId);
  const login = { case: "login", value: { applicationId: appId } } as const;
  const verdicts: unknown[] = [];
  const moments: number[] = [];
  const explainAt = async (asOf?: number) =>
    await inside(AccessService.method.explainAccess, {
      userId,
      question: login,
      ...(asOf === undefined ? {} : { asOf: { case: "asOfDate", value: timestampFromMs(asOf) } as const }),
    });
  const look = async () => {
    service.clock.turn(10);
    verdicts.push(await explainAt());
    moments.push(service.clock.nowMs());
    service.clock.turn(10);
  };
  await look();
  const checks = { projectRoleCheck: true, hasProjectCheck: true };
  await call(ProjectService.method.updateProject, { id: projectId, name: "Checked", ...checks });
  await look();
  const grant = { projectId, grantedOrganizationId: organizationId, roleKeys: ["reader"] };
  const projectGrantId = idOf(await call(ProjectService.method.addProjectGrant, grant), "grantId");
  await inside(UserGrantService.method.addUserGrant, {
    userId,
    projectId,
    projectGrantId,
    roleKeys: ["reader"],
  });
  await look();
  const policy = { minPasswordLength: 10 };
  await call(LoginPolicyService.method.updateLoginPolicy, { ...policy, allowPasskeys: true });
  await inside(LoginPolicyService.method.updateLoginPolicy, { ...policy, allowPassword: true });
  await look();
  await inside(LoginPolicyService.method.resetLoginPolicy, {});
  await call(ApplicationService.method.deactivateApplication, { projectId, appId });
  await look();
  expect(verdicts.map((each) => (each as { readonly allowed: boolean }).allowed)).toEqual([
    true,
    false,
    true,
    false,
    false,
  ]);
  for (const [index, moment] of moments.entries()) expect(await explainAt(moment)).toEqual(verdicts[index]);
});

test("refuses a past of all users, one in the future, and a text", async () => {
  const asOf = { case: "asOfSequence", value: 2n ** 63n } as const;
  const { listUserGrants } = UserGrantService.method;
  type Asked = Parameters<typeof service.clients.json.call<typeof listUserGrants>>[1];
  const refuse = async (request: Asked) =>
    refusalOf(await service.clients.json.call(listUserGrants, request, { token: viewer.token }));
  const userId = await createHumanUser(service, organizationId);
  expect(await refuse({ asOf })).toMatchObject({ reason: "FIELD_INVALID", fields: ["user_id"] });
  expect(await refuse({ asOf, userId })).toMatchObject({
    reason: "FIELD_INVALID",
    fields: ["as_of_sequence"],
  });
  expect(await refuse({ asOf, userId, search: "ada" })).toMatchObject({ fields: ["search"] });
});
