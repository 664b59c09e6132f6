import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { DescMethodUnary, JsonObject, MessageInitShape } from "@bufbuild/protobuf";
import { MembershipService } from "../../gen/gatehouse/v1/membership_service_pb.ts";
import { OrganizationService } from "../../gen/gatehouse/v1/organization_service_pb.ts";
import { ProjectService } from "../../gen/gatehouse/v1/project_service_pb.ts";
import { UserService } from "../../gen/gatehouse/v1/user_service_pb.ts";
import { type CallOptions, type Lane, lanes } from "../support/clients.ts";
import { answerOf, refusalOf, startService, type TestService } from "../support/service.ts";
import {
  createCaller,
  createServiceUser,
  createWorld,
  idOf,
  membershipIdOf,
  type TestUser,
  type World,
} from "../support/world.ts";
import { errorInfo, resourceInfo, statusOf } from "./support/lanes.ts";

const { addMembership, updateMembership, removeMembership, listMemberships } = MembershipService.method;

let service: TestService;
let home: World;
let away: World;
/** A grant of the project of `home` to `away`. */
let projectGrantId: string;

beforeAll(async () => {
  service = await startService();
  home = await createWorld(service);
  away = await createWorld(service);
  const grant = await createCaller(service, home.organizationId)(ProjectService.method.addProjectGrant, {
    projectId: home.projectId,
    grantedOrganizationId: away.organizationId,
    roleKeys: ["reader"],
  });
  projectGrantId = idOf(grant, "grantId");
});

afterAll(() => service.stop());

type Scope = NonNullable<MessageInitShape<typeof addMembership.input>["scope"]>;
const onHome = (): Scope => ({ case: "organizationId", value: home.organizationId });
const onProject = (): Scope => ({ case: "projectId", value: home.projectId });
const onGrant = (): Scope => ({ case: "projectGrantId", value: projectGrantId });

/** Makes a user with a token who holds one role. */
async function createMember(
  organizationId: string,
  scope: Scope,
  role: string,
): Promise<TestUser & { membershipId: string }> {
  const user = await createServiceUser(service, organizationId);
  const added = await service.call(addMembership, { userId: user.id, scope, roles: [role] });
  return { ...user, membershipId: idOf(added, "membershipId") };
}

/** Returns a function that calls over the lane as that user, with a header that must not matter. */
function callerOn(lane: Lane, { token }: Pick<TestUser, "token">) {
  const options: CallOptions = { token, headers: { "x-service-orgid": away.organizationId } };
  return <M extends DescMethodUnary>(method: M, request: MessageInitShape<M["input"]>) =>
    service.clients[lane].call(method, request, options);
}

const other = (lane: Lane): Lane => lanes[(lanes.indexOf(lane) + 1) % lanes.length] ?? lane;
const listOf = (answer: JsonObject) => answer["memberships"] as JsonObject[];
const idsOf = (answer: JsonObject) => listOf(answer).map((membership) => membership["id"]);
const detailsOf = (answer: JsonObject) => answer["details"] as JsonObject;
const sequenceOf = (answer: JsonObject) => BigInt(idOf(detailsOf(answer), "sequence"));

describe("over REST", () => {
  const lane = "rest";
  test("memberships are listed with scope and roles, to whom may read them", async () => {
    const member = await createMember(home.organizationId, onProject(), "PROJECT_VIEWER");
    const call = callerOn(lane, home.viewer);
    const answer = answerOf(await call(listMemberships, { userId: member.id, countTotal: true }));
    expect(detailsOf(answer)).toMatchObject({ totalResult: "1" });
    const [membership] = listOf(answer);
    expect(membership).toEqual({
      id: member.membershipId,
      details: membership?.["details"],
      userId: member.id,
      projectId: home.projectId,
      roles: ["PROJECT_VIEWER"],
    });
    expect(membership?.["details"]).toMatchObject({ resourceOwner: home.organizationId });
    const elsewhere = answerOf(
      await callerOn(lane, away.owner)(listMemberships, { userId: member.id, countTotal: true }),
    );
    expect([listOf(elsewhere), detailsOf(elsewhere)["totalResult"]]).toEqual([[], "0"]);
  });

  test("filters by scope leave what the caller may read on it, and nothing of what they may not", async () => {
    const onTheGrant = await createMember(away.organizationId, onGrant(), "PROJECT_GRANT_OWNER");
    const onTheProject = await createMember(home.organizationId, onProject(), "PROJECT_OWNER");
    const ask = async (by: Pick<TestUser, "token">, filter: MessageInitShape<typeof listMemberships.input>) =>
      idsOf(answerOf(await callerOn(lane, by)(listMemberships, { ...filter, pageSize: 1000 })));
    const admin = { token: service.adminToken };
    const { projectId, organizationId } = home;
    expect(await ask(admin, { projectGrantId })).toContain(onTheGrant.membershipId);
    expect(await ask(away.owner, { projectGrantId })).toContain(onTheGrant.membershipId);
    expect(await ask(home.owner, { projectGrantId })).toEqual([]);
    expect(await ask(home.owner, { projectId })).toContain(onTheProject.membershipId);
    expect(await ask(onTheProject, { projectId })).toContain(onTheProject.membershipId);
    expect(await ask(onTheProject, {})).toEqual(await ask(admin, { projectId }));
    expect(await ask(onTheGrant, {})).toEqual(await ask(admin, { projectGrantId }));
    expect(await ask(onTheProject, { organizationId })).toEqual([]);
    expect(await ask(home.owner, { organizationId })).toContain(home.membershipId);
    expect(await ask(home.owner, { organizationId, userId: home.viewer.id })).toEqual([home.membershipId]);
    expect(await ask(away.owner, { organizationId })).toEqual([]);
    expect(await ask(away.owner, { organizationId: "4711" })).toEqual([]);
    expect(await ask(home.owner, { instance: true })).toEqual([]);
    expect(await ask(admin, { instance: true })).toHaveLength(1);
    expect(await ask(admin, { instance: true, organizationId })).toEqual([]);
  });

  test("pages follow each other, and their tokens are good for the same list only", async () => {
    const call = callerOn(lane, home.owner);
    const all = idsOf(answerOf(await call(listMemberships, { pageSize: 1000 })));
    expect(all.length).toBeGreaterThan(2);
    const first = answerOf(await call(listMemberships, { pageSize: 2, countTotal: true }));
    expect(detailsOf(first)["totalResult"]).toBe(String(all.length));
    const pageToken = idOf(first, "nextPageToken");
    const rest = answerOf(await call(listMemberships, { pageSize: 1000, pageToken }));
    expect([...idsOf(first), ...idsOf(rest)]).toEqual(all);
    const invalid = { code: 3, reason: "PAGE_TOKEN_INVALID", fields: ["page_token"] };
    const { organizationId } = home;
    expect(refusalOf(await call(listMemberships, { pageToken, organizationId }))).toMatchObject(invalid);
    expect(refusalOf(await call(listMemberships, { pageToken, instance: true }))).toMatchObject(invalid);
    expect(refusalOf(await callerOn(lane, away.owner)(listMemberships, { pageToken }))).toMatchObject(
      invalid,
    );
  });

  test("roles are replaced, and hold in the very next call on another lane", async () => {
    const member = await createMember(home.organizationId, onHome(), "ORGANIZATION_VIEWER");
    const { membershipId } = member;
    const mayRename = async () => {
      const { updateOrganization, getOrganization } = OrganizationService.method;
      const id = home.organizationId;
      const { organization } = await service.call(getOrganization, { id });
      const name = idOf(organization as JsonObject, "name");
      return (await callerOn(other(lane), member)(updateOrganization, { id, name })).kind;
    };
    expect(await mayRename()).toBe("error");
    const call = callerOn(lane, home.owner);
    const roles = ["ORGANIZATION_OWNER", "ORGANIZATION_VIEWER", "ORGANIZATION_OWNER"];
    const answer = answerOf(await call(updateMembership, { membershipId, roles }));
    expect(await mayRename()).toBe("answer");
    const listed = answerOf(await callerOn(other(lane), home.viewer)(listMemberships, { userId: member.id }));
    expect(listOf(listed)).toEqual([
      {
        id: membershipId,
        details: answer["details"],
        userId: member.id,
        organizationId: home.organizationId,
        roles: ["ORGANIZATION_OWNER", "ORGANIZATION_VIEWER"],
      },
    ]);
    service.clock.turn(1000);
    expect(answerOf(await call(updateMembership, { membershipId, roles }))).toEqual(answer);
    expect(
      answerOf(await call(updateMembership, { membershipId, roles: ["ORGANIZATION_VIEWER"] })),
    ).toBeDefined();
    expect(await mayRename()).toBe("error");
  });

  test("a membership is removed, and gives nothing from then on", async () => {
    const member = await createMember(home.organizationId, onHome(), "ORGANIZATION_OWNER");
    const { membershipId } = member;
    const call = callerOn(lane, member);
    const before = await listedDetails(member.id);
    const answer = answerOf(await call(removeMembership, { membershipId }));
    expect(sequenceOf(answer)).toBeGreaterThan(BigInt(idOf(before, "sequence")));
    expect(detailsOf(answer)).toMatchObject({
      creationDate: before["creationDate"],
      resourceOwner: home.organizationId,
    });
    expect(refusalOf(await call(removeMembership, { membershipId })).reason).toBe("PERMISSION_DENIED");
    const owner = callerOn(other(lane), home.owner);
    expect(refusalOf(await owner(removeMembership, { membershipId }))).toMatchObject({
      reason: "NOT_FOUND",
      resource: "membership",
    });
    const listed = answerOf(await owner(listMemberships, { userId: member.id }));
    expect(listOf(listed)).toEqual([]);
  });

  test("one outside is not found, byte for byte as one that never existed; without the permission it is denied", async () => {
    const absent = "900000000000000008";
    const viewer = await createMember(home.organizationId, onHome(), "ORGANIZATION_VIEWER");
    for (const method of [updateMembership, removeMembership]) {
      const ask = async (by: Pick<TestUser, "token">, membershipId: string) =>
        statusOf(await callerOn(lane, by)(method, { membershipId, roles: ["ORGANIZATION_VIEWER"] }));
      const foreign = await ask(away.owner, home.membershipId);
      expect(foreign.code).toBe(5);
      expect(foreign.details).toContainEqual(resourceInfo("membership", home.membershipId, foreign.message));
      expect(JSON.stringify(await ask(away.owner, absent))).toBe(
        JSON.stringify(foreign).replaceAll(home.membershipId, absent),
      );
      // Their own, too, without the permission.
      for (const id of [viewer.membershipId, absent])
        expect((await ask(viewer, id)).details).toEqual([
          errorInfo("PERMISSION_DENIED", {
            permission: "membership.write",
            organization_id: home.organizationId,
          }),
        ]);
    }
  });

  test("a list is denied to whom may read memberships nowhere", async () => {
    expect(statusOf(await callerOn(lane, home.stranger)(listMemberships, {})).details).toEqual([
      errorInfo("PERMISSION_DENIED", {
        permission: "membership.read",
        organization_id: home.organizationId,
      }),
    ]);
  });

  test("roles that are none, or do not fit the scope, are refused by their place", async () => {
    const { membershipId } = await createMember(home.organizationId, onProject(), "PROJECT_VIEWER");
    const call = callerOn(lane, home.owner);
    const fieldsOf = async (id: string, roles: readonly string[]) => {
      const { reason, fields } = refusalOf(
        await call(updateMembership, { membershipId: id, roles: [...roles] }),
      );
      return [reason, ...fields];
    };
    expect(await fieldsOf(membershipId, [])).toEqual(["FIELD_INVALID", "roles"]);
    expect(await fieldsOf(membershipId, ["PROJECT_OWNER", "KING"])).toEqual(["FIELD_INVALID", "roles[1]"]);
    expect(await fieldsOf("4711", ["KING"])).toEqual(["FIELD_INVALID", "roles[0]"]);
    expect(await fieldsOf(membershipId, ["PROJECT_OWNER", "ORGANIZATION_OWNER"])).toEqual([
      "FIELD_INVALID",
      "roles[1]",
    ]);
    expect(await fieldsOf("4711", ["ORGANIZATION_OWNER"])).toEqual(["NOT_FOUND"]);
  });

  test("the last owner of the instance keeps their role", async () => {
    const admin = callerOn(lane, { token: service.adminToken });
    const { user } = answerOf(await admin(UserService.method.getMyUser, {}));
    const membershipId = await membershipIdOf(service, idOf(user as JsonObject, "id"));
    const lastOwner = { code: 9, details: [{ reason: "LAST_INSTANCE_OWNER" }] };
    const update = admin(updateMembership, { membershipId, roles: ["INSTANCE_VIEWER"] });
    expect(statusOf(await update)).toMatchObject(lastOwner);
    expect(statusOf(await admin(removeMembership, { membershipId }))).toMatchObject(lastOwner);
  });

  test("tokens that somebody made for a user who gets more than they have work on, without that", async () => {
    const manager = await createMember(home.organizationId, onHome(), "ORGANIZATION_USER_MANAGER");
    const member = await createMember(home.organizationId, onHome(), "ORGANIZATION_USER_MANAGER");
    const made = answerOf(
      await callerOn(lane, manager)(UserService.method.addPersonalAccessToken, { userId: member.id }),
    );
    const enter = async () =>
      (await callerOn(other(lane), { token: idOf(made, "token") })(UserService.method.getMyUser, {})).kind;
    const rename = async (token: string) => {
      const request = { id: home.organizationId, name: "Renamed home" };
      return (await callerOn(lane, { token })(OrganizationService.method.updateOrganization, request)).kind;
    };
    expect(await enter()).toBe("answer");
    const roles = ["ORGANIZATION_OWNER"];
    answerOf(
      await callerOn(lane, home.owner)(updateMembership, { membershipId: member.membershipId, roles }),
    );
    expect(await enter()).toBe("answer");
    expect([await rename(idOf(made, "token")), await rename(member.token)]).toEqual(["error", "answer"]);
  });
});

async function listedDetails(userId: string): Promise<JsonObject> {
  const [membership] = listOf(await service.call(listMemberships, { userId }));
  return membership?.["details"] as JsonObject;
}
