import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { JsonObject } from "@bufbuild/protobuf";
import { ApplicationService } from "../../gen/gatehouse/v1/application_service_pb.ts";
import { EventService } from "../../gen/gatehouse/v1/event_service_pb.ts";
import { IdentityProviderService } from "../../gen/gatehouse/v1/identity_provider_service_pb.ts";
import { MembershipService } from "../../gen/gatehouse/v1/membership_service_pb.ts";
import { OrganizationService } from "../../gen/gatehouse/v1/organization_service_pb.ts";
import { ProjectService } from "../../gen/gatehouse/v1/project_service_pb.ts";
import { UserGrantService } from "../../gen/gatehouse/v1/user_grant_service_pb.ts";
import { UserService } from "../../gen/gatehouse/v1/user_service_pb.ts";
import { startService, type TestService } from "../support/service.ts";
import { type CreationOptions, registerInSoftware } from "../support/software-authenticator.ts";
import { createCaller, createWorld, idOf, samlMetadata, type World } from "../support/world.ts";

// One organization goes, with all that each feature hangs on it; another one, which is tied to it in every way there is,
// stays. The rows of a large one go after the answer: here they all go with it in one service, and in another none does.

let service: TestService;
let doomed: World;
let kept: World;
/** What must be gone, by a name for it. */
let gone: Readonly<Record<string, string>>;
/** What must not change, as it was read before. */
let before: Readonly<Record<string, unknown>>;
/** Names that were unique in the instance. */
let names: { readonly organization: string; readonly username: string; readonly entityId: string };
let eventsBefore: number;
let answer: JsonObject;

/** Makes both organizations, and removes the one. */
async function removeOne(isSweepOff: boolean): Promise<void> {
  service = await startService({}, { isSweepOff });
  doomed = await createWorld(service);
  kept = await createWorld(service);
  gone = {
    organization: doomed.organizationId,
    owner: doomed.owner.id,
    viewer: doomed.viewer.id,
    stranger: doomed.stranger.id,
    user: doomed.userId,
    factor: doomed.u2fId,
    project: doomed.projectId,
    provider: doomed.idpId,
    userGrant: doomed.userGrantId,
    application: doomed.appId,
    membership: doomed.membershipId,
    ...(await tie()),
  };
  await registerPasskey(doomed.userId);
  names = await readNames();
  before = await readKept();
  eventsBefore = await count("events");
  const { removeOrganization } = OrganizationService.method;
  answer = await service.call(removeOrganization, { id: doomed.organizationId });
}

/** Ties both organizations to each other, and returns what goes with the one. */
async function tie(): Promise<Readonly<Record<string, string>>> {
  const ofDoomed = await grantProject(doomed, kept);
  const toDoomed = await grantProject(kept, doomed);
  const admin = service.call;
  const { addMembership } = MembershipService.method;
  const give = async (userId: string, scope: Parameters<typeof toScope>[0], role: string) =>
    idOf(await admin(addMembership, { userId, scope: toScope(scope), roles: [role] }), "membershipId");
  const token = await admin(UserService.method.addPersonalAccessToken, { userId: doomed.userId });
  return {
    grantOfItsProject: ofDoomed,
    grantToIt: toDoomed,
    token: idOf(token, "tokenId"),
    userGrantOnItsProject: await grantToUser(kept.organizationId, {
      projectId: doomed.projectId,
      userId: kept.userId,
      projectGrantId: ofDoomed,
    }),
    userGrantByIt: await grantToUser(doomed.organizationId, {
      projectId: kept.projectId,
      userId: doomed.userId,
      projectGrantId: toDoomed,
    }),
    userGrantOfItsUser: await grantToUser(kept.organizationId, {
      projectId: kept.projectId,
      userId: doomed.stranger.id,
    }),
    memberOfIt: await give(kept.stranger.id, { organizationId: doomed.organizationId }, "ORGANIZATION_OWNER"),
    memberOfItsProject: await give(kept.stranger.id, { projectId: doomed.projectId }, "PROJECT_OWNER"),
    memberOfItsGrant: await give(kept.stranger.id, { projectGrantId: ofDoomed }, "PROJECT_GRANT_OWNER"),
    memberOfGrantToIt: await give(kept.stranger.id, { projectGrantId: toDoomed }, "PROJECT_GRANT_OWNER"),
    itsMemberOfKept: await give(
      doomed.stranger.id,
      { organizationId: kept.organizationId },
      "ORGANIZATION_VIEWER",
    ),
    itsMemberOfKeptProject: await give(doomed.stranger.id, { projectId: kept.projectId }, "PROJECT_VIEWER"),
    itsMemberOfInstance: await give(doomed.stranger.id, {}, "INSTANCE_VIEWER"),
  };
}

function toScope(named: { organizationId?: string; projectId?: string; projectGrantId?: string }) {
  if (named.organizationId !== undefined)
    return { case: "organizationId" as const, value: named.organizationId };
  if (named.projectId !== undefined) return { case: "projectId" as const, value: named.projectId };
  if (named.projectGrantId !== undefined)
    return { case: "projectGrantId" as const, value: named.projectGrantId };
  return { case: "instance" as const, value: true };
}

/** Registers a passkey, the same for everybody. */
async function registerPasskey(userId: string): Promise<void> {
  const registered = await service.call(UserService.method.registerU2f, { userId });
  const options = registered["publicKeyCredentialCreationOptions"] as unknown as CreationOptions;
  const credential = registerInSoftware(options, { credentialId: new Uint8Array(16).fill(7) });
  await service.call(UserService.method.verifyU2f, {
    userId,
    u2fId: idOf(registered, "u2fId"),
    publicKeyCredential: credential as unknown as JsonObject,
    tokenName: "Key",
  });
}

async function grantProject(owner: World, granted: World): Promise<string> {
  const inside = createCaller(service, owner.organizationId);
  const { projectId } = owner;
  const request = { projectId, grantedOrganizationId: granted.organizationId, roleKeys: ["reader"] };
  return idOf(await inside(ProjectService.method.addProjectGrant, request), "grantId");
}

async function grantToUser(
  organizationId: string,
  grant: { readonly projectId: string; readonly userId: string; readonly projectGrantId?: string },
): Promise<string> {
  const inside = createCaller(service, organizationId);
  const added = await inside(UserGrantService.method.addUserGrant, { ...grant, roleKeys: ["reader"] });
  return idOf(added, "userGrantId");
}

async function readGrant(userId: string, grantId: string): Promise<JsonObject> {
  const inside = createCaller(service, kept.organizationId);
  return await inside(UserGrantService.method.getUserGrant, { userId, grantId });
}

async function readNames(): Promise<typeof names> {
  const inside = createCaller(service, doomed.organizationId);
  const { organization } = await inside(OrganizationService.method.getOrganization, {
    id: doomed.organizationId,
  });
  const { user } = await inside(UserService.method.getUser, { userId: doomed.userId });
  const { projectId, appId } = doomed;
  const { application } = await inside(ApplicationService.method.getApplication, { projectId, appId });
  return {
    organization: idOf(organization as JsonObject, "name"),
    username: idOf(user as JsonObject, "username"),
    entityId: idOf((application as JsonObject)["saml"] as JsonObject, "entityId"),
  };
}

/** Reads everything of the organization that stays. */
async function readKept(): Promise<Readonly<Record<string, unknown>>> {
  const inside = createCaller(service, kept.organizationId);
  const { organizationId: id, userId, projectId, appId, idpId } = kept;
  const owner = await inside(MembershipService.method.listMemberships, { userId: kept.owner.id });
  return {
    organization: await inside(OrganizationService.method.getOrganization, { id }),
    user: await inside(UserService.method.getUser, { userId }),
    project: await inside(ProjectService.method.getProject, { id: projectId }),
    application: await inside(ApplicationService.method.getApplication, { projectId, appId }),
    provider: await inside(IdentityProviderService.method.getIdentityProvider, { idpId }),
    memberships: owner["memberships"],
    userGrant: await readGrant(userId, kept.userGrantId),
  };
}

async function count(table: string): Promise<number> {
  const [row] = await service.place.raw.peek<{ n: number }>(`SELECT COUNT(*) AS n FROM ${table}`);
  return row?.n ?? 0;
}

/** Returns every row outside of the log, and of what leads to its events about grants of projects, that has the text in one of its columns, also inside of a longer text. */
async function rowsWith(text: string): Promise<readonly string[]> {
  const { events: _log, right_events: _places, ...tables } = await service.place.raw.dump();
  return Object.entries(tables).flatMap(([name, rows]) =>
    rows
      .filter((row) => Object.values(row).some((value) => typeof value === "string" && value.includes(text)))
      .map((row) => `${name}: ${JSON.stringify(row)}`),
  );
}

describe.each([
  ["with all of its rows", false],
  ["whose rows have yet to go", true],
])("removing an organization %s", (_title, isSweepOff) => {
  beforeAll(() => removeOne(isSweepOff));
  afterAll(() => service.stop());

  test("is one event, whose sequence is the answer", async () => {
    expect(await count("events")).toBe(eventsBefore + 1);
    const [last] = await service.place.raw.peek("SELECT * FROM events ORDER BY sequence DESC LIMIT 1");
    expect(last).toMatchObject({
      type: "organization.removed",
      aggregate_id: doomed.organizationId,
      sequence: Number((answer["details"] as JsonObject)["sequence"]),
    });
  });

  test("leaves no row of it or of anything in it, secrets included, unless they have yet to go", async () => {
    const left: string[] = [];
    for (const id of Object.values(gone)) if ((await rowsWith(id)).length > 0) left.push(id);
    expect(left).toEqual(isSweepOff ? Object.values(gone) : []);
  });

  test("destroys the key of the keys of its users, so that the log says nothing about them any more", async () => {
    expect(await rowsWith(`organization-key:${doomed.organizationId}`)).toEqual([]);
    expect(await rowsWith(`user-key:${kept.userId}`)).toHaveLength(1);
    for (const aggregateId of [doomed.userId, doomed.owner.id, doomed.viewer.id, doomed.stranger.id]) {
      const { events } = await service.call(EventService.method.listEvents, { aggregateId });
      const [added] = events as JsonObject[];
      expect(added).toMatchObject({ eventType: "user.added" });
      const {
        access_token_type: _type,
        signing_algorithm: _algorithm,
        ...payload
      } = (added?.["payload"] ?? {}) as JsonObject;
      expect(payload).toEqual({ kind: expect.any(String) });
    }
  });

  test("takes it and all in it out of every list and every count", async () => {
    const { projectId, userId } = kept;
    const inside = createCaller(service, kept.organizationId);
    const all = { countTotal: true, pageSize: 1000 };
    const lists = [
      await inside(OrganizationService.method.listOrganizations, all),
      await inside(UserService.method.listUsers, all),
      await inside(MembershipService.method.listMemberships, all),
      await inside(MembershipService.method.listMemberships, { ...all, organizationId: kept.organizationId }),
      await inside(MembershipService.method.listMemberships, { ...all, projectId }),
      await inside(MembershipService.method.listMemberships, { ...all, instance: true }),
      await inside(MembershipService.method.listMemberships, { ...all, userId: kept.stranger.id }),
      await inside(MembershipService.method.listMemberships, { ...all, userId: doomed.stranger.id }),
      await inside(ProjectService.method.listProjects, all),
      await inside(ProjectService.method.listProjectGrants, { ...all, projectId }),
      await inside(ProjectService.method.listGrantedProjects, all),
      await inside(UserGrantService.method.listUserGrants, all),
      await inside(UserGrantService.method.listUserGrants, { ...all, projectId }),
      await inside(UserGrantService.method.listUserGrants, { ...all, roleKey: "reader" }),
      await inside(UserGrantService.method.listUserGrants, { ...all, userId }),
      await inside(UserGrantService.method.listUserGrants, { ...all, userId: doomed.stranger.id }),
      await inside(UserGrantService.method.listUserGrants, { ...all, projectId: doomed.projectId }),
      await inside(UserGrantService.method.listEffectiveRoles, { ...all, userId }),
    ];
    for (const list of lists) {
      const items = Object.values(list).find(Array.isArray) as JsonObject[];
      for (const id of Object.values(gone)) expect(JSON.stringify(items)).not.toContain(`"${id}"`);
      expect((list["details"] as JsonObject)["totalResult"]).toBe(String(items.length));
    }
  });

  test("makes everything in it not found, for whom may read everything", async () => {
    const inside = createCaller(service, kept.organizationId);
    const refused = async (run: Promise<unknown>) => await expect(run).rejects.toThrow("does not exist");
    const { projectId, appId, idpId, userId } = doomed;
    await refused(inside(OrganizationService.method.getOrganization, { id: doomed.organizationId }));
    await refused(inside(UserService.method.getUser, { userId }));
    await refused(inside(ProjectService.method.getProject, { id: projectId }));
    await refused(inside(ApplicationService.method.getApplication, { projectId, appId }));
    await refused(inside(IdentityProviderService.method.getIdentityProvider, { idpId }));
    await refused(readGrant(kept.userId, gone["userGrantOnItsProject"] ?? ""));
    await refused(readGrant(doomed.stranger.id, gone["userGrantOfItsUser"] ?? ""));
    const give = (scope: Parameters<typeof toScope>[0], role: string) =>
      service.call(MembershipService.method.addMembership, {
        userId: kept.viewer.id,
        scope: toScope(scope),
        roles: [role],
      });
    await refused(give({ organizationId: doomed.organizationId }, "ORGANIZATION_VIEWER"));
    await refused(give({ projectId }, "PROJECT_VIEWER"));
    await refused(give({ projectGrantId: gone["grantOfItsProject"] ?? "" }, "PROJECT_GRANT_OWNER"));
    await refused(give({ projectGrantId: gone["grantToIt"] ?? "" }, "PROJECT_GRANT_OWNER"));
  });

  test("leaves the other organization as it was", async () => {
    expect(await readKept()).toEqual(before);
  });

  test("frees names, usernames, entity ids and passkeys", async () => {
    await registerPasskey(kept.userId);
    const added = await service.call(OrganizationService.method.addOrganization, {
      name: names.organization,
    });
    const organizationId = idOf(added, "organizationId");
    const inside = createCaller(service, organizationId);
    const user = await inside(UserService.method.addServiceUser, {
      username: names.username,
      name: "Service",
    });
    const app = await createCaller(service, kept.organizationId)(
      ApplicationService.method.createSamlApplication,
      {
        projectId: kept.projectId,
        name: "Again",
        metadataXml: samlMetadata(names.entityId),
      },
    );
    expect([user, app]).toMatchObject([{ userId: expect.any(String) }, { entityId: names.entityId }]);
  });
});
