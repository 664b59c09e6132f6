import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import type { JsonObject } from "@bufbuild/protobuf";
import { MembershipService } from "../../../gen/gatehouse/v1/membership_service_pb.ts";
import { ProjectService } from "../../../gen/gatehouse/v1/project_service_pb.ts";
import { UserService } from "../../../gen/gatehouse/v1/user_service_pb.ts";
import { type Lane, lanes, type Outcome } from "../../support/clients.ts";
import { answerOf, refusalOf } from "../../support/service.ts";
import { sized } from "../../support/size.ts";
import {
  createCaller,
  createProject,
  createServiceUser,
  createWorld,
  idOf,
  membershipIdOf,
  type TestUser,
  uniqueName,
  type World,
} from "../../support/world.ts";
import { type Pair, type Process, startPair } from "./support/pair.ts";

// What one process has answered, the other one knows at the next call.

let pair: Pair;
let world: World;
let user: TestUser;

beforeAll(async () => {
  pair = await startPair();
  world = await createWorld(pair.one);
});
afterAll(() => pair.close());
beforeEach(async () => {
  user = await createServiceUser(pair.one, world.organizationId, "ORGANIZATION_OWNER");
});

const get = (process: Process, lane: Lane, token = user.token): Promise<Outcome> =>
  process.clients[lane].call(ProjectService.method.getProject, { id: world.projectId }, { token });
const change = (process: Process, lane: Lane, token = user.token): Promise<Outcome> =>
  process.clients[lane].call(
    ProjectService.method.updateProject,
    { id: world.projectId, name: uniqueName("Project") },
    { token },
  );

const kinds = [
  ["a read", get],
  ["a change", change],
] as const;
const cases = sized<readonly Lane[]>({ small: ["json", "grpc"], full: lanes }).flatMap((lane) =>
  kinds.map(([kind, make]) => [kind, lane, make] as const),
);

describe.each(cases)("%s over %s", (_kind, lane, make) => {
  test("is refused when the other process has removed its token", async () => {
    for (let round = 0; round < 2; round++) {
      const token = await pair.one.call(UserService.method.addPersonalAccessToken, {
        userId: user.id,
      });
      const made = idOf(token, "token");
      answerOf(await make(pair.other, lane, made)); // at once, where it was not made
      for (const process of [pair.one, pair.other]) answerOf(await make(process, lane, made));
      await pair.one.call(UserService.method.removePersonalAccessToken, {
        userId: user.id,
        tokenId: idOf(token, "tokenId"),
      });
      expect(refusalOf(await make(pair.other, lane, made)).reason).toBe("TOKEN_INVALID");
      expect(refusalOf(await make(pair.one, lane, made)).reason).toBe("TOKEN_INVALID");
    }
  });

  test("is refused while the user has no role, and made as soon as the other process has given one", async () => {
    for (let round = 0; round < 2; round++) answerOf(await make(pair.other, lane)); // the second knows from the first
    const id = await membershipIdOf(pair.one, user.id);
    await pair.one.call(MembershipService.method.removeMembership, { membershipId: id });
    expect(refusalOf(await make(pair.other, lane)).reason).toBe("PERMISSION_DENIED");
    const scope = { case: "projectId", value: world.projectId } as const;
    await pair.one.call(MembershipService.method.addMembership, {
      userId: user.id,
      scope,
      roles: ["PROJECT_OWNER"],
    });
    answerOf(await make(pair.other, lane));
  });

  test("is refused when the other process has deactivated the user", async () => {
    for (let round = 0; round < 2; round++) answerOf(await make(pair.other, lane));
    await pair.one.call(UserService.method.deactivateUser, { userId: user.id });
    expect(refusalOf(await make(pair.other, lane)).reason).toBe("TOKEN_INVALID");
  });
});

test("a caller is told the permissions that the other process has just given or taken away", async () => {
  const { getMyPermissions, addMembership, removeMembership } = MembershipService.method;
  const scope = { case: "projectId", value: world.projectId } as const;
  const ask = async (process: Process) =>
    answerOf(await process.clients.json.call(getMyPermissions, {}, { token: user.token }))["scopes"];
  for (const [here, there] of [
    [pair.one, pair.other],
    [pair.other, pair.one],
  ] as const) {
    expect(await ask(there)).toMatchObject([{ organizationId: world.organizationId }]);
    const given = { userId: user.id, scope, roles: ["PROJECT_VIEWER"] };
    const membershipId = idOf(await here.call(addMembership, given), "membershipId");
    expect(await ask(there)).toMatchObject([{}, { projectId: world.projectId }]);
    await here.call(removeMembership, { membershipId });
    expect(await ask(there)).toHaveLength(1);
  }
});

test("an object is there for the other process as soon as it is answered", async () => {
  for (let round = 0; round < 10; round++) {
    const [here, there] = round % 2 === 0 ? [pair.one, pair.other] : [pair.other, pair.one];
    const id = await createProject(here, world.organizationId);
    const inside = createCaller(there, world.organizationId);
    expect(await inside(ProjectService.method.getProject, { id })).toMatchObject({ project: { id } });
    await inside(ProjectService.method.removeProject, { id });
    const gone = await here.clients.json.call(
      ProjectService.method.getProject,
      { id },
      { token: here.adminToken, headers: { "x-service-orgid": world.organizationId } },
    );
    expect(refusalOf(gone).reason).toBe("NOT_FOUND");
  }
});

test("of two changes that exclude each other one is made", async () => {
  for (let round = 0; round < 10; round++) {
    const name = uniqueName("Contested");
    const add = (process: Process) =>
      process.clients.json.call(ProjectService.method.addProject, { name }, { token: user.token });
    const outcomes = await Promise.all([add(pair.one), add(pair.other)]);
    const refused = outcomes.filter(({ kind }) => kind === "error");
    expect(refused.map((outcome) => refusalOf(outcome).reason)).toEqual(["ALREADY_EXISTS"]);
  }
});

test("of two same calls with one idempotency key one is made, and the other is answered with it", async () => {
  for (let round = 0; round < 10; round++) {
    const name = uniqueName("Keyed");
    const options = { token: user.token, headers: { "idempotency-key": name } };
    const add = async (process: Process): Promise<JsonObject> =>
      answerOf(await process.clients.json.call(ProjectService.method.addProject, { name }, options));
    const [first, second] = await Promise.all([add(pair.one), add(pair.other)]);
    expect(idOf(first, "id")).toBe(idOf(second, "id"));
  }
});
