import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import type { DescMethodUnary, JsonObject, MessageInitShape } from "@bufbuild/protobuf";
import { ApplicationService } from "../../gen/gatehouse/v1/application_service_pb.ts";
import { MembershipService } from "../../gen/gatehouse/v1/membership_service_pb.ts";
import { OrganizationService } from "../../gen/gatehouse/v1/organization_service_pb.ts";
import { ProjectService } from "../../gen/gatehouse/v1/project_service_pb.ts";
import { UserGrantService } from "../../gen/gatehouse/v1/user_grant_service_pb.ts";
import { refusalOf, startService, type TestService } from "../support/service.ts";
import {
  createCaller,
  createHumanUser,
  createProject,
  createServiceUser,
  idOf,
  samlMetadata,
  type TestUser,
  uniqueName,
} from "../support/world.ts";

// What removing a project, a role or a project grant takes along, in every service, seen by the very next call.

const projects = ProjectService.method;
const { addUserGrant, getUserGrant } = UserGrantService.method;

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

type Caller = ReturnType<typeof createCaller>;

interface Site {
  readonly home: string;
  readonly partner: string;
  readonly projectId: string;
  readonly appId: string;
  readonly entityId: string;
  readonly grantId: string;
  /** A grant that rests on nothing but the project. */
  readonly own: { readonly userId: string; readonly grantId: string };
  /** A grant that rests on the project grant. */
  readonly lent: { readonly userId: string; readonly grantId: string };
  /** Holds PROJECT_OWNER on the project. */
  readonly projectOwner: TestUser;
  /** Holds PROJECT_GRANT_OWNER on the project grant. */
  readonly grantOwner: TestUser;
}

let site: Site;
let atHome: Caller;
let atPartner: Caller;
beforeEach(async () => {
  site = await build();
  atHome = createCaller(service, site.home);
  atPartner = createCaller(service, site.partner);
});

async function build(): Promise<Site> {
  const [home, partner] = [await addOrganization(), await addOrganization()];
  const inside = createCaller(service, home);
  const projectId = await createProject(service, home, ["reader", "writer", "auditor"]);
  const entityId = `https://sp.example.com/${encodeURIComponent(uniqueName("removal"))}`;
  const app = await inside(ApplicationService.method.createSamlApplication, {
    projectId,
    name: uniqueName("Application"),
    metadataXml: samlMetadata(entityId),
  });
  const grant = await inside(projects.addProjectGrant, {
    projectId,
    grantedOrganizationId: partner,
    roleKeys: ["reader", "writer"],
  });
  const grantId = idOf(grant, "grantId");
  const projectOwner = await createServiceUser(service, home);
  await addMembership(projectOwner, { case: "projectId", value: projectId }, "PROJECT_OWNER");
  const grantOwner = await createServiceUser(service, partner);
  await addMembership(grantOwner, { case: "projectGrantId", value: grantId }, "PROJECT_GRANT_OWNER");
  const give = async (organizationId: string, projectGrantId: string, roleKeys: string[]) => {
    const userId = await createHumanUser(service, organizationId);
    const request = { userId, projectId, projectGrantId, roleKeys };
    const answer = await createCaller(service, organizationId)(addUserGrant, request);
    return { userId, grantId: idOf(answer, "userGrantId") };
  };
  return {
    home,
    partner,
    projectId,
    appId: idOf(app, "appId"),
    entityId,
    grantId,
    own: await give(home, "", ["auditor", "reader", "writer"]),
    lent: await give(partner, grantId, ["writer", "reader"]),
    projectOwner,
    grantOwner,
  };
}

async function addOrganization(): Promise<string> {
  const name = uniqueName("Organization");
  return idOf(await service.call(OrganizationService.method.addOrganization, { name }), "organizationId");
}

type MembershipScope = MessageInitShape<typeof MembershipService.method.addMembership.input>["scope"];

async function addMembership({ id: userId }: TestUser, scope: MembershipScope, role: string): Promise<void> {
  const request = { userId, ...(scope === undefined ? {} : { scope }), roles: [role] };
  await service.call(MembershipService.method.addMembership, request);
}

async function userGrant(inside: Caller, grant: Site["own"]): Promise<JsonObject> {
  return (await inside(getUserGrant, grant))["userGrant"] as JsonObject;
}

async function refusal<M extends DescMethodUnary>(
  on: string,
  method: M,
  request: MessageInitShape<M["input"]>,
  token = service.adminToken,
) {
  const options = { token, headers: { "x-service-orgid": on } };
  const { reason, resource } = refusalOf(await service.clients.grpc.call(method, request, options));
  return { reason, resource };
}

const notFound = (resource: string) => ({ reason: "NOT_FOUND", resource });
const denied = { reason: "PERMISSION_DENIED" };
const sequenceOf = (answer: JsonObject) => (answer["details"] as JsonObject)["sequence"];

describe("removing a project", () => {
  test("takes its applications, project grants and all user grants with it, in every organization", async () => {
    const { home, partner, projectId, appId, grantId, own, lent } = site;
    await atHome(projects.removeProject, { id: projectId });
    expect(await refusal(home, projects.getProject, { id: projectId })).toEqual(notFound("project"));
    expect(await refusal(home, ApplicationService.method.getApplication, { projectId, appId })).toEqual(
      notFound("project"),
    );
    expect(await refusal(partner, projects.getProjectGrant, { projectId, grantId })).toEqual(
      notFound("project"),
    );
    expect((await atPartner(projects.listGrantedProjects, {}))["grantedProjects"]).toEqual([]);
    expect(await refusal(home, getUserGrant, own)).toEqual(notFound("user_grant"));
    expect(await refusal(partner, getUserGrant, lent)).toEqual(notFound("user_grant"));
  });

  test("ends the memberships on it and on its grants with the next call", async () => {
    const { home, partner, projectId, projectOwner, grantOwner } = site;
    const asOwner = createCaller(service, home, projectOwner.token);
    const asHolder = createCaller(service, partner, grantOwner.token);
    expect(await asOwner(projects.listProjects, {})).toMatchObject({ projects: [{ id: projectId }] });
    expect((await asHolder(projects.listGrantedProjects, {}))["grantedProjects"]).toHaveLength(1);
    await asOwner(projects.removeProject, { id: projectId });
    expect(await refusal(home, projects.listProjects, {}, projectOwner.token)).toMatchObject(denied);
    expect(await refusal(partner, projects.listGrantedProjects, {}, grantOwner.token)).toMatchObject(denied);
  });

  test("frees the names in it: those of its applications, and their entity ids", async () => {
    const next = await createProject(service, site.home);
    const application = {
      projectId: next,
      name: uniqueName("Application"),
      metadataXml: samlMetadata(site.entityId),
    };
    const { createSamlApplication } = ApplicationService.method;
    expect(await refusal(site.home, createSamlApplication, application)).toEqual({
      reason: "ALREADY_EXISTS",
      resource: "saml_entity_id",
    });
    await atHome(projects.removeProject, { id: site.projectId });
    expect(await atHome(createSamlApplication, application)).toMatchObject({ entityId: site.entityId });
  });
});

describe("removing a role", () => {
  test("takes it out of every project grant and user grant, and these take its sequence", async () => {
    const { projectId, grantId, own, lent } = site;
    const removed = await atHome(projects.removeProjectRole, { projectId, roleKey: "reader" });
    const details = { sequence: sequenceOf(removed) };
    expect(await atPartner(projects.getProjectGrant, { projectId, grantId })).toMatchObject({
      projectGrant: { roleKeys: ["writer"], details },
    });
    expect(await userGrant(atHome, own)).toMatchObject({ roleKeys: ["auditor", "writer"], details });
    expect(await userGrant(atPartner, lent)).toMatchObject({ roleKeys: ["writer"], details });
  });

  test("of several leaves grants without roles, which stay and give nothing", async () => {
    const { projectId, own, lent } = site;
    await atHome(projects.removeProjectRole, { projectId, roleKey: "reader" });
    const untouched = await userGrant(atPartner, lent);
    const auditor = await atHome(projects.removeProjectRole, { projectId, roleKey: "auditor" });
    expect(await userGrant(atPartner, lent)).toEqual(untouched);
    expect(await userGrant(atHome, own)).toMatchObject({ details: { sequence: sequenceOf(auditor) } });
    await atHome(projects.removeProjectRole, { projectId, roleKey: "writer" });
    for (const grant of [await userGrant(atHome, own), await userGrant(atPartner, lent)])
      expect(grant).toMatchObject({ state: "USER_GRANT_STATE_ACTIVE", roleKeys: [] });
  });

  test("and adding it again gives it to nobody", async () => {
    const { projectId, own } = site;
    await atHome(projects.removeProjectRole, { projectId, roleKey: "reader" });
    await atHome(projects.addProjectRole, { projectId, roleKey: "reader" });
    expect(await userGrant(atHome, own)).toMatchObject({ roleKeys: ["auditor", "writer"] });
  });
});

describe("taking roles from a project grant", () => {
  test("takes them from the user grants that rest on it, and from no other", async () => {
    const { projectId, grantId, own, lent } = site;
    const before = await userGrant(atHome, own);
    const path = { projectId, grantId };
    const changed = await atHome(projects.updateProjectGrant, { ...path, roleKeys: ["writer", "auditor"] });
    expect(await userGrant(atPartner, lent)).toMatchObject({
      roleKeys: ["writer"],
      details: { sequence: sequenceOf(changed) },
    });
    expect(await userGrant(atHome, own)).toEqual(before);
    await atHome(projects.updateProjectGrant, { ...path, roleKeys: ["writer", "reader"] });
    expect(await userGrant(atPartner, lent)).toMatchObject({ roleKeys: ["writer"] });
  });
});

describe("removing a project grant", () => {
  test("takes the user grants and memberships that rest on it, and no other", async () => {
    const { home, partner, projectId, grantId, own, lent, grantOwner, projectOwner } = site;
    const before = await userGrant(atHome, own);
    await createCaller(
      service,
      home,
      projectOwner.token,
    )(projects.removeProjectGrant, { projectId, grantId });
    expect(await refusal(partner, getUserGrant, lent)).toEqual(notFound("user_grant"));
    expect(await refusal(partner, projects.listGrantedProjects, {}, grantOwner.token)).toMatchObject(denied);
    expect(await userGrant(atHome, own)).toEqual(before);
    const asOwner = createCaller(service, home, projectOwner.token);
    expect(await asOwner(projects.getProject, { id: projectId })).toMatchObject({
      project: { id: projectId },
    });
  });

  test("lets the project be granted anew, which brings nothing back", async () => {
    const { partner, projectId, grantId, lent } = site;
    await atHome(projects.removeProjectGrant, { projectId, grantId });
    const again = await atHome(projects.addProjectGrant, {
      projectId,
      grantedOrganizationId: partner,
      roleKeys: ["reader"],
    });
    expect(again["grantId"]).not.toBe(grantId);
    expect(await refusal(partner, getUserGrant, lent)).toEqual(notFound("user_grant"));
  });
});
