import { afterAll, describe, expect, test } from "@jest/globals";
import { create, type JsonObject } from "@bufbuild/protobuf";
import { type Timestamp, timestampFromMs, TimestampSchema } from "@bufbuild/protobuf/wkt";
import { GroupService } from "../../gen/gatehouse/v1/group_service_pb.ts";
import { MembershipService } from "../../gen/gatehouse/v1/membership_service_pb.ts";
import { OrganizationService } from "../../gen/gatehouse/v1/organization_service_pb.ts";
import { ProjectService } from "../../gen/gatehouse/v1/project_service_pb.ts";
import { UserGrantService } from "../../gen/gatehouse/v1/user_grant_service_pb.ts";
import { UserService } from "../../gen/gatehouse/v1/user_service_pb.ts";
import { startService } from "../support/service.ts";
import {
  createCaller,
  createHumanUser,
  createProject,
  createServiceUser,
  createWorld,
  idOf,
  uniqueName,
} from "../support/world.ts";

// Rights that begin and end, as callers see them.

const service = await startService();
const world = await createWorld(service);
const { organizationId } = world;
const inside = createCaller(service, organizationId);
afterAll(() => service.stop());

const inMs = (ms: number): Timestamp => timestampFromMs(service.clock.nowMs() + ms);
/** That many microseconds after an instant. */
const plus = ({ seconds, nanos }: Timestamp, micros: number): Timestamp =>
  create(TimestampSchema, { seconds, nanos: nanos + micros * 1000 });

interface Page {
  readonly pageSize: number;
  readonly pageToken: string;
  readonly countTotal: boolean;
  readonly expiresBefore: Timestamp;
}

describe("what ends before an instant comes in the order of the ends, page by page, without what is over", () => {
  const ends = [5000, 1000, 3000, undefined, 2000, -1000];
  /** What ends before 4 s from now, the earliest first: by its place in `ends`. */
  const expected = [1, 4, 2];

  /** Reads pages of two of the list under `name` in the answers. `ids` are those of all objects, by their places in `ends`. */
  async function expectEnds(ids: readonly string[], name: string, read: (page: Page) => Promise<JsonObject>) {
    const seen: unknown[] = [];
    let pageToken = "";
    do {
      const answer = await read({ pageSize: 2, pageToken, countTotal: true, expiresBefore: inMs(4000) });
      const found = answer[name] as readonly JsonObject[]; // the list of the answer
      expect(answer["details"]).toMatchObject({ totalResult: "3" });
      seen.push(...found.map(({ id }) => id));
      pageToken = (answer["nextPageToken"] ?? "") as string; // a text of the answer
    } while (pageToken !== "");
    expect(seen).toEqual(expected.map((at) => ids[at]));
  }
  const periodOf = (end: number | undefined) => (end === undefined ? {} : { endDate: inMs(end) });

  test("of user grants: of all, a project, a user, a role, and by a text", async () => {
    const projectId = await createProject(service, organizationId, ["keeper"]);
    const users: string[] = [];
    const ids: string[] = [];
    for (const end of ends) {
      const userId = await createHumanUser(service, organizationId);
      const grant = { userId, projectId, roleKeys: ["keeper"], ...periodOf(end) };
      users.push(userId);
      ids.push(idOf(await inside(UserGrantService.method.addUserGrant, grant), "userGrantId"));
    }
    for (const filter of [
      {},
      { projectId },
      { roleKey: "keeper" },
      { search: "keeper" },
      { search: "keeper", projectId },
    ])
      await expectEnds(ids, "userGrants", (page) =>
        inside(UserGrantService.method.listUserGrants, { ...page, ...filter }),
      );
    const [, first = ""] = users;
    const ofUser = { userId: first, expiresBefore: inMs(4000) };
    expect((await inside(UserGrantService.method.listUserGrants, ofUser)).userGrants).toMatchObject([
      { id: ids[1] },
    ]);
  });

  test("of project grants, for both organizations", async () => {
    const projectId = await createProject(service, organizationId, ["keeper"]);
    const partner = await addOrganization();
    const [made, received]: [string[], string[]] = [[], []];
    for (const end of ends) {
      const granted = { projectId, grantedOrganizationId: await addOrganization(), ...periodOf(end) };
      made.push(idOf(await inside(ProjectService.method.addProjectGrant, granted), "grantId"));
      const another = await createProject(service, organizationId);
      const given = { projectId: another, grantedOrganizationId: partner, ...periodOf(end) };
      received.push(idOf(await inside(ProjectService.method.addProjectGrant, given), "grantId"));
    }
    await expectEnds(made, "projectGrants", (page) =>
      inside(ProjectService.method.listProjectGrants, { ...page, projectId }),
    );
    await expectEnds(received, "grantedProjects", (page) =>
      createCaller(service, partner)(ProjectService.method.listGrantedProjects, page),
    );
  });

  test("of grants to groups and of the users in a group", async () => {
    const { addGroup, addGroupGrant, addGroupMembers, listGroupGrants, listGroupMembers } =
      GroupService.method;
    const projectId = await createProject(service, organizationId, ["keeper"]);
    const group = idOf(await inside(addGroup, { name: uniqueName("Group") }), "id");
    const inner = idOf(await inside(addGroup, { name: uniqueName("Group") }), "id");
    await inside(addGroupMembers, { groupId: group, groupIds: [inner] });
    const [users, ids]: [string[], string[]] = [[], []];
    for (const end of ends) {
      const userId = await createHumanUser(service, organizationId);
      await inside(addGroupMembers, { groupId: group, userIds: [userId], ...periodOf(end) });
      users.push(userId);
      const groupId = idOf(await inside(addGroup, { name: uniqueName("Group") }), "id");
      const grant = { groupId, projectId, roleKeys: ["keeper"], ...periodOf(end) };
      ids.push(idOf(await inside(addGroupGrant, grant), "groupGrantId"));
    }
    await expectEnds(ids, "groupGrants", (page) => inside(listGroupGrants, { ...page, projectId }));
    await expectEnds(ids, "groupGrants", (page) => inside(listGroupGrants, page));
    await expectEnds(users, "members", async (page) => {
      const answer = await inside(listGroupMembers, { ...page, groupId: group });
      const members = (answer["members"] ?? []) as readonly JsonObject[]; // the list of the answer
      return { ...answer, members: members.map(({ userId: id }) => ({ id: id ?? "" })) };
    });
    const both = { groupId: group, userIds: users, groupIds: [inner], endDate: inMs(1) };
    await expect(inside(addGroupMembers, both)).rejects.toThrow("FIELD_INVALID");
  });

  test("of memberships: of all, an organization, a project, a user", async () => {
    const projectId = await createProject(service, organizationId);
    const ids: string[] = [];
    const userId = await createHumanUser(service, organizationId);
    const scope = { case: "projectId", value: projectId } as const;
    for (const end of ends) {
      const user = await createHumanUser(service, organizationId);
      const given = { userId: user, scope, roles: ["PROJECT_VIEWER"], ...periodOf(end) };
      ids.push(idOf(await service.call(MembershipService.method.addMembership, given), "membershipId"));
    }
    const { listMemberships } = MembershipService.method;
    for (const [filter, token] of [
      [{}, service.adminToken],
      [{}, world.owner.token],
      [{ projectId }, service.adminToken],
    ] as const)
      await expectEnds(ids, "memberships", (page) =>
        service.call(listMemberships, { ...page, ...filter }, token),
      );
    const given = { userId, scope, roles: ["PROJECT_VIEWER"], endDate: inMs(1) };
    const id = idOf(await service.call(MembershipService.method.addMembership, given), "membershipId");
    const ofUser = await service.call(listMemberships, { userId, expiresBefore: inMs(2) });
    expect(ofUser.memberships).toMatchObject([{ id }]);
  });
});

async function addOrganization(): Promise<string> {
  const added = await service.call(OrganizationService.method.addOrganization, {
    name: uniqueName("Partner"),
  });
  return idOf(added, "organizationId");
}

describe("the dates of a right", () => {
  test("are kept to the microsecond, and an end that is not after the start is refused", async () => {
    const userId = await createHumanUser(service, organizationId);
    const projectId = await createProject(service, organizationId);
    const start = { seconds: 253_402_300_798n, nanos: 999_999_999 };
    const end = { seconds: 253_402_300_799n, nanos: 999_999_999 };
    const add = (startDate: object, endDate: object) =>
      inside(UserGrantService.method.addUserGrant, { userId, projectId, startDate, endDate });
    for (const wrong of [start, { ...start, nanos: 999_999_000 }])
      await expect(add(start, wrong)).rejects.toThrow("FIELD_INVALID");
    const grantId = idOf(await add(start, end), "userGrantId");
    const { userGrant } = await inside(UserGrantService.method.getUserGrant, { userId, grantId });
    expect(userGrant).toMatchObject({
      startDate: "9999-12-31T23:59:58.999999Z",
      endDate: "9999-12-31T23:59:59.999999Z",
    });
  });

  test("stay in an update that does not send them, are removed on request, and are compared with those that stay", async () => {
    const userId = await createHumanUser(service, organizationId);
    const projectId = await createProject(service, organizationId, ["keeper"]);
    const partner = await addOrganization();
    const scope = { case: "projectId", value: projectId } as const;
    const dates = { startDate: inMs(1000), endDate: inMs(2000) };
    const grantId = idOf(
      await inside(UserGrantService.method.addUserGrant, { userId, projectId, ...dates }),
      "userGrantId",
    );
    const given = { userId, scope, roles: ["PROJECT_VIEWER"], ...dates };
    const membershipId = idOf(
      await service.call(MembershipService.method.addMembership, given),
      "membershipId",
    );
    const projectGrant = { projectId, grantedOrganizationId: partner, ...dates };
    const lent = {
      projectId,
      grantId: idOf(await inside(ProjectService.method.addProjectGrant, projectGrant), "grantId"),
    };
    const rights = [
      {
        update: (change: object) =>
          inside(UserGrantService.method.updateUserGrant, { userId, grantId, ...change }),
        read: async () =>
          (await inside(UserGrantService.method.getUserGrant, { userId, grantId }))["userGrant"],
      },
      {
        update: (change: object) => inside(ProjectService.method.updateProjectGrant, { ...lent, ...change }),
        read: async () => (await inside(ProjectService.method.getProjectGrant, lent))["projectGrant"],
      },
      {
        update: (change: object) =>
          inside(MembershipService.method.updateMembership, {
            membershipId,
            roles: ["PROJECT_VIEWER"],
            ...change,
          }),
        read: async () => {
          const { memberships } = await inside(MembershipService.method.listMemberships, { userId });
          return (memberships as readonly unknown[])[0];
        },
      },
    ];
    for (const { update, read } of rights) {
      const before = await read();
      expect(before).toMatchObject({ startDate: expect.any(String), endDate: expect.any(String) });
      await update({});
      for (const wrong of [
        { endDate: dates.startDate },
        { startDate: dates.endDate },
        { endDate: dates.endDate, removeEndDate: true },
        { startDate: dates.startDate, removeStartDate: true },
      ])
        await expect(update(wrong)).rejects.toThrow("FIELD_INVALID");
      expect(await read()).toEqual(before);
      await update({ removeStartDate: true });
      expect(await read()).not.toHaveProperty("startDate");
      await update({ removeEndDate: true });
      expect(await read()).not.toHaveProperty("endDate");
    }
  });

  test("decide which calls a user may make, at the microsecond, without any write", async () => {
    const user = await createServiceUser(service, organizationId);
    const scope = { case: "organizationId", value: organizationId } as const;
    const dates = { startDate: plus(inMs(999), 1), endDate: plus(inMs(2000), 1) };
    const given = { userId: user.id, scope, roles: ["ORGANIZATION_VIEWER"], ...dates };
    await service.call(MembershipService.method.addMembership, given);
    const seen: unknown[] = [];
    for (const ms of [0, 999, 1, 1000, 1]) {
      service.clock.turn(ms);
      const listed = service.call(UserService.method.listUsers, { pageSize: 1 }, user.token);
      const may = await listed.then(
        () => true,
        () => false,
      );
      const { scopes } = await service.call(MembershipService.method.getMyPermissions, {}, user.token);
      seen.push({ may, scopes: (scopes as unknown[]).length });
    }
    const [out, within] = [
      { may: false, scopes: 0 },
      { may: true, scopes: 1 },
    ];
    expect(seen).toEqual([out, out, within, within, out]);
  });
});
