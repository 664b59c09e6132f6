import { afterAll, expect, it } from "@jest/globals";
import { GroupService } from "../../../gen/gatehouse/v1/group_service_pb.ts";
import { startService } from "../../support/service.ts";
import { createCaller, createHumanUser, uniqueName } from "../../support/world.ts";
import { createDirectory } from "./support/scim.ts";

const service = await startService();
const directory = await createDirectory(service);
const inside = createCaller(service, directory.organizationId);
const [ada, bob, eve] = [await directory.addUser(), await directory.addUser(), await directory.addUser()];
afterAll(() => service.stop());

const schemas = ["urn:ietf:params:scim:schemas:core:2.0:Group"];

async function addGroup(more: Readonly<Record<string, unknown>> = {}) {
  return await directory.send("POST", "/Groups", { schemas, displayName: uniqueName("Team"), ...more });
}

const patch = (id: string, ...Operations: readonly unknown[]) =>
  directory.send("PATCH", `/Groups/${id}`, { Operations });

async function membersOf(id: string) {
  const { body } = await directory.send("GET", `/Groups/${id}`);
  return ((body["members"] ?? []) as { readonly value: string }[]).map(({ value }) => value).toSorted();
}

it("adds a group whose members only the directory changes", async () => {
  const { status, body } = await addGroup({ externalId: "g-1", members: [{ value: ada }] });
  expect(status).toBe(201);
  expect(body["members"]).toEqual([
    { value: ada, $ref: expect.stringMatching(`/Users/${ada}$`), type: "User" },
  ]);
  const { group } = await inside(GroupService.method.getGroup, { id: body.id });
  expect(group).toMatchObject({ externalId: "g-1", sourceUserId: directory.userId });
  await expect(
    inside(GroupService.method.addGroupMembers, { groupId: body.id, userIds: [bob] }),
  ).rejects.toThrow(/PERMISSION_DENIED/);
  const { body: user } = await directory.send("GET", `/Users/${ada}`);
  expect(user["groups"]).toEqual([expect.objectContaining({ value: body.id, type: "direct" })]);
  expect((await addGroup({ externalId: "g-1" })).body.scimType).toBe("uniqueness");
  const idsOf = async (asked: Readonly<Record<string, string>>) => {
    const { groups = [] } = await inside(GroupService.method.listGroups, asked);
    return (groups as { readonly id: string }[]).map(({ id }) => id);
  };
  const here = await inside(GroupService.method.addGroup, { name: uniqueName("Of no directory") });
  const sourceUserId = directory.userId;
  expect(await idsOf({ sourceUserId })).toEqual([body.id]);
  expect(await idsOf({ sourceUserId, search: "g-1" })).toEqual([body.id]);
  expect(await idsOf({ sourceUserId: ada })).toEqual([]);
  expect(await idsOf({})).toContain(here["id"]);
});

it("takes the changes of Microsoft Entra and Okta", async () => {
  const { body } = await addGroup({ externalId: "g-2", members: [{ value: ada }] });
  const { id } = body;
  const added = await patch(id, { op: "Add", path: "members", value: [{ value: bob }, { value: eve }] });
  expect([added.status, added.body]).toEqual([204, {}]);
  await patch(id, { op: "Remove", path: "members", value: [{ value: ada }] });
  expect(await membersOf(id)).toEqual([bob, eve].toSorted());
  await patch(id, { op: "remove", path: `members[value eq "${bob}"]` });
  expect(await membersOf(id)).toEqual([eve]);
  await patch(id, { op: "replace", value: { id, displayName: `${String(body["displayName"])} 2` } });
  await patch(id, { op: "Replace", value: { members: [{ value: ada }], externalId: "g-3" } });
  expect((await directory.send("GET", `/Groups/${id}`)).body).toMatchObject({
    displayName: `${String(body["displayName"])} 2`,
    externalId: "g-3",
    members: [{ value: ada }],
  });
  await patch(id, { op: "remove", path: 'members[type eq "User"]' });
  expect(await membersOf(id)).toEqual([]);
  await directory.send("PUT", `/Groups/${id}`, { displayName: "Whole", members: [{ value: eve }] });
  expect(await membersOf(id)).toEqual([eve]);
  await patch(id, { op: "remove", path: "members" });
  expect(await membersOf(id)).toEqual([]);
});

it("puts groups into groups, and finds groups by what is in them", async () => {
  const { body: inner } = await addGroup({ members: [{ value: bob }] });
  const { body: outer } = await addGroup({
    displayName: "Ünits",
    members: [{ value: inner.id, type: "Group" }],
  });
  expect(outer["members"]).toEqual([expect.objectContaining({ value: inner.id, type: "Group" })]);
  const find = async (filter: string) => {
    const answer = await directory.send(
      "GET",
      `/Groups?excludedAttributes=members&filter=${encodeURIComponent(filter)}`,
    );
    return answer.body.Resources.map(({ id }) => id);
  };
  expect(await find(`members.value eq "${bob}"`)).toEqual([inner.id]);
  expect(await find(`id eq "${outer.id}" and members eq "${inner.id}"`)).toEqual([outer.id]);
  expect(await find('displayName eq "ünits"')).toEqual([outer.id]);
  expect(await find('displayName co "Ünit"')).toEqual([outer.id]);
  const { body } = await directory.send("GET", `/Groups/${outer.id}?excludedAttributes=members`);
  expect(body).not.toHaveProperty("members");
});

it.each([
  [{ op: "add", path: "members", value: [{ value: "99" }] }, 400, "invalidValue"],
  [{ op: "add", path: 'members[value eq "1"]', value: "1" }, 400, "mutability"],
  [{ op: "replace", path: "members.value", value: "1" }, 400, "mutability"],
  [{ op: "remove", path: "displayName" }, 400, "mutability"],
])("refuses %j, and changes nothing", async (operation, status, scimType) => {
  const { body } = await addGroup({ members: [{ value: ada }] });
  const answer = await patch(body.id, { op: "add", path: "members", value: [{ value: bob }] }, operation);
  expect([answer.status, answer.body.scimType]).toEqual([status, scimType]);
  expect(await membersOf(body.id)).toEqual([ada]);
});

it("keeps organizations, versions and permissions apart", async () => {
  const other = await createDirectory(service);
  const stranger = await createHumanUser(service, other.organizationId);
  const { body, headers } = await addGroup();
  expect((await other.send("GET", `/Groups/${body.id}`)).status).toBe(404);
  expect(
    (await patch(body.id, { op: "add", path: "members", value: [{ value: stranger }] })).body.scimType,
  ).toBe("invalidValue");
  const viewer = await createDirectory(service, { ...directory, role: "ORGANIZATION_VIEWER" });
  expect((await viewer.send("DELETE", `/Groups/${body.id}`)).status).toBe(403);
  await patch(body.id, { op: "add", path: "members", value: [{ value: ada }] });
  const match = { "if-match": headers.get("etag") ?? "" };
  expect((await directory.send("DELETE", `/Groups/${body.id}`, undefined, match)).status).toBe(412);
  expect((await directory.send("DELETE", `/Groups/${body.id}`)).status).toBe(204);
  expect((await directory.send("GET", `/Groups/${body.id}`)).status).toBe(404);
});
