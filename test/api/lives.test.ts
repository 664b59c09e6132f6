import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { DescMethodUnary, JsonObject, MessageInitShape } from "@bufbuild/protobuf";
import { MembershipService } from "../../gen/gatehouse/v1/membership_service_pb.ts";
import { OrganizationService } from "../../gen/gatehouse/v1/organization_service_pb.ts";
import { ProjectService } from "../../gen/gatehouse/v1/project_service_pb.ts";
import { UserGrantService } from "../../gen/gatehouse/v1/user_grant_service_pb.ts";
import { UserService } from "../../gen/gatehouse/v1/user_service_pb.ts";
import { answerOf, refusalOf, startService, type TestService } from "../support/service.ts";
import {
  createHumanUser,
  createProject,
  createServiceUser,
  createWorld,
  idOf,
  uniqueName,
  type World,
} from "../support/world.ts";
import { createLifeCalls } from "./support/life-calls.ts";

// The life of an object of each kind, once over the wire: changed over REST, read over gRPC. The rules are tested in
// test/identity; that every rpc answers and refuses on every lane is what the matrices hold.

const organizations = OrganizationService.method;
const projects = ProjectService.method;
const users = UserService.method;
const memberships = MembershipService.method;
const grants = UserGrantService.method;

let service: TestService;
let home: World;
let partner: World;
beforeAll(async () => {
  service = await startService();
  home = await createWorld(service);
  partner = await createWorld(service);
  ({ send, change, changeOnce, read, reasonOf, enter, remove } = createLifeCalls(service, home.owner.token));
});
afterAll(() => service.stop());

type Calls = ReturnType<typeof createLifeCalls>;
let send: Calls["send"];
let change: Calls["change"];
let changeOnce: Calls["changeOnce"];
let read: Calls["read"];
let reasonOf: Calls["reasonOf"];
let enter: Calls["enter"];
let remove: Calls["remove"];

test("an organization is renamed, stopped, started and removed, and its users are out and in at once", async () => {
  const name = uniqueName("Organization");
  const id = idOf(await service.call(organizations.addOrganization, { name }), "organizationId");
  const added = await read("organization", organizations.getOrganization, { id }, service.adminToken);
  expect(added).toEqual({ id, name, state: "ORGANIZATION_STATE_ACTIVE", details: added["details"] });
  const scope = { case: "organizationId", value: id } as const;
  await service.call(memberships.addMembership, {
    userId: home.owner.id,
    scope,
    roles: ["ORGANIZATION_OWNER"],
  });
  const { token } = await createServiceUser(service, id);
  for (const [method, shown, entering] of [
    [organizations.updateOrganization, { name: uniqueName("Renamed") }, "answered"],
    [organizations.deactivateOrganization, { state: "ORGANIZATION_STATE_INACTIVE" }, "TOKEN_INVALID"],
    [organizations.reactivateOrganization, { state: "ORGANIZATION_STATE_ACTIVE" }, "answered"],
  ] as const) {
    const details = await changeOnce(method as DescMethodUnary, { id, ...("name" in shown ? shown : {}) });
    expect(await read("organization", organizations.getOrganization, { id })).toMatchObject({
      ...shown,
      details,
    });
    expect([method.name, await enter(token)]).toEqual([method.name, entering]);
  }
  await change(organizations.removeOrganization, { id });
  expect([await enter(token), await reasonOf(organizations.getOrganization, { id })]).toEqual([
    "TOKEN_INVALID",
    "PERMISSION_DENIED", // the membership of the caller went with it
  ]);
});

test("a project and its roles are changed and removed, whatever the key of a role is made of", async () => {
  const id = await createProject(service, home.organizationId, ["reader"]);
  const project = () => read("project", projects.getProject, { id });
  for (const [method, state] of [
    [projects.deactivateProject, "PROJECT_STATE_INACTIVE"],
    [projects.reactivateProject, "PROJECT_STATE_ACTIVE"],
  ] as const) {
    const stated = await changeOnce(method, { id });
    expect(await project()).toMatchObject({ details: stated, state });
  }
  const role = { projectId: id, roleKey: "a/b%2F?c&\u{1F600}.." };
  await change(projects.addProjectRole, role);
  const shown = { displayName: "Name", group: "Group" };
  const details = await change(projects.updateProjectRole, { ...role, ...shown });
  const roles = () => read("projectRoles", projects.listProjectRoles, { projectId: id });
  const reader = expect.objectContaining({ key: "reader" });
  expect(await roles()).toEqual([reader, { key: role.roleKey, ...shown, details }]);
  await change(projects.removeProjectRole, role);
  expect(await roles()).toEqual([reader]);
  await remove(projects.removeProject, { id }, await project());
});

test("a project grant is changed, stopped, started and removed, and its holder sees it", async () => {
  const projectId = await createProject(service, home.organizationId, ["reader", "writer"]);
  const given = { projectId, grantedOrganizationId: partner.organizationId, roleKeys: ["reader"] };
  const added = answerOf(await send(projects.addProjectGrant, given));
  const path = { projectId, grantId: idOf(added, "grantId") };
  const ofHolder = () => read("projectGrant", projects.getProjectGrant, path, partner.viewer.token);
  const granted = () => read("grantedProjects", projects.listGrantedProjects, {}, partner.viewer.token);
  for (const [method, shown] of [
    [projects.updateProjectGrant, { roleKeys: ["writer", "reader"] }],
    [projects.deactivateProjectGrant, { state: "PROJECT_GRANT_STATE_INACTIVE" }],
    [projects.reactivateProjectGrant, { state: "PROJECT_GRANT_STATE_ACTIVE" }],
  ] as const) {
    const request = { ...path, ...("roleKeys" in shown ? shown : {}) };
    const details = await changeOnce(method as DescMethodUnary, request);
    const now = await read("projectGrant", projects.getProjectGrant, path, home.viewer.token);
    expect(now).toMatchObject({ id: path.grantId, ...shown, details });
    expect([await ofHolder(), await granted()]).toEqual([now, [now]]);
  }
  const own = { token: partner.owner.token };
  expect(await reasonOf(projects.deactivateProjectGrant, path, own)).toBe("NOT_FOUND");
  await remove(projects.removeProjectGrant, path, await ofHolder());
  expect(await granted()).toEqual([]);
});

test("a user is replaced, stopped and removed; their tokens end and work again in the very next call", async () => {
  const userId = await createHumanUser(service, home.organizationId);
  const user = () => read("user", users.getUser, { userId });
  const before = await user();
  const username = uniqueName("ada");
  const shown = {
    givenName: "Augusta",
    familyName: "King",
    displayName: "Countess",
    preferredLanguage: "en-GB",
  };
  const profile = { ...shown, email: "augusta@example.com" };
  const details = await changeOnce(users.updateHumanUser, { userId, username, ...profile });
  const human = { ...(before["human"] as JsonObject), ...profile };
  expect(await user()).toEqual({ ...before, username, human, details });
  const { token } = answerOf(await send(users.addPersonalAccessToken, { userId }));
  const own = { token: token as string };
  const child = idOf(answerOf(await send(users.addPersonalAccessToken, { userId }, own)), "token");
  for (const [method, state, entering] of [
    [users.lockUser, "USER_STATE_LOCKED", "TOKEN_INVALID"],
    [users.unlockUser, "USER_STATE_ACTIVE", "answered"],
    [users.deactivateUser, "USER_STATE_INACTIVE", "TOKEN_INVALID"],
    [users.reactivateUser, "USER_STATE_ACTIVE", "answered"],
  ] as const) {
    const stated = await changeOnce(method, { userId });
    expect(await user()).toMatchObject({ details: stated, state });
    expect([state, await enter(own.token), await enter(child)]).toEqual([state, entering, entering]);
  }
  await remove(users.removeUser, { userId }, await user());
  expect([await enter(own.token), await enter(child)]).toEqual(["TOKEN_INVALID", "TOKEN_INVALID"]);
});

test("tokens are listed without what makes them usable, and end with those made with them", async () => {
  const userId = await createHumanUser(service, home.organizationId);
  const first = answerOf(await send(users.addPersonalAccessToken, { userId }));
  const by = { token: idOf(first, "token") };
  const child = answerOf(await send(users.addPersonalAccessToken, { userId }, by));
  // 9999-12-31T23:59:59.9999999Z is what .NET writes for never. In microseconds it is beyond 2^53.
  const expirationDate = { seconds: 253_402_300_799n, nanos: 999_999_900 };
  const last = answerOf(await send(users.addPersonalAccessToken, { userId, expirationDate }));
  const list = () => read("personalAccessTokens", users.listPersonalAccessTokens, { userId });
  const shown = { details: expect.anything(), isLimited: false, leftOutMembershipIds: [] };
  const shownLast = { id: last["tokenId"], expirationDate: "9999-12-31T23:59:59.999Z", ...shown };
  expect(await list()).toEqual([
    { id: first["tokenId"], ...shown },
    { id: child["tokenId"], ...shown },
    shownLast,
  ]);
  await change(users.removePersonalAccessToken, { userId, tokenId: idOf(first, "tokenId") });
  expect(await list()).toEqual([shownLast]);
  const entering = [
    await enter(by.token),
    await enter(idOf(child, "token")),
    await enter(idOf(last, "token")),
  ];
  expect(entering).toEqual(["TOKEN_INVALID", "TOKEN_INVALID", "answered"]);
});

test("a phone and a second factor are removed with what is pending for them", async () => {
  const { userId, phoneCode, u2fId } = await createWorld(service);
  const token = service.adminToken;
  await change(users.removePhone, { userId }, token);
  const { human } = await read("user", users.getUser, { userId }, token);
  expect(human).toMatchObject({ phone: "", isPhoneVerified: false });
  const verification = { userId, verificationCode: phoneCode };
  expect(await reasonOf(users.verifyPhone, verification, { token })).toBe("CODE_NOT_PENDING");
  await change(users.removeU2f, { userId, u2fId }, token);
  expect(await read("secondFactors", users.listSecondFactors, { userId }, token)).toEqual([]);
});

test("the header that selects an organization is read by ListUsers and not where the user selects it", async () => {
  const headers = { "x-service-orgid": partner.organizationId };
  const ask = <M extends DescMethodUnary>(method: M, request: MessageInitShape<M["input"]>) =>
    service.clients.rest.call(method, request, { token: home.owner.token, headers });
  expect(refusalOf(await ask(users.listUsers, {})).reason).toBe("PERMISSION_DENIED");
  answerOf(await ask(users.getUser, { userId: home.userId }));
});

test("the roles of a membership are replaced and removed, and hold in the very next call", async () => {
  const member = await createServiceUser(service, home.organizationId);
  const scope = { case: "organizationId", value: home.organizationId } as const;
  const given = { userId: member.id, scope, roles: ["ORGANIZATION_VIEWER"] };
  const membershipId = idOf(answerOf(await send(memberships.addMembership, given)), "membershipId");
  const addProject = () =>
    reasonOf(projects.addProject, { name: uniqueName("Project") }, { lane: "grpc", token: member.token });
  expect(await addProject()).toBe("PERMISSION_DENIED");
  const roles = ["ORGANIZATION_OWNER", "ORGANIZATION_VIEWER"];
  const details = await changeOnce(memberships.updateMembership, { membershipId, roles });
  expect(await addProject()).toBe("answered");
  const listed = {
    id: membershipId,
    userId: member.id,
    groupId: "",
    organizationId: home.organizationId,
    roles,
    details,
  };
  expect(await read("memberships", memberships.listMemberships, { userId: member.id })).toEqual([listed]);
  await remove(memberships.removeMembership, { membershipId }, listed);
  expect(await addProject()).toBe("PERMISSION_DENIED");
});

test("a user grant is changed, stopped, started and removed, and so is what is in effect", async () => {
  const { organizationId, projectId } = home;
  const userId = await createHumanUser(service, organizationId);
  const added = answerOf(await send(grants.addUserGrant, { userId, projectId, roleKeys: ["reader"] }));
  const path = { userId, grantId: idOf(added, "userGrantId") };
  const grant = () => read("userGrant", grants.getUserGrant, path, home.owner.token);
  const effective = () => read("effectiveRoles", grants.listEffectiveRoles, { userId }, home.owner.token);
  const entry = { projectId, organizationId, roleKeys: ["writer", "reader"] };
  for (const [method, shown, roles] of [
    [grants.updateUserGrant, { roleKeys: entry.roleKeys }, [entry]],
    [grants.deactivateUserGrant, { state: "USER_GRANT_STATE_INACTIVE" }, []],
    [grants.reactivateUserGrant, { state: "USER_GRANT_STATE_ACTIVE" }, [entry]],
  ] as const) {
    const request = { ...path, ...("roleKeys" in shown ? shown : {}) };
    const details = await changeOnce(method as DescMethodUnary, request);
    expect([await grant(), await effective()]).toMatchObject([{ ...shown, details }, roles]);
  }
  await remove(grants.removeUserGrant, path, await grant());
  expect(await effective()).toEqual([]);
});

test("user grants are removed together, or none of them", async () => {
  const { projectId } = home;
  const grantIds: string[] = [];
  for (let index = 0; index < 2; index += 1) {
    const userId = await createHumanUser(service, home.organizationId);
    grantIds.push(idOf(answerOf(await send(grants.addUserGrant, { userId, projectId })), "userGrantId"));
  }
  const listed = async () => {
    const found = await read(
      "userGrants",
      grants.listUserGrants,
      { projectId, pageSize: 1000 },
      home.owner.token,
    );
    return (found as unknown as JsonObject[]).filter(({ id }) => grantIds.includes(id as string)).length;
  };
  const foreign = { grantIds: [...grantIds, partner.userGrantId] };
  expect([await reasonOf(grants.bulkRemoveUserGrants, foreign), await listed()]).toEqual(["NOT_FOUND", 2]);
  await change(grants.bulkRemoveUserGrants, { grantIds });
  expect(await listed()).toBe(0);
});
