import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { DescMethodUnary, JsonObject, MessageInitShape } from "@bufbuild/protobuf";
import { MembershipService } from "../../gen/gatehouse/v1/membership_service_pb.ts";
import { OrganizationService } from "../../gen/gatehouse/v1/organization_service_pb.ts";
import { UserService } from "../../gen/gatehouse/v1/user_service_pb.ts";
import { type CallOptions, type Lane, lanes } from "../support/clients.ts";
import { answerOf, refusalOf, startService, type TestService } from "../support/service.ts";
import {
  createServiceUser,
  createWorld,
  idOf,
  type TestUser,
  uniqueName,
  type World,
} from "../support/world.ts";
import { errorInfo, resourceInfo, statusOf } from "./support/lanes.ts";

const {
  addOrganization,
  getOrganization,
  listOrganizations,
  updateOrganization,
  deactivateOrganization,
  reactivateOrganization,
  removeOrganization,
} = OrganizationService.method;

let service: TestService;
/** An organization whose users administer others. */
let office: World;

beforeAll(async () => {
  service = await startService();
  office = await createWorld(service);
});

afterAll(() => service.stop());

/** Adds an organization that is governed by a user of the office, and returns its id with them. */
async function addGoverned() {
  const name = uniqueName("Organization");
  const id = idOf(await service.call(addOrganization, { name }), "organizationId");
  const owner = await createServiceUser(service, office.organizationId);
  await give(owner.id, id, "ORGANIZATION_OWNER");
  return { id, name, owner };
}

async function give(userId: string, organizationId: string, role: string): Promise<void> {
  const scope = { case: "organizationId" as const, value: organizationId };
  await service.call(MembershipService.method.addMembership, { userId, scope, roles: [role] });
}

/** Returns a function that calls over the lane as that user, with a header that must not matter. */
function callerOn(lane: Lane, { token }: Pick<TestUser, "token">) {
  const options: CallOptions = { token, headers: { "x-service-orgid": office.organizationId } };
  return <M extends DescMethodUnary>(method: M, request: MessageInitShape<M["input"]>) =>
    service.clients[lane].call(method, request, options);
}

const other = (lane: Lane): Lane => lanes[(lanes.indexOf(lane) + 1) % lanes.length] ?? lane;
const detailsOf = (answer: JsonObject) => answer["details"] as JsonObject;
const sequenceOf = (answer: JsonObject) => BigInt(idOf(detailsOf(answer), "sequence"));

async function read(lane: Lane, id: string): Promise<JsonObject> {
  const answer = answerOf(
    await service.clients[lane].call(getOrganization, { id }, { token: service.adminToken }),
  );
  return answer["organization"] as JsonObject;
}

describe("over REST", () => {
  const lane = "rest";
  test("an organization is read as it was added", async () => {
    const { id, name, owner } = await addGoverned();
    const { organization } = answerOf(await callerOn(lane, owner)(getOrganization, { id }));
    const { details, ...rest } = organization as JsonObject;
    expect(rest).toEqual({ id, name, state: "ORGANIZATION_STATE_ACTIVE" });
    const { sequence, creationDate, changeDate, resourceOwner } = details as JsonObject;
    expect([typeof sequence, creationDate, resourceOwner]).toEqual(["string", changeDate, id]);
  });

  test("those that the caller may read are listed, page by page", async () => {
    const { id, name, owner } = await addGoverned();
    const second = await addGoverned();
    await give(owner.id, second.id, "ORGANIZATION_VIEWER");
    const call = callerOn(lane, owner);
    const idsOf = (answer: JsonObject) => (answer["organizations"] as JsonObject[]).map((each) => each["id"]);
    const first = answerOf(await call(listOrganizations, { pageSize: 1, countTotal: true }));
    expect(idsOf(first)).toEqual([id]);
    expect(detailsOf(first)).toMatchObject({ totalResult: "2" });
    expect(BigInt(idOf(detailsOf(first), "processedSequence"))).toBeGreaterThan(0n);
    expect(Date.parse(idOf(detailsOf(first), "viewTimestamp"))).toBe(service.clock.nowMs());
    const pageToken = idOf(first, "nextPageToken");
    const next = answerOf(await call(listOrganizations, { pageSize: 1, pageToken }));
    expect([idsOf(next), next["nextPageToken"]]).toEqual([[second.id], ""]);
    const named = answerOf(await call(listOrganizations, { name: ` ${name.toUpperCase()} ` }));
    expect(idsOf(named)).toEqual([id]);
    expect((named["organizations"] as JsonObject[])[0]).toEqual(await read(other(lane), id));
    expect(refusalOf(await call(listOrganizations, { pageToken, name })).reason).toBe("PAGE_TOKEN_INVALID");
    const elsewhere = callerOn(lane, { token: service.adminToken });
    expect(refusalOf(await elsewhere(listOrganizations, { pageToken })).reason).toBe("PAGE_TOKEN_INVALID");
  });

  test("it gets another name, which is read at once; the same name again changes nothing", async () => {
    const { id, owner } = await addGoverned();
    const before = await read(lane, id);
    const name = uniqueName("Renamed");
    const call = callerOn(lane, owner);
    const answer = answerOf(await call(updateOrganization, { id, name }));
    expect(await read(other(lane), id)).toEqual({ ...before, name, details: answer["details"] });
    expect(detailsOf(answer)["creationDate"]).toEqual((before["details"] as JsonObject)["creationDate"]);
    service.clock.turn(1000);
    expect(answerOf(await call(updateOrganization, { id, name }))).toEqual(answer);
  });

  test("a name that is taken or blank is refused", async () => {
    const { id, owner } = await addGoverned();
    const taken = await addGoverned();
    const call = callerOn(lane, owner);
    expect(refusalOf(await call(updateOrganization, { id, name: taken.name.toUpperCase() }))).toMatchObject({
      reason: "ALREADY_EXISTS",
      resource: "organization",
    });
    for (const name of ["", "   ", "a\nb", "x".repeat(201)])
      expect(refusalOf(await call(updateOrganization, { id, name }))).toMatchObject({
        reason: "FIELD_INVALID",
        fields: ["name"],
      });
  });

  test("it is stopped and started again; its users are out and in at once, on another lane", async () => {
    const { id, owner } = await addGoverned();
    const user = await createServiceUser(service, id);
    const enter = async () => {
      const { getMyUser } = UserService.method;
      const outcome = await service.clients[other(lane)].call(getMyUser, {}, { token: user.token });
      return outcome.kind === "answer" ? "in" : refusalOf(outcome).reason;
    };
    const call = callerOn(lane, owner);
    expect(await enter()).toBe("in");
    const stopped = answerOf(await call(deactivateOrganization, { id }));
    expect(await enter()).toBe("TOKEN_INVALID");
    expect(answerOf(await call(deactivateOrganization, { id }))).toEqual(stopped);
    expect(await read(other(lane), id)).toMatchObject({
      state: "ORGANIZATION_STATE_INACTIVE",
      details: stopped["details"],
    });
    const started = answerOf(await call(reactivateOrganization, { id }));
    expect(await enter()).toBe("in");
    expect(answerOf(await call(reactivateOrganization, { id }))).toEqual(started);
    expect(sequenceOf(started)).toBeGreaterThan(sequenceOf(stopped));
    expect(await read(other(lane), id)).toMatchObject({
      state: "ORGANIZATION_STATE_ACTIVE",
      details: started["details"],
    });
  });

  test("it is removed, and its name is free", async () => {
    const { id, name, owner } = await addGoverned();
    const before = await read(lane, id);
    const call = callerOn(lane, owner);
    const answer = answerOf(await call(removeOrganization, { id }));
    expect(sequenceOf(answer)).toBeGreaterThan(sequenceOf(before));
    expect(detailsOf(answer)).toMatchObject({
      resourceOwner: id,
      creationDate: (before["details"] as JsonObject)["creationDate"],
    });
    const admin = callerOn(other(lane), { token: service.adminToken });
    for (const method of [
      getOrganization,
      removeOrganization,
      deactivateOrganization,
      reactivateOrganization,
    ])
      expect(refusalOf(await admin(method, { id }))).toMatchObject({
        reason: "NOT_FOUND",
        resource: "organization",
      });
    // Their membership went with it.
    expect(refusalOf(await call(removeOrganization, { id })).reason).toBe("PERMISSION_DENIED");
    const listed = answerOf(await admin(listOrganizations, { name, countTotal: true }));
    expect([listed["organizations"], detailsOf(listed)["totalResult"]]).toEqual([[], "0"]);
    expect(idOf(await service.call(addOrganization, { name }), "organizationId")).not.toBe(id);
  });

  test("whoever lacks the permission is denied, whether the organization exists or not", async () => {
    const { id } = await addGoverned();
    const absent = "900000000000000001";
    const requests = [
      [getOrganization, "organization.read"],
      [updateOrganization, "organization.write"],
      [deactivateOrganization, "organization.write"],
      [reactivateOrganization, "organization.write"],
      [removeOrganization, "organization.write"],
    ] as const;
    const call = callerOn(lane, office.owner);
    for (const [method, permission] of requests) {
      const ask = async (organizationId: string) =>
        statusOf(await call(method, { id: organizationId, name: uniqueName("Name") }));
      const foreign = await ask(id);
      expect(foreign).toMatchObject({ code: 7 });
      expect(foreign.details).toEqual([errorInfo("PERMISSION_DENIED", { permission, organization_id: id })]);
      expect(JSON.stringify(await ask(absent))).toBe(JSON.stringify(foreign).replaceAll(id, absent));
    }
  });

  test("a list is denied to whom may read no organization at all, naming their own", async () => {
    const outcome = await callerOn(lane, office.stranger)(listOrganizations, {});
    expect(statusOf(outcome)).toMatchObject({
      code: 7,
      details: [
        errorInfo("PERMISSION_DENIED", {
          permission: "organization.read",
          organization_id: office.organizationId,
        }),
      ],
    });
  });

  test("one that never existed is not found by whom holds the permission instance-wide", async () => {
    const call = callerOn(lane, { token: service.adminToken });
    for (const method of [
      getOrganization,
      updateOrganization,
      deactivateOrganization,
      reactivateOrganization,
      removeOrganization,
    ]) {
      const status = statusOf(await call(method, { id: "4711", name: uniqueName("Name") }));
      expect(status.code).toBe(5);
      expect(status.details).toContainEqual(resourceInfo("organization", "4711", status.message));
    }
  });

  test("it is not touched by its owner while a user of it owns the instance, which the denial names; whatever else they hold does not matter", async () => {
    const { id, owner } = await addGoverned();
    const user = await createServiceUser(service, id);
    await give(user.id, office.organizationId, "ORGANIZATION_OWNER");
    const scope = { case: "instance" as const, value: true };
    const asked = { userId: user.id, scope, roles: ["INSTANCE_OWNER"] };
    const added = await service.call(MembershipService.method.addMembership, asked);
    const call = callerOn(lane, owner);
    const methods = [deactivateOrganization, reactivateOrganization, removeOrganization];
    for (const method of methods) {
      expect(statusOf(await call(method, { id })).details).toEqual([
        errorInfo("PERMISSION_DENIED", { permission: "organization.create" }),
      ]);
    }
    expect(await read(lane, id)).toMatchObject({ state: "ORGANIZATION_STATE_ACTIVE" });
    const membershipId = idOf(added, "membershipId");
    await service.call(MembershipService.method.updateMembership, {
      membershipId,
      roles: ["INSTANCE_VIEWER"],
    });
    answerOf(await call(removeOrganization, { id }));
  });

  test("the one with the last owner of the instance stays", async () => {
    const call = callerOn(lane, { token: service.adminToken });
    const { user } = answerOf(await call(UserService.method.getMyUser, {}));
    const id = idOf((user as JsonObject)["details"] as JsonObject, "resourceOwner");
    for (const method of [deactivateOrganization, removeOrganization])
      expect(statusOf(await call(method, { id }))).toMatchObject({
        code: 9,
        details: [{ reason: "LAST_INSTANCE_OWNER" }],
      });
    expect(await read(lane, id)).toMatchObject({ state: "ORGANIZATION_STATE_ACTIVE" });
  });
});
