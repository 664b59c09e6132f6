import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import type { JsonObject } from "@bufbuild/protobuf";
import { MembershipService } from "../../gen/gatehouse/v1/membership_service_pb.ts";
import { ProjectService } from "../../gen/gatehouse/v1/project_service_pb.ts";
import { UserService } from "../../gen/gatehouse/v1/user_service_pb.ts";
import type { Lane } from "../support/clients.ts";
import { answerOf, refusalOf } from "../support/service.ts";
import {
  createCaller,
  createServiceUser,
  createWorld,
  idOf,
  membershipIdOf,
  type TestUser,
  uniqueName,
  type World,
} from "../support/world.ts";
import { answerAt, type BatchGround, endingOf, infoOf, startBatchGround } from "./support/batch-ground.ts";

let ground: BatchGround;
let other: World;
beforeAll(async () => {
  ground = await startBatchGround();
  other = await createWorld(ground.service);
});
afterAll(() => ground.service.stop());

const addProject = (): JsonObject => ({ addProject: { name: uniqueName("Project") } });
const addUser = (): JsonObject => ({ addServiceUser: { username: uniqueName("u"), name: "Service" } });

describe("an item", () => {
  const lane: Lane = "rest"; // That every lane carries a batch alike is in `batch.test.ts`.

  test("acts on the organization that it names, else on that of the header, else on the caller's", async () => {
    const { organizationId } = ground.world;
    const options = {
      lane,
      token: ground.service.adminToken,
      headers: { "x-service-orgid": other.organizationId },
    };
    const items = [{ organizationId, ...addProject() }, addProject()];
    const results = await ground.results(items, options);
    const [ownOne] = await ground.results([addProject()], { lane });
    const ownersOf = (all: readonly JsonObject[]) =>
      all.map(
        (_result, index) => (answerAt(all, index, "addProject")["details"] as JsonObject)["resourceOwner"],
      );
    expect(ownersOf([...results, ownOne ?? {}])).toEqual([
      organizationId,
      other.organizationId,
      organizationId,
    ]);
  });

  test("is refused where its caller may not act, whatever the items beside it", async () => {
    const before = await ground.tables();
    const { organizationId } = other;
    const foreign: readonly JsonObject[] = [
      { organizationId, ...addProject() },
      { organizationId, updateProject: { id: other.projectId, name: "Mine" } },
      { organizationId, removeIdentityProvider: { idpId: other.idpId } },
      { organizationId: "1", ...addProject() },
    ];
    expect((await ground.results(foreign, { lane })).map(endingOf)).toEqual(
      foreign.map(() => "PERMISSION_DENIED"),
    );
    const inherited = await ground.results([addProject()], {
      lane,
      headers: { "x-service-orgid": organizationId },
    });
    expect(inherited.map(endingOf)).toEqual(["PERMISSION_DENIED"]);
    for (const item of foreign)
      expect(infoOf(await ground.write([addProject(), item], { lane }))).toMatchObject({
        code: 7,
        reason: "PERMISSION_DENIED",
        metadata: { item: "1" },
      });
    expect(await ground.tables()).toEqual(before);
  });

  test("is refused what its caller may not do, and does not show what is elsewhere", async () => {
    const before = await ground.tables();
    const items: readonly JsonObject[] = [
      { addOrganization: { name: uniqueName("Organization") } },
      { updateProject: { id: other.projectId, name: "Mine" } },
      { lockUser: { userId: other.userId } },
      { addMembership: { userId: ground.world.owner.id, instance: true, roles: ["INSTANCE_OWNER"] } },
      {
        addMembership: {
          userId: ground.world.owner.id,
          organizationId: other.organizationId,
          roles: ["ORGANIZATION_OWNER"],
        },
      },
    ];
    expect((await ground.results(items, { lane })).map(endingOf)).toEqual([
      "PERMISSION_DENIED",
      "NOT_FOUND",
      "NOT_FOUND",
      "PERMISSION_DENIED",
      "PERMISSION_DENIED",
    ]);
    const stranger = { lane, token: ground.world.stranger.token };
    expect((await ground.results([addProject(), addUser()], stranger)).map(endingOf)).toEqual([
      "PERMISSION_DENIED",
      "PERMISSION_DENIED",
    ]);
    expect(await ground.tables()).toEqual(before);
  });
});

test("an item whose call reads no header does not care for the organization that it names", async () => {
  const { organizationId } = other;
  const user = await createServiceUser(ground.service, ground.world.organizationId);
  const results = await ground.results([
    { organizationId, lockUser: { userId: user.id } },
    { organizationId: "bulkId:nobody", unlockUser: { userId: user.id } },
  ]);
  expect(results.map(endingOf)).toEqual(["OK", "OK"]);
});

describe("what the caller may do is judged for each item on what those before it have changed:", () => {
  let caller: TestUser;
  let membershipId: string;
  let tokenId: string;
  beforeEach(async () => {
    const { service, world } = ground;
    caller = await createServiceUser(service, world.organizationId, "ORGANIZATION_OWNER");
    membershipId = await membershipIdOf(service, caller.id);
    const { personalAccessTokens } = await service.call(UserService.method.listPersonalAccessTokens, {
      userId: caller.id,
    });
    tokenId = (personalAccessTokens as JsonObject[])[0]?.["id"] as string;
  });

  const ways: readonly (readonly [string, string, () => JsonObject])[] = [
    ["their membership is removed", "PERMISSION_DENIED", () => ({ removeMembership: { membershipId } })],
    [
      "their role becomes a smaller one",
      "PERMISSION_DENIED",
      () => ({ updateMembership: { membershipId, roles: ["ORGANIZATION_VIEWER"] } }),
    ],
    [
      "their token is removed",
      "TOKEN_INVALID",
      () => ({ removePersonalAccessToken: { userId: caller.id, tokenId } }),
    ],
    ["they are locked", "TOKEN_INVALID", () => ({ lockUser: { userId: caller.id } })],
    ["they are deactivated", "TOKEN_INVALID", () => ({ deactivateUser: { userId: caller.id } })],
    ["they are removed", "TOKEN_INVALID", () => ({ removeUser: { userId: caller.id } })],
  ];

  test.each(ways)("once %s, the rest is %s", async (_what, reason, end) => {
    const ended = () => [
      addProject(),
      end(),
      addProject(),
      addUser(),
      { lockUser: { userId: ground.world.userId } },
    ];
    const before = await ground.tables();
    const whole = await ground.write(ended(), { token: caller.token });
    expect(infoOf(whole)).toMatchObject({ reason, metadata: { item: "2" } });
    expect(await ground.tables()).toEqual(before);
    answerOf(await ground.write([addProject()], { token: caller.token })); // all of it was undone

    const results = await ground.results(ended(), { token: caller.token });
    expect(results.map(endingOf)).toEqual(["OK", "OK", reason, reason, reason]);
    const [after] = [await ground.write([addProject()], { token: caller.token })];
    expect(refusalOf(after).reason).toBe(reason);
  });

  test("once their organization is deactivated, the rest is TOKEN_INVALID", async () => {
    const { service } = ground;
    const { organizationId, owner } = await createWorld(service);
    const items = [addProject(), { deactivateOrganization: { id: organizationId } }, addProject(), addUser()];
    const results = await ground.results(items, { token: owner.token });
    expect(results.map(endingOf)).toEqual(["OK", "OK", "TOKEN_INVALID", "TOKEN_INVALID"]);
  });

  test("a membership that an item gives is in force for the next one, also when it takes the place of another", async () => {
    const { organizationId, projectId } = ground.world;
    const results = await ground.results(
      [
        { addMembership: { userId: caller.id, projectId, roles: ["PROJECT_OWNER"] } },
        { removeMembership: { membershipId } },
        addProject(),
        { addProjectRole: { projectId, roleKey: "by-membership" } },
        addUser(),
      ],
      { token: caller.token, headers: { "x-service-orgid": organizationId } },
    );
    expect(results.map(endingOf)).toEqual(["OK", "OK", "PERMISSION_DENIED", "OK", "PERMISSION_DENIED"]);
  });

  test("an organization is there for its items once it is made, and not any more once it is removed", async () => {
    const results = await ground.results(
      [
        { bulkId: "o", addOrganization: { name: uniqueName("Organization") } },
        { organizationId: "bulkId:o", ...addProject() },
        { removeOrganization: { id: "bulkId:o" } },
        { organizationId: "bulkId:o", ...addProject() },
      ],
      { token: ground.service.adminToken },
    );
    expect(results.map(endingOf)).toEqual(["OK", "OK", "OK", "NOT_FOUND"]);
  });

  test("users of another organization are out of reach once they have no role there", async () => {
    const { service, world } = ground;
    const added = await service.call(MembershipService.method.addMembership, {
      userId: caller.id,
      scope: { case: "organizationId", value: other.organizationId },
      roles: ["ORGANIZATION_OWNER"],
    });
    const give: JsonObject = {
      addMembership: {
        userId: other.userId,
        organizationId: world.organizationId,
        roles: ["ORGANIZATION_VIEWER"],
      },
    };
    const remove: JsonObject = { removeMembership: { membershipId: idOf(added, "membershipId") } };
    expect((await ground.results([remove, give], { token: caller.token })).map(endingOf)).toEqual([
      "OK",
      "NOT_FOUND",
    ]);
  });

  test("an item that fails after one that took a role does not give it back", async () => {
    const results = await ground.results(
      [{ removeMembership: { membershipId } }, { updateProject: { id: "1", name: "n" } }, addProject()],
      { token: caller.token },
    );
    expect(results.map(endingOf)).toEqual(["OK", "PERMISSION_DENIED", "PERMISSION_DENIED"]);
  });
});

test("a batch needs a token, and no role", async () => {
  const nobody = await ground.write([addProject()], { token: "gatehouse_pat_1_x" });
  expect(refusalOf(nobody)).toMatchObject({ code: 16, reason: "TOKEN_INVALID" });
  const { stranger } = ground.world;
  const own: JsonObject = { addPersonalAccessToken: { userId: stranger.id } };
  expect((await ground.results([own], { token: stranger.token })).map(endingOf)).toEqual(["OK"]);
});

test("what is made by way of a batch is read by its organization alone", async () => {
  const results = await ground.results([addProject()]);
  const id = answerAt(results, 0, "addProject")["id"] as string;
  const elsewhere = await ground.service.clients.json.call(
    ProjectService.method.getProject,
    { id },
    { token: other.owner.token },
  );
  expect(refusalOf(elsewhere).reason).toBe("NOT_FOUND");
  answerOf(
    await ground.service.clients.json.call(
      ProjectService.method.getProject,
      { id },
      { token: ground.world.owner.token },
    ),
  );
  await createCaller(ground.service, ground.world.organizationId)(ProjectService.method.removeProject, {
    id,
  });
});
