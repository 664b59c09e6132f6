import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { JsonObject } from "@bufbuild/protobuf";
import { WriteItemSchema } from "../../gen/gatehouse/v1/batch_service_pb.ts";
import { Effect, effect } from "../../gen/gatehouse/v1/effect_pb.ts";
import { EventService } from "../../gen/gatehouse/v1/event_service_pb.ts";
import { OrganizationService } from "../../gen/gatehouse/v1/organization_service_pb.ts";
import { ProjectService } from "../../gen/gatehouse/v1/project_service_pb.ts";
import { getOption } from "@bufbuild/protobuf";
import { inBatches, itemFieldOf, resultsOf } from "../support/batch.ts";
import { lanes } from "../support/clients.ts";
import { listMethods } from "../support/methods.ts";
import { answerOf, refusalOf } from "../support/service.ts";
import { createCaller, idOf, uniqueName } from "../support/world.ts";
import { answerAt, type BatchGround, endingOf, infoOf, startBatchGround } from "./support/batch-ground.ts";
import { statusOf } from "./support/lanes.ts";
import { sized } from "../support/size.ts";

let ground: BatchGround;
beforeAll(async () => {
  ground = await startBatchGround();
});
afterAll(() => ground.service.stop());

const addProject = (name = uniqueName("Project")): JsonObject => ({ addProject: { name } });
const removeNothing: JsonObject = { removeProject: { id: "1" } };

function addHuman(): JsonObject {
  const person = {
    givenName: "Ada",
    familyName: "Lovelace",
    email: "ada@example.com",
    phone: "+41781234567",
  };
  return { addHumanUser: { username: uniqueName("human"), ...person } };
}

/** As many items as a batch may have: users, projects and roles, and one last one. */
function manyItems(last: JsonObject): readonly JsonObject[] {
  const others = Array.from({ length: 999 }, (_each, index): JsonObject => {
    if (index === 0) return { bulkId: "first", ...addProject() };
    if (index % 3 === 0) return addProject();
    if (index % 3 === 1) return { addProjectRole: { projectId: "bulkId:first", roleKey: `role-${index}` } };
    return index === 2 ? addHuman() : addProject();
  });
  return [...others, last];
}

describe.each(sized({ small: lanes.slice(0, 1), full: [...lanes] }))(
  "over %s, a batch of all or nothing",
  (lane) => {
    test("names the fields of the item that breaks a rule", async () => {
      const before = await ground.tables();
      const outcome = await ground.write([addProject(), addProject(), addProject(), addProject("")], {
        lane,
      });
      expect(refusalOf(outcome)).toMatchObject({
        code: 3,
        reason: "FIELD_INVALID",
        fields: ["items[3].add_project.name"],
      });
      expect(infoOf(outcome)).toMatchObject({ metadata: { item: "3" } });
      expect(await ground.tables()).toEqual(before);
    });

    test("does all 1,000 in their order", async () => {
      const last = uniqueName("The last");
      const results = resultsOf(await ground.write(manyItems(addProject(last)), { lane }));
      expect(results.map((result) => Object.keys(result))).toEqual(
        manyItems(addProject()).map((item) => Object.keys(item).filter((name) => name !== "bulkId")),
      );
      const added = results.flatMap(({ addProject: one }) => (one === undefined ? [] : [one as JsonObject]));
      const sequences = added.map((one) => Number((one["details"] as JsonObject)["sequence"]));
      expect(sequences).toEqual([...new Set(sequences)].toSorted((one, other) => one - other));
      const { project } = await createCaller(ground.service, ground.world.organizationId)(
        ProjectService.method.getProject,
        { id: idOf(added.at(-1) ?? {}, "id") },
      );
      expect(project).toMatchObject({ name: last });
    });
  },
);

describe.each(sized({ small: lanes.slice(0, 1), full: [...lanes] }))(
  "over %s, a batch of each for itself",
  (lane) => {
    test("answers each item in its place: what it did, or why it failed as its call would have", async () => {
      const { projectId } = ground.world;
      const failing: readonly JsonObject[] = [
        removeNothing,
        addProject(""),
        { addProjectRole: { projectId, roleKey: "reader" } },
        { addMembership: { userId: "1", instance: true, roles: ["INSTANCE_OWNER"] } },
        { ifMatch: '"1"', updateProject: { id: projectId, name: "Other" } },
      ];
      const before = await ground.tables();
      const alone = await ground.results(failing, { lane });
      expect(alone.map(endingOf)).toEqual([
        "NOT_FOUND",
        "FIELD_INVALID",
        "ALREADY_EXISTS",
        "PERMISSION_DENIED",
        "SEQUENCE_MISMATCH",
      ]);
      expect(await ground.tables()).toEqual(before);

      const name = uniqueName("Between");
      const mixed = failing.flatMap((item, index) => [item, addProject(`${name} ${index}`)]);
      const results = await ground.results(mixed, { lane });
      expect(results.filter((_result, index) => index % 2 === 0)).toEqual(alone);
      const added = await Promise.all(
        failing.map((_item, index) =>
          createCaller(ground.service, ground.world.organizationId)(ProjectService.method.getProject, {
            id: idOf(answerAt(results, 2 * index + 1, "addProject"), "id"),
          }),
        ),
      );
      expect(added.map(({ project }) => (project as JsonObject)["name"])).toEqual(
        failing.map((_item, index) => `${name} ${index}`),
      );
    });

    test("answers a single item as its call, but for the time", async () => {
      const call = ground.service.clients[lane];
      const options = { token: ground.world.owner.token };
      const request = { name: uniqueName("In a batch") };
      const inBatch = answerOf(
        await inBatches(call).call(ProjectService.method.addProject, request, options),
      );
      const alone = answerOf(
        await call.call(ProjectService.method.addProject, { name: uniqueName("Alone") }, options),
      );
      expect(Object.keys(inBatch)).toEqual(Object.keys(alone));
      const refused = await inBatches(call).call(ProjectService.method.removeProject, { id: "1" }, options);
      const refusedAlone = await call.call(ProjectService.method.removeProject, { id: "1" }, options);
      expect(statusOf(refused)).toEqual(statusOf(refusedAlone));
    });
  },
);

describe("a batch", () => {
  test("of all or nothing leaves nothing of 999 items when the 1,000th fails, and says which failed", async () => {
    const before = await ground.tables();
    const outcome = await ground.write(manyItems(removeNothing), { lane: "grpc" });
    expect(infoOf(outcome)).toMatchObject({ code: 5, reason: "NOT_FOUND", metadata: { item: "999" } });
    expect(statusOf(outcome).message).toMatch(/^items\[999\]\.remove_project: /);
    expect(await ground.tables()).toEqual(before);
  });

  test("has 1 to 1,000 items", async () => {
    const before = await ground.tables();
    for (const allowPartialSuccess of [false, true]) {
      const none = await ground.write([], { allowPartialSuccess });
      expect(refusalOf(none)).toMatchObject({ reason: "FIELD_INVALID", fields: ["items"] });
      const tooMany = await ground.write([...manyItems(addProject()), addProject()], { allowPartialSuccess });
      expect(refusalOf(tooMany)).toMatchObject({ reason: "FIELD_INVALID", fields: ["items"] });
    }
    expect(await ground.tables()).toEqual(before);
    expect(resultsOf(await ground.write([addProject()]))).toHaveLength(1);
  });

  test.each([
    ["all or nothing", false],
    ["each for itself, between others that fail", true],
  ])("leaves events that each know the address they came from, done %s", async (_how, isPartial) => {
    const name = uniqueName("From here");
    const adding = [0, 1, 2].map((index) => addProject(`${name} ${index}`));
    const items = isPartial ? adding.flatMap((item) => [removeNothing, item]) : adding;
    const results = resultsOf(await ground.write(items, { allowPartialSuccess: isPartial }));
    const inside = createCaller(ground.service, ground.world.organizationId);
    const shown: unknown[] = [];
    for (const { addProject: added } of results) {
      if (added === undefined) continue;
      const aggregateId = idOf(added as JsonObject, "id");
      const { events } = await inside(EventService.method.listEvents, { aggregateId });
      shown.push(...(events as readonly JsonObject[]).map((event) => event["remoteAddress"]));
    }
    expect(shown).toEqual(["127.0.0.1", "127.0.0.1", "127.0.0.1"]);
  });

  test("takes hashes whose cost nobody has measured yet, from those who may set any", async () => {
    // The cost is not measured for anybody else.
    const person = { givenName: "Ada", familyName: "Byron", email: "ada@example.com" };
    const add = (cost: string): JsonObject => ({
      bulkId: "ada",
      addHumanUser: {
        ...person,
        username: uniqueName("hash"),
        passwordHash: `$2b$${cost}$${"a".repeat(53)}`,
      },
    });
    const set = (cost: string): JsonObject => ({
      setPasswordHash: { userId: "bulkId:ada", encodedHash: `$2b$${cost}$${"a".repeat(53)}` },
    });
    const { adminToken: token } = ground.service;
    const headers = { "x-service-orgid": ground.world.organizationId };
    const results = await ground.results([add("04"), set("05")], { token, headers });
    expect(results.map(endingOf)).toEqual(["OK", "OK"]);
    expect((await ground.results([add("06")])).map(endingOf)).toEqual(["PERMISSION_DENIED"]);
  });

  test("whose item has no request is refused as a whole", async () => {
    const before = await ground.tables();
    for (const allowPartialSuccess of [false, true]) {
      const outcome = await ground.write([addProject(), { bulkId: "x" }], { allowPartialSuccess });
      expect(refusalOf(outcome)).toMatchObject({ reason: "FIELD_INVALID", fields: ["items[1].request"] });
    }
    expect(await ground.tables()).toEqual(before);
  });

  test("holds every call that changes something, but for those about codes, passwords and factors, those that make keys, and itself", async () => {
    const changing = (await listMethods()).filter((method) => getOption(method, effect) !== Effect.READ);
    const left = changing.filter((method) => itemFieldOf(method) === undefined).map(({ name }) => name);
    expect(left.toSorted()).toEqual([
      "AddApplicationKey", // making a key takes longer than other changes may wait
      "AddIdpLink", // what people log in with has calls of its own
      "AddServiceUserKey", // as AddApplicationKey
      "GenerateRecoveryCodes",
      "Redeliver", // sends, and changes nothing
      "RegisterPasskey",
      "RegisterTotp",
      "RegisterU2f",
      "RemoveCodeFactor",
      "RemoveIdpLink",
      "RemoveRecoveryCodes",
      "RemoveRefreshToken", // what people do at browsers is ended by calls of its own, as are the next ones
      "RemoveTotp",
      "RequestPasswordReset",
      "ResendEmailCode",
      "ResendInvitation",
      "ResendPhoneCode",
      "RotateSigningKeys", // made once
      "SetEmail",
      "SetPassword",
      "SetPhone",
      "TerminateSession",
      "TerminateUserSessions",
      "VerifyEmail",
      "VerifyPasskey",
      "VerifyPhone",
      "VerifyTotp",
      "VerifyU2f",
      "Write",
    ]);
    const requests = WriteItemSchema.oneofs.flatMap(({ fields }) => fields);
    expect(requests.length).toBe(changing.length - left.length);
  });

  test("does what its items do, in the order of the log", async () => {
    const { service } = ground;
    const name = uniqueName("Organization");
    const results = resultsOf(
      await ground.write(
        [
          { bulkId: "o", addOrganization: { name } },
          { deactivateOrganization: { id: "bulkId:o" } },
          { reactivateOrganization: { id: "bulkId:o" } },
        ],
        { token: service.adminToken },
      ),
    );
    const sequences = results.map((result) =>
      BigInt(((Object.values(result)[0] as JsonObject)["details"] as JsonObject)["sequence"] as string),
    );
    expect(sequences).toEqual(sequences.toSorted((one, other) => Number(one - other)));
    expect(new Set(sequences).size).toBe(3);
    const id = idOf(answerAt(results, 0, "addOrganization"), "organizationId");
    const { organization } = await service.call(OrganizationService.method.getOrganization, { id });
    expect(organization).toMatchObject({ name, state: "ORGANIZATION_STATE_ACTIVE" });
  });
});
