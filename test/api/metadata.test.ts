// Metadata of users, organizations, projects, applications and groups (rule H1).
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { DescMethodUnary, JsonObject, MessageInitShape } from "@bufbuild/protobuf";
import { EventService } from "../../gen/gatehouse/v1/event_service_pb.ts";
import { MetadataService } from "../../gen/gatehouse/v1/metadata_service_pb.ts";
import { UserState } from "../../gen/gatehouse/v1/user_pb.ts";
import { UserService } from "../../gen/gatehouse/v1/user_service_pb.ts";
import { refusalOf, startService, type TestService } from "../support/service.ts";
import {
  createCaller,
  createHumanUser,
  createServiceUser,
  createWorld,
  type World,
} from "../support/world.ts";
import { createGroup } from "./support/tenancy-groups.ts";

const {
  setUserMetadata,
  bulkSetUserMetadata,
  getUserMetadata,
  listUserMetadata,
  removeUserMetadata,
  setOrganizationMetadata,
  listOrganizationMetadata,
  setGroupMetadata,
  listGroupMetadata,
} = MetadataService.method;

let service: TestService;
let world: World;
beforeAll(async () => {
  service = await startService();
  world = await createWorld(service);
});
afterAll(() => service.stop());

const text = (value: string) => Buffer.from(value);
const reasonOf = async <M extends DescMethodUnary>(
  method: M,
  request: MessageInitShape<M["input"]>,
  token = service.adminToken,
) => refusalOf(await service.clients.json.call(method, request, { token })).reason;
const keysOf = async (userId: string, token?: string, pageSize = 0) => {
  const listed = await service.call(listUserMetadata, { userId, pageSize }, token);
  return { keys: (listed["metadata"] as readonly JsonObject[]).map(({ key }) => key), listed };
};

describe("metadata", () => {
  test("are bytes that come back as they were, at most 10,240", async () => {
    const userId = await createHumanUser(service, world.organizationId);
    const value = Buffer.alloc(10_240, 0xff);
    await service.call(setUserMetadata, { userId, key: "bytes", value });
    const { metadata } = await service.call(getUserMetadata, { userId, key: "bytes" });
    expect((metadata as JsonObject)["value"]).toBe(value.toString("base64"));
    const longer = { userId, key: "bytes", value: Buffer.alloc(10_241) };
    expect(await reasonOf(setUserMetadata, longer)).toBe("FIELD_INVALID");
  });

  test("have up to 100 keys, all of a call or none; a key that is there may always get another value", async () => {
    const userId = await createHumanUser(service, world.organizationId);
    const items = (from: number, to: number) =>
      Array.from({ length: to - from }, (_, index) => ({ key: `k${from + index}`, value: text("1") }));
    await service.call(bulkSetUserMetadata, { userId, items: items(0, 99) });
    expect(await reasonOf(bulkSetUserMetadata, { userId, items: items(98, 101) })).toBe("LIMIT_REACHED");
    await service.call(bulkSetUserMetadata, { userId, items: items(98, 100) });
    expect(await reasonOf(setUserMetadata, { userId, key: "more", value: text("") })).toBe("LIMIT_REACHED");
    await service.call(setUserMetadata, { userId, key: "k7", value: text("2") });
    await service.call(removeUserMetadata, { userId, key: "k7" });
    await service.call(setUserMetadata, { userId, key: "more", value: text("") });
    expect(await reasonOf(bulkSetUserMetadata, { userId, items: [...items(0, 1), ...items(0, 1)] })).toBe(
      "FIELD_INVALID",
    );
  });

  test("are listed in the order in which they were set, page by page", async () => {
    const userId = await createHumanUser(service, world.organizationId);
    await service.call(setUserMetadata, { userId, key: "z", value: text("1") });
    const items = ["b", "_c", "a", "\u{1f600}", "\uffee"].map((key) => ({ key, value: text("1") }));
    await service.call(bulkSetUserMetadata, { userId, items });
    await service.call(setUserMetadata, { userId, key: "z", value: text("2") });
    const { keys } = await keysOf(userId);
    expect(keys).toEqual(["z", "_c", "a", "b", "\uffee", "\u{1f600}"]);
    const paged: unknown[] = [];
    let pageToken = "";
    do {
      const page = await service.call(listUserMetadata, { userId, pageSize: 2, pageToken });
      paged.push(...(page["metadata"] as readonly JsonObject[]).map(({ key }) => key));
      pageToken = page["nextPageToken"] as string; // the contract has it
    } while (pageToken !== "");
    expect(paged).toEqual(keys);
  });

  test("change their object, and a call that changes nothing does not", async () => {
    const userId = await createHumanUser(service, world.organizationId);
    const first = await service.call(setUserMetadata, { userId, key: "a", value: text("1") });
    const again = await service.call(setUserMetadata, { userId, key: "a", value: text("1") });
    expect(again).toEqual(first);
    const { user } = await service.call(UserService.method.getUser, { userId });
    const { sequence } = (user as JsonObject)["details"] as JsonObject;
    expect(sequence).toBe((first["details"] as JsonObject)["sequence"]);
    const ifMatch = (value: string) => ({ token: service.adminToken, headers: { "if-match": value } });
    const call = async (key: string, of: string) =>
      refusalOf(
        await service.clients.json.call(setUserMetadata, { userId, key, value: text("2") }, ifMatch(of)),
      ).reason;
    expect(await call("a", '"1"')).toBe("SEQUENCE_MISMATCH");
    expect(await call("b", "*")).toBe("NOT_FOUND");
  });

  test("of one object are not those of another", async () => {
    const inside = createCaller(service, world.organizationId);
    const groupId = await createGroup(service, world.organizationId);
    await inside(setGroupMetadata, { groupId, key: "cost-center", value: text("1") });
    await inside(setOrganizationMetadata, { id: world.organizationId, key: "plan", value: text("2") });
    const [ofGroup, ofOrganization] = [
      await inside(listGroupMetadata, { groupId }),
      await inside(listOrganizationMetadata, { id: world.organizationId }),
    ];
    expect(JSON.stringify(ofGroup)).not.toContain("plan");
    expect(JSON.stringify(ofOrganization)).not.toContain("cost-center");
  });
});

describe("users read their own metadata", () => {
  test("but for keys with an underscore, unless they hold user.read", async () => {
    const { id: userId, token } = await createServiceUser(service, world.organizationId);
    const items = ["_hidden", "shown"].map((key) => ({ key, value: text("1") }));
    await service.call(bulkSetUserMetadata, { userId, items });
    expect((await keysOf(userId, token)).keys).toEqual(["shown"]);
    await service.call(getUserMetadata, { userId, key: "shown" }, token);
    expect(await reasonOf(getUserMetadata, { userId, key: "_hidden" }, token)).toBe("NOT_FOUND");
    expect((await keysOf(userId, world.viewer.token)).keys).toEqual(["_hidden", "shown"]);
    const { id: viewer, token: viewing } = world.viewer;
    await service.call(setUserMetadata, { userId: viewer, key: "_hidden", value: text("1") });
    expect((await keysOf(viewer, viewing)).keys).toEqual(["_hidden"]);
  });

  test("and do not write them", async () => {
    const { id: userId, token } = await createServiceUser(service, world.organizationId);
    expect(await reasonOf(setUserMetadata, { userId, key: "shown", value: text("1") }, token)).toBe(
      "PERMISSION_DENIED",
    );
  });
});

describe("users are found by their metadata", () => {
  test("by a key and by its value, with other filters, in the order of the list and page by page", async () => {
    const inside = createCaller(service, world.organizationId);
    const key = "zq-shoe-size";
    const add = async (value: string | undefined) => {
      const userId = await createHumanUser(service, world.organizationId);
      if (value !== undefined) await inside(setUserMetadata, { userId, key, value: text(value) });
      return userId;
    };
    const [small, , large, other] = [await add("36"), await add(undefined), await add("44"), await add("36")];
    await service.call(setUserMetadata, { userId: other, key, value: text("44") });
    await service.call(setUserMetadata, { userId: other, key: "zq-second", value: text("36") });
    await service.call(UserService.method.deactivateUser, { userId: large });
    const elsewhere = await createHumanUser(service, (await createWorld(service)).organizationId);
    await service.call(setUserMetadata, { userId: elsewhere, key, value: text("44") });
    const find = async (filter: MessageInitShape<typeof UserService.method.listUsers.input>) => {
      const { users, details } = await inside(UserService.method.listUsers, { countTotal: true, ...filter });
      const ids = (users as readonly JsonObject[]).map(({ id }) => id);
      expect(Number((details as JsonObject)["totalResult"])).toBe(ids.length);
      return ids;
    };
    const isOf44 = { metadataKey: key, metadataValue: text("44") };
    expect(await find({ metadataKey: key })).toEqual([small, large, other]);
    expect(await find(isOf44)).toEqual([large, other]);
    expect(await find({ ...isOf44, state: UserState.ACTIVE })).toEqual([other]);
    expect(await find({ ...isOf44, state: UserState.INACTIVE })).toEqual([large]);
    expect(await find({ metadataKey: key, metadataValue: text("36") })).toEqual([small]);
    expect(await find({ metadataKey: "zq-second", metadataValue: text("44") })).toEqual([]);
    expect(await find({ metadataKey: "ZQ-SHOE-SIZE" })).toEqual([]);
    const { user } = await inside(UserService.method.getUser, { userId: other });
    const { username } = user as { readonly username: string };
    expect(await find({ ...isOf44, username })).toEqual([other]);
    expect(await find({ metadataKey: key, metadataValue: text("36"), username })).toEqual([]);
    expect(await find({ ...isOf44, search: other })).toEqual([other]);
    expect(await find({ metadataKey: "zq-second", search: small })).toEqual([]);
    const first = await inside(UserService.method.listUsers, { ...isOf44, pageSize: 1 });
    const next = { pageSize: 1, pageToken: first["nextPageToken"] as string };
    const second = await inside(UserService.method.listUsers, { ...isOf44, ...next });
    expect(
      [first, second].flatMap(({ users }) => (users as readonly JsonObject[]).map(({ id }) => id)),
    ).toEqual([large, other]);
    expect(await reasonOf(UserService.method.listUsers, { metadataKey: key, ...next })).toBe(
      "PAGE_TOKEN_INVALID",
    );
    await service.call(UserService.method.reactivateUser, { userId: large });
    await service.call(removeUserMetadata, { userId: other, key });
    expect(await find({ metadataKey: key, state: UserState.ACTIVE })).toEqual([small, large]);
  });

  test("not by a value without its key", async () => {
    expect(await reasonOf(UserService.method.listUsers, { metadataValue: text("44") })).toBe("FIELD_INVALID");
  });
});

test("what is known of a removed user by metadata is nowhere any more, and stands in no event", async () => {
  const userId = await createHumanUser(service, world.organizationId);
  const [key, value] = ["zq9-metadata-key", "zq9-metadata-value"];
  await service.call(bulkSetUserMetadata, {
    userId,
    items: [
      { key, value: text(value) },
      { key: "b", value: text(value) },
    ],
  });
  await service.call(removeUserMetadata, { userId, key });
  await service.call(UserService.method.removeUser, { userId });
  const { events } = await createCaller(service, world.organizationId)(EventService.method.listEvents, {
    aggregateId: userId,
  });
  const shown = JSON.stringify(events);
  expect(shown).toContain("user.metadata.set");
  expect(shown).not.toContain(key);
  expect(shown).not.toContain(text(value).toString("base64"));
  const rows = await service.place.raw.peek("SELECT count(*) AS count FROM metadata WHERE object_id = ?", [
    userId,
  ]);
  expect(rows).toEqual([{ count: 0 }]);
});
