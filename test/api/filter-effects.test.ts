import { afterAll, beforeAll, expect, test } from "@jest/globals";
import {
  type DescField,
  type DescMethodUnary,
  fromJson,
  type JsonObject,
  type JsonValue,
} from "@bufbuild/protobuf";
import { GroupService } from "../../gen/gatehouse/v1/group_service_pb.ts";
import { IdentityProviderService } from "../../gen/gatehouse/v1/identity_provider_service_pb.ts";
import { MembershipService } from "../../gen/gatehouse/v1/membership_service_pb.ts";
import { ApplicationService } from "../../gen/gatehouse/v1/application_service_pb.ts";
import { ProjectService } from "../../gen/gatehouse/v1/project_service_pb.ts";
import { UserGrantService } from "../../gen/gatehouse/v1/user_grant_service_pb.ts";
import { KeyType } from "../../gen/gatehouse/v1/key_pb.ts";
import { SessionService } from "../../gen/gatehouse/v1/session_service_pb.ts";
import { UserService } from "../../gen/gatehouse/v1/user_service_pb.ts";
import { listMethods } from "../support/methods.ts";
import { logIn } from "../support/logins.ts";
import { answerOf, startService, type TestService } from "../support/service.ts";
import {
  createCaller,
  createHumanUser,
  createOidcApplication,
  createProject,
  createWorld,
  idOf,
  publicKeySample,
  samlMetadata,
  uniqueName,
  type World,
} from "../support/world.ts";
import { createHook } from "./support/tenancy-hooks.ts";
import { addDelivery, createTarget } from "./support/tenancy-targets.ts";
import { setMetadataOfAll } from "./support/metadata-of-all.ts";
import { sampleRequest } from "./support/field-samples.ts";

const everyField = { given: {}, without: new Set<string>() };

// Each filter of each list is given the value of one of the objects, and must leave out those that have another. The values come
// from the list itself, so that a filter which is in a proto and in no code is asked for too, and leaves nothing out.

const lists = (await listMethods()).filter((method) => method.name.startsWith("List"));

let service: TestService;
let world: World;
let other: World;
/** By organization. */
const oidcApps = new Map<string, string>();
const groups = new Map<string, string>();
const targets = new Map<string, string>();

beforeAll(async () => {
  service = await startService();
  [world, other] = [await createWorld(service), await createWorld(service)];
  await makeOthers();
  for (const { viewer, userId, organizationId, projectId, idpId } of [world, other]) {
    const appId = await createOidcApplication(service, organizationId, projectId);
    const ofApplication = { projectId, appId, type: KeyType.JSON, publicKey: publicKeySample };
    const inside = createCaller(service, organizationId);
    await inside(ApplicationService.method.addApplicationKey, ofApplication);
    oidcApps.set(organizationId, appId);
    const groupId = await makeGroups({ organizationId, userId, projectId });
    groups.set(organizationId, groupId);
    await createTarget(service, organizationId);
    const { target } = await createTarget(service, organizationId);
    await addDelivery(service, target);
    targets.set(organizationId, target);
    for (let count = 0; count < 2; count += 1) await createHook(service, organizationId);
    const described = { organizationId, userId, projectId, appId, groupId };
    await setMetadataOfAll(service, described, `of-${organizationId}`);
    const login = { applicationId: appId, hasRefresh: true };
    await logIn(service.context, { ...login, userId: viewer.id });
    const { sessionId } = await logIn(service.context, { ...login, userId });
    await service.call(SessionService.method.terminateSession, { sessionId });
    const key = { userId: viewer.id, type: KeyType.JSON, publicKey: publicKeySample };
    await service.call(UserService.method.addServiceUserKey, key);
    await service.call(UserService.method.registerPasskey, { userId });
    await service.call(UserService.method.addIdpLink, { userId, idpId, externalUserId: "subject" });
  }
});
afterAll(() => service.stop());

/** Filters that no object shows under their own name, and what it shows instead. */
const shownAs: Readonly<Record<string, string>> = {
  "ListGroups search": "id",
  "ListApplications search": "id",
  "ListOrganizations search": "id",
  "ListProjects search": "id",
  "ListUserGrants role_key": "roleKeys",
  "ListUserGrants search": "userId",
  "ListUsers search": "id",
};

/** Filters that are not the value of an object, with the test that shows their effect. */
const elsewhere: Readonly<Record<string, string>> = {
  "ListEvents after_sequence": "test/api/event-list.test.ts",
  "ListEvents before_sequence": "test/api/event-list.test.ts",
  "ListGrantedProjects expires_before": "test/api/rights-in-time.test.ts",
  "ListGroupGrants expires_before": "test/api/rights-in-time.test.ts",
  "ListGroupMembers expires_before": "test/api/rights-in-time.test.ts",
  "ListGroups user_id": "test/identity/group-service/groups.test.ts",
  "ListGroups source_user_id": "test/sites/scim/groups.test.ts",
  "ListEffectiveRoles as_of_date": "test/api/as-of.test.ts",
  "ListEffectiveRoles as_of_sequence": "test/api/as-of.test.ts",
  "ListMemberships as_of_date": "test/api/as-of.test.ts",
  "ListMemberships as_of_sequence": "test/api/as-of.test.ts",
  "ListMemberships expires_before": "test/api/rights-in-time.test.ts",
  "ListProjectGrants expires_before": "test/api/rights-in-time.test.ts",
  "ListUserGrants as_of_date": "test/api/as-of.test.ts",
  "ListUserGrants as_of_sequence": "test/api/as-of.test.ts",
  "ListUserGrants expires_before": "test/api/rights-in-time.test.ts",
  "ListTargets instance": "test/api/webhooks.test.ts",
  "ListHooks instance": "test/api/hooks.test.ts",
  "ListUsers metadata_key": "test/api/metadata.test.ts",
  "ListUsers metadata_value": "test/api/metadata.test.ts",
  "ListUsers is_invited": "test/identity/people/invitations/commands.test.ts",
};

const cases = lists.flatMap((method) =>
  method.input.fields
    .filter((field) => isFilter(field) && !Object.hasOwn(elsewhere, `${method.name} ${field.name}`))
    .map((filter) => [method.name, filter.name, method, filter] as const),
);

test.each(cases)(
  "%s shows by %s those that have the value, and no other",
  async (_list, _name, method, filter) => {
    const shownName = shownAs[`${method.name} ${filter.name}`] ?? filter.jsonName;
    const parents = parentsIn(world, method);
    const all = await list(method, parents);
    const value = all.map((item) => valueOf(item, shownName)).find((held) => held !== undefined);
    if (value === undefined) throw new Error(`no object of the list shows ${shownName}`);
    const sent = Array.isArray(value) ? (value[0] ?? null) : value;
    const matching = all.filter((item) => isHeldBy(item, shownName, sent));
    expect(matching.length).toBeLessThan(all.length);
    expect(await list(method, { ...parents, [filter.jsonName]: sent })).toEqual(matching);
  },
);

const ofParents = lists.filter((method) => method.input.fields.some(isParent));

test.each(ofParents.map((method) => [method.name, method] as const))(
  "%s shows no object of another parent",
  async (_list, method) => {
    const [mine, theirs] = [
      await list(method, parentsIn(world, method)),
      await list(method, parentsIn(other, method), other),
    ];
    expect([mine.length > 0, theirs.length > 0]).toEqual([true, true]);
    const seen = new Set(mine.map((item) => JSON.stringify(item)));
    expect(theirs.filter((item) => seen.has(JSON.stringify(item)))).toEqual([]);
  },
);

test("a field of a list is a filter, a parent, or one of paging", () => {
  const paging = new Set(["page_size", "page_token", "count_total", "newest_first"]);
  const unknown = lists.flatMap((method) =>
    method.input.fields
      .filter((field) => !isFilter(field) && !isParent(field) && !paging.has(field.name))
      .map((field) => `${method.name} ${field.name}`),
  );
  expect(unknown).toEqual([]);
});

/** The numbers of fields say what they are in the request of a list. */
function isFilter({ number }: DescField): boolean {
  return number >= 10 && number < 20;
}

function isParent({ number }: DescField): boolean {
  return number >= 20;
}

function parentsIn(
  { organizationId, projectId, userId, viewer }: World,
  method: DescMethodUnary,
): JsonObject {
  const isOfServiceUser = method.name === "ListServiceUserKeys";
  const ids: Readonly<Record<string, string>> = {
    id: organizationId,
    project_id: projectId,
    app_id: oidcApps.get(organizationId) ?? "",
    user_id: isOfServiceUser ? viewer.id : userId,
    group_id: groups.get(organizationId) ?? "",
    target_id: targets.get(organizationId) ?? "",
  };
  return Object.fromEntries(
    method.input.fields.filter(isParent).map(({ name, jsonName }) => [jsonName, ids[name] ?? ""]),
  );
}

/** Reads the objects of one large page, as the administrator. Events are those of the instance. */
async function list(
  method: DescMethodUnary,
  request: JsonObject,
  { organizationId } = world,
): Promise<readonly JsonObject[]> {
  const asked = fromJson(method.input, { pageSize: 1000, ...request });
  const headers = { "x-service-orgid": organizationId };
  const outcome = await service.clients.json.call(method, asked, { token: service.adminToken, headers });
  const { details: _moment, nextPageToken, ...rest } = answerOf(outcome);
  expect(nextPageToken).toBe("");
  return Object.values(rest)[0] as readonly JsonObject[]; // the one list of the answer
}

/** Finds what an object, or something in it, holds under that name. What is empty is not held. */
function valueOf(item: JsonObject, name: string): JsonValue | undefined {
  const held = item[name];
  if (held !== undefined && held !== null && held !== "" && held !== false) return held;
  return Object.values(item)
    .filter((inner) => typeof inner === "object" && inner !== null && !Array.isArray(inner))
    .map((inner) => valueOf(inner as JsonObject, name))
    .find((found) => found !== undefined);
}

function isHeldBy(item: JsonObject, name: string, value: JsonValue): boolean {
  const held = valueOf(item, name);
  return Array.isArray(held) ? held.includes(value) : held === value;
}

/** Makes objects that differ from those of the world in everything that there is a filter for. */
async function makeOthers(): Promise<void> {
  const { organizationId, projectId, userId } = world;
  const inside = createCaller(service, organizationId);
  const added = await inside(UserService.method.addHumanUser, {
    username: uniqueName("grace"),
    givenName: "Grace",
    familyName: "Hopper",
    email: "grace@example.com",
  });
  await service.call(UserService.method.deactivateUser, { userId: idOf(added, "userId") });
  const provider = await inside(IdentityProviderService.method.addOidcIdentityProvider, {
    name: uniqueName("OIDC"),
    clientId: "client",
    clientSecret: "secret",
    issuer: "https://idp.example.com",
  });
  await inside(IdentityProviderService.method.deactivateIdentityProvider, { idpId: idOf(provider, "idpId") });
  const application = await inside(ApplicationService.method.createSamlApplication, {
    projectId,
    name: uniqueName("Application"),
    metadataXml: samlMetadata("https://sp.example.com/filters"),
  });
  const appId = idOf(application, "appId");
  await inside(ApplicationService.method.deactivateApplication, { projectId, appId });
  const otherProject = await createProject(service, organizationId, ["writer"]);
  await inside(UserGrantService.method.addUserGrant, {
    userId,
    projectId: otherProject,
    roleKeys: ["writer"],
  });
  const secondUser = await createHumanUser(service, organizationId);
  await inside(UserGrantService.method.addUserGrant, { userId: secondUser, projectId, roleKeys: ["reader"] });
  await createCaller(service, other.organizationId)(UserGrantService.method.addUserGrant, {
    userId,
    projectId: await createProject(service, other.organizationId, ["reader"]),
    roleKeys: ["reader"],
  });
  await service.call(ProjectService.method.addProject, { name: uniqueName("Owned") }, world.owner.token);
  // With every field filled, so that a filter which is added to the proto has an object that it lets through.
  for (const method of [ProjectService.method.addProject, UserService.method.addServiceUser])
    await inside(method, fromJson(method.input, sampleRequest(method.input, everyField).request));
  const stopped = await createProject(service, organizationId);
  await inside(ProjectService.method.deactivateProject, { id: stopped });
  const scopes = [
    { case: "projectId", value: projectId, role: "PROJECT_VIEWER" },
    { case: "projectGrantId", value: world.projectGrantId, role: "PROJECT_GRANT_OWNER" },
  ] as const;
  for (const { role, ...scope } of scopes)
    await service.call(MembershipService.method.addMembership, { userId: secondUser, scope, roles: [role] });
}

/** Two groups with a grant and a membership each; one is in the other. Returns the outer one, which has a user besides. */
async function makeGroups(of: Pick<World, "organizationId" | "userId" | "projectId">): Promise<string> {
  const { organizationId, userId, projectId } = of;
  const inside = createCaller(service, organizationId);
  const ids: string[] = [];
  for (const project of [projectId, await createProject(service, organizationId)]) {
    const groupId = idOf(await inside(GroupService.method.addGroup, { name: uniqueName("Group") }), "id");
    await inside(GroupService.method.addGroupGrant, { groupId, projectId: project });
    const scope = { case: "organizationId", value: organizationId } as const;
    const membership = { groupId, scope, roles: ["ORGANIZATION_VIEWER"] };
    await service.call(MembershipService.method.addMembership, membership);
    ids.push(groupId);
  }
  const [groupId = "", ...groupIds] = ids;
  await inside(GroupService.method.addGroupMembers, { groupId, userIds: [userId], groupIds });
  return groupId;
}
