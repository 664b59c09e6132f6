import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { DescMethodUnary, JsonObject, MessageInitShape } from "@bufbuild/protobuf";
import { MembershipService } from "../../gen/gatehouse/v1/membership_service_pb.ts";
import { OrganizationService } from "../../gen/gatehouse/v1/organization_service_pb.ts";
import { ProjectService } from "../../gen/gatehouse/v1/project_service_pb.ts";
import { UserGrantService } from "../../gen/gatehouse/v1/user_grant_service_pb.ts";
import { answerOf, refusalOf, startService, type TestService } from "../support/service.ts";
import {
  createCaller,
  createHumanUser,
  createProject,
  createServiceUser,
  idOf,
  type TestUser,
  uniqueName,
} from "../support/world.ts";

const grants = UserGrantService.method;

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

/** An organization with its owner, a user and a project whose role reader the user has. */
interface Home {
  readonly organizationId: string;
  readonly owner: TestUser;
  readonly viewer: TestUser;
  readonly userId: string;
  readonly projectId: string;
  readonly grantId: string;
}

async function createOrganization(): Promise<string> {
  const name = uniqueName("Organization");
  return idOf(await service.call(OrganizationService.method.addOrganization, { name }), "organizationId");
}

async function createHome(): Promise<Home> {
  const organizationId = await createOrganization();
  const userId = await createHumanUser(service, organizationId);
  const projectId = await createProject(service, organizationId, ["reader", "writer"]);
  const given = await createCaller(service, organizationId)(grants.addUserGrant, {
    userId,
    projectId,
    roleKeys: ["reader"],
  });
  return {
    organizationId,
    owner: await createServiceUser(service, organizationId, "ORGANIZATION_OWNER"),
    viewer: await createServiceUser(service, organizationId, "ORGANIZATION_VIEWER"),
    userId,
    projectId,
    grantId: idOf(given, "userGrantId"),
  };
}

const detailsOf = (answer: JsonObject) => answer["details"] as JsonObject; // every answer of a change has it
const ownerReads = async (home: Home, { userId, grantId }: { userId: string; grantId: string } = home) =>
  (
    await createCaller(
      service,
      home.organizationId,
      home.owner.token,
    )(grants.getUserGrant, { userId, grantId })
  )["userGrant"] as JsonObject;

describe("over REST", () => {
  const lane = "rest";
  const call = async <M extends DescMethodUnary>(
    method: M,
    request: MessageInitShape<M["input"]>,
    home: Home,
    token = home.owner.token,
  ) =>
    await service.clients[lane].call(method, request, {
      token,
      headers: { "x-service-orgid": home.organizationId },
    });

  test("UpdateUserGrant replaces the roles, and the next read has them", async () => {
    const home = await createHome();
    const { userId, grantId } = home;
    const roleKeys = ["writer", "reader", "writer"];
    const answer = answerOf(await call(grants.updateUserGrant, { userId, grantId, roleKeys }, home));
    expect(Object.keys(answer)).toEqual(["details"]);
    expect(await ownerReads(home)).toMatchObject({
      details: answer["details"],
      roleKeys: ["writer", "reader"],
    });
    const repeated = answerOf(await call(grants.updateUserGrant, { userId, grantId, roleKeys }, home));
    expect(repeated).toEqual(answer);
    const unknown = await call(grants.updateUserGrant, { userId, grantId, roleKeys: ["x"] }, home);
    expect(refusalOf(unknown)).toMatchObject({ code: 5, reason: "NOT_FOUND", resource: "role" });
    const denied = await call(grants.updateUserGrant, { userId, grantId }, home, home.viewer.token);
    expect(refusalOf(denied)).toMatchObject({ code: 7, reason: "PERMISSION_DENIED" });
    answerOf(await call(grants.updateUserGrant, { userId, grantId }, home));
    expect(await ownerReads(home)).toMatchObject({ roleKeys: [] });
  });

  test("DeactivateUserGrant and ReactivateUserGrant change the state and what is in effect", async () => {
    const home = await createHome();
    const { userId, grantId } = home;
    const effective = async () =>
      answerOf(await call(grants.listEffectiveRoles, { userId }, home))["effectiveRoles"];
    const entry = { projectId: home.projectId, organizationId: home.organizationId, roleKeys: ["reader"] };
    expect(await effective()).toEqual([entry]);
    for (const [method, state, roles] of [
      [grants.deactivateUserGrant, "USER_GRANT_STATE_INACTIVE", []],
      [grants.reactivateUserGrant, "USER_GRANT_STATE_ACTIVE", [entry]],
    ] as const) {
      const answer = answerOf(await call(method, { userId, grantId }, home));
      expect(await ownerReads(home)).toMatchObject({ state, details: answer["details"] });
      expect(await effective()).toEqual(roles);
      expect(answerOf(await call(method, { userId, grantId }, home))).toEqual(answer);
      expect(refusalOf(await call(method, { userId, grantId }, home, home.viewer.token)).code).toBe(7);
      expect(refusalOf(await call(method, { userId: home.owner.id, grantId }, home))).toMatchObject({
        code: 5,
        resource: "user_grant",
      });
    }
  });

  test("RemoveUserGrant removes it: it cannot be read, listed or removed any more", async () => {
    const home = await createHome();
    const { userId, grantId } = home;
    const before = await ownerReads(home);
    expect(
      refusalOf(await call(grants.removeUserGrant, { userId, grantId }, home, home.viewer.token)).code,
    ).toBe(7);
    const details = detailsOf(answerOf(await call(grants.removeUserGrant, { userId, grantId }, home)));
    expect(details).toMatchObject({
      creationDate: (before["details"] as JsonObject)["creationDate"],
      resourceOwner: home.organizationId,
    });
    for (const method of [grants.getUserGrant, grants.removeUserGrant])
      expect(refusalOf(await call(method, { userId, grantId }, home))).toMatchObject({
        code: 5,
        reason: "NOT_FOUND",
        resource: "user_grant",
      });
    expect(answerOf(await call(grants.listUserGrants, {}, home))["userGrants"]).toEqual([]);
    expect(answerOf(await call(grants.listEffectiveRoles, { userId }, home))["effectiveRoles"]).toEqual([]);
  });

  test("BulkRemoveUserGrants removes all or nothing, and names what it refuses", async () => {
    const home = await createHome();
    const elsewhere = await createHome();
    const second = await createHumanUser(service, home.organizationId);
    const input = { userId: second, projectId: home.projectId };
    const grantId = idOf(answerOf(await call(grants.addUserGrant, input, home)), "userGrantId");
    const remove = async (grantIds: string[], token?: string) =>
      await call(grants.bulkRemoveUserGrants, { grantIds }, home, token);
    expect(refusalOf(await remove([home.grantId, elsewhere.grantId, grantId]))).toMatchObject({
      code: 5,
      message: `user_grant "${elsewhere.grantId}" does not exist`,
      resource: "user_grant",
    });
    expect(refusalOf(await remove([home.grantId, grantId, home.grantId]))).toMatchObject({
      code: 3,
      reason: "FIELD_INVALID",
      fields: ["grant_ids[2]"],
    });
    expect(refusalOf(await remove([]))).toMatchObject({ code: 3, fields: ["grant_ids"] });
    const tooMany = Array.from({ length: 1001 }, (_, index) => String(index + 1));
    expect(refusalOf(await remove(tooMany))).toMatchObject({ code: 3, fields: ["grant_ids"] });
    expect(refusalOf(await remove([home.grantId], home.viewer.token)).code).toBe(7);
    expect(answerOf(await call(grants.listUserGrants, {}, home))["userGrants"]).toHaveLength(2);
    const details = detailsOf(answerOf(await remove([home.grantId, grantId])));
    expect(details).toMatchObject({
      creationDate: details["changeDate"],
      resourceOwner: home.organizationId,
    });
    expect(answerOf(await call(grants.listUserGrants, {}, home))["userGrants"]).toEqual([]);
    expect((await ownerReads(elsewhere))["id"]).toBe(elsewhere.grantId);
  });

  test("ListUserGrants filters, pages and counts", async () => {
    const home = await createHome();
    const other = await createProject(service, home.organizationId, ["writer"]);
    const second = await createHumanUser(service, home.organizationId);
    const ids = [home.grantId];
    for (const [userId, projectId] of [
      [home.userId, other],
      [second, other],
    ] as const) {
      const input = { userId, projectId, roleKeys: ["writer"] };
      ids.push(idOf(answerOf(await call(grants.addUserGrant, input, home)), "userGrantId"));
    }
    const list = async (request: MessageInitShape<typeof grants.listUserGrants.input>, token?: string) => {
      const answer = answerOf(await call(grants.listUserGrants, request, home, token));
      return {
        ids: (answer["userGrants"] as JsonObject[]).map(({ id }) => id),
        next: answer["nextPageToken"] as string,
        details: answer["details"] as JsonObject,
      };
    };
    expect((await list({})).ids).toEqual(ids);
    expect((await list({ userId: home.userId })).ids).toEqual(ids.slice(0, 2));
    expect((await list({ projectId: other })).ids).toEqual(ids.slice(1));
    expect((await list({ roleKey: "reader" })).ids).toEqual(ids.slice(0, 1));
    expect((await list({ userId: second, projectId: other, roleKey: "writer" })).ids).toEqual(ids.slice(2));
    const first = await list({ pageSize: 2, countTotal: true });
    expect([first.ids, first.details["totalResult"]]).toEqual([ids.slice(0, 2), "3"]);
    expect(await list({ pageSize: 2, pageToken: first.next }, home.viewer.token)).toMatchObject({
      ids: ids.slice(2),
      next: "",
      details: expect.not.objectContaining({ totalResult: expect.anything() }),
    });
    const foreign = { pageToken: first.next, roleKey: "writer" };
    expect(refusalOf(await call(grants.listUserGrants, foreign, home))).toMatchObject({
      code: 3,
      reason: "PAGE_TOKEN_INVALID",
    });
    const { userGrants } = answerOf(await call(grants.listUserGrants, { userId: second }, home));
    expect(userGrants).toEqual([await ownerReads(home, { userId: second, grantId: ids[2] ?? "" })]);
  });

  test("ListEffectiveRoles tells the owner of a project what others gave for it, and hides strangers", async () => {
    const home = await createHome();
    const partner = await createHome();
    const granted = await createCaller(service, home.organizationId)(ProjectService.method.addProjectGrant, {
      projectId: home.projectId,
      grantedOrganizationId: partner.organizationId,
      roleKeys: ["writer"],
    });
    const { userId } = partner;
    const ask = async (request: object = {}, token?: string) =>
      await call(grants.listEffectiveRoles, { userId, ...request }, home, token);
    const never = refusalOf(await call(grants.listEffectiveRoles, { userId: "4711" }, home));
    const hidden = refusalOf(await ask());
    expect(hidden).toMatchObject({ code: 5, reason: "NOT_FOUND", resource: "user" });
    expect({ ...hidden, message: hidden.message.replace(userId, "4711") }).toEqual(never);
    const given = answerOf(
      await call(
        grants.addUserGrant,
        {
          userId,
          projectId: home.projectId,
          projectGrantId: idOf(granted, "grantId"),
          roleKeys: ["writer"],
        },
        partner,
      ),
    );
    const entry = {
      projectId: home.projectId,
      organizationId: partner.organizationId,
      roleKeys: ["writer"],
    };
    const seen = answerOf(await ask({ countTotal: true }));
    expect(seen["effectiveRoles"]).toEqual([entry]);
    expect(seen["details"]).toMatchObject({
      totalResult: "1",
      processedSequence: detailsOf(given)["sequence"],
    });
    expect(answerOf(await ask({ projectId: partner.projectId }))["effectiveRoles"]).toEqual([]);
    expect(answerOf(await ask({ organizationId: partner.organizationId }))["effectiveRoles"]).toEqual([
      entry,
    ]);
    expect(answerOf(await call(grants.listEffectiveRoles, { userId }, partner))["effectiveRoles"]).toEqual([
      { projectId: partner.projectId, organizationId: partner.organizationId, roleKeys: ["reader"] },
      entry,
    ]);
    const stranger = await createServiceUser(service, home.organizationId);
    expect(refusalOf(await ask({}, stranger.token))).toMatchObject({ code: 7, reason: "PERMISSION_DENIED" });
  });

  test("a role on a single project opens the grants of that project, and no others", async () => {
    const home = await createHome();
    const other = await createProject(service, home.organizationId, ["reader"]);
    const manager = await createServiceUser(service, home.organizationId);
    const scope = { case: "projectId" as const, value: other };
    const roles = ["PROJECT_OWNER"];
    await service.call(MembershipService.method.addMembership, { userId: manager.id, scope, roles });
    const input = { userId: home.userId, projectId: other, roleKeys: ["reader"] };
    const grantId = idOf(
      answerOf(await call(grants.addUserGrant, input, home, manager.token)),
      "userGrantId",
    );
    const listed = answerOf(await call(grants.listUserGrants, { countTotal: true }, home, manager.token));
    expect((listed["userGrants"] as JsonObject[]).map(({ id }) => id)).toEqual([grantId]);
    expect(listed["details"]).toMatchObject({ totalResult: "1" });
    for (const method of [grants.updateUserGrant, grants.deactivateUserGrant, grants.removeUserGrant]) {
      const closed = { userId: home.userId, grantId: home.grantId };
      expect(refusalOf(await call(method, closed, home, manager.token))).toMatchObject({
        code: 5,
        resource: "user_grant",
      });
    }
    const both = { grantIds: [grantId, home.grantId] };
    expect(refusalOf(await call(grants.bulkRemoveUserGrants, both, home, manager.token)).code).toBe(5);
    answerOf(await call(grants.removeUserGrant, { userId: home.userId, grantId }, home, manager.token));
    expect(await ownerReads(home)).toMatchObject({ id: home.grantId, roleKeys: ["reader"] });
  });
});
