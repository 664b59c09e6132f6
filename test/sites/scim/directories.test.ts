import { afterAll, describe, expect, it } from "@jest/globals";
import { UserService } from "../../../gen/gatehouse/v1/user_service_pb.ts";
import { startService } from "../../support/service.ts";
import { idOf } from "../../support/world.ts";
import { browse, signIn } from "../oidc/support/signed-in.ts";
import { createDirectory, person } from "./support/scim.ts";

const service = await startService();
const directory = await createDirectory(service);
afterAll(() => service.stop());

const enterprise = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User";

async function patch(id: string, ...Operations: readonly unknown[]) {
  const schemas = ["urn:ietf:params:scim:api:messages:2.0:PatchOp"];
  return await directory.send("PATCH", `/Users/${id}`, { schemas, Operations });
}

describe("Microsoft Entra", () => {
  it("looks for a user, adds it, changes it by paths and switches it off", async () => {
    const sent = { ...person(), externalId: "entra-1", [enterprise]: { department: "A" } };
    const filter = encodeURIComponent(`externalId eq "entra-1"`);
    expect((await directory.send("GET", `/Users?filter=${filter}`)).body).toMatchObject({
      totalResults: 0,
      Resources: [],
    });
    const { body: made } = await directory.send("POST", "/Users", sent);
    const changed = await patch(
      made.id,
      { op: "Replace", path: "displayName", value: "Ada L." },
      { op: "Add", path: 'emails[type eq "home"].value', value: "home@example.com" },
      { op: "Replace", path: 'emails[type eq "work"].value', value: "work@example.com" },
      { op: "Add", path: "name.formatted", value: "Ada Lovelace" },
      { op: "Add", path: `${enterprise}:manager`, value: "42" },
      {
        op: "Replace",
        value: { "name.givenName": "Augusta", [`${enterprise}:department`]: "B", title: "Boss" },
      },
      { op: "Add", path: 'addresses[type eq "work"].locality', value: "London" },
    );
    expect(changed.body).toMatchObject({
      displayName: "Ada L.",
      title: "Boss",
      name: { givenName: "Augusta", familyName: "Lovelace", formatted: "Ada Lovelace" },
      emails: [
        { value: "work@example.com", type: "work", primary: true },
        { value: "home@example.com", type: "home" },
      ],
      addresses: [{ type: "work", locality: "London" }],
      [enterprise]: { department: "B", manager: { value: "42" } },
    });
    expect((await patch(made.id, { op: "Replace", path: "active", value: "False" })).body["active"]).toBe(
      false,
    );
    expect((await patch(made.id, { op: "Replace", value: { active: "True" } })).body["active"]).toBe(true);
    expect(
      (await patch(made.id, { op: "Remove", path: 'emails[type eq "home"]' })).body["emails"],
    ).toHaveLength(1);
    expect((await patch(made.id, { op: "Remove", path: `${enterprise}:manager` })).body[enterprise]).toEqual({
      department: "B",
    });
    expect((await patch(made.id, { op: "Remove", path: "addresses" })).body).not.toHaveProperty("addresses");
  });

  it("has one primary address, which is that of the account", async () => {
    const id = await directory.addUser();
    const value = [{ value: "new@example.com", type: "other", primary: true }];
    const { body } = await patch(id, { op: "Add", path: "emails", value });
    const primary = (body["emails"] as { readonly primary?: boolean }[]).filter(
      (each) => each.primary === true,
    );
    expect(primary).toEqual(value);
    const answer = await service.call(UserService.method.getUser, { userId: id });
    expect(answer).toMatchObject({ user: { human: { email: "new@example.com" } } });
  });

  it.each([
    [{ op: "replace", path: 'emails[type eq "pager"].value', value: "x@example.com" }, "noTarget"],
    [{ op: "remove" }, "noTarget"],
    [{ op: "replace", path: "nothing", value: 1 }, "invalidPath"],
    [{ op: "replace", path: 'title[type eq "x"]', value: "x" }, "invalidFilter"],
    [{ op: "replace", path: "emails[type", value: "x" }, "invalidFilter"],
    [{ op: "replace", path: "id", value: "1" }, "mutability"],
    [{ op: "replace", path: "groups", value: [] }, "mutability"],
    [{ op: "add", path: "roles", value: [{ value: "root" }] }, "mutability"],
    [{ op: "remove", path: "userName" }, "mutability"],
    [{ op: "remove", path: "name.familyName" }, "mutability"],
    [{ op: "replace", path: "active", value: "maybe" }, "invalidValue"],
    [{ op: "replace", value: "text" }, "invalidValue"],
    [{ op: "move", path: "title" }, "invalidSyntax"],
  ])("hears what is wrong with %j", async (operation, scimType) => {
    const id = await directory.addUser({ title: "kept" });
    const { status, body } = await patch(id, { op: "replace", path: "title", value: "lost" }, operation);
    expect([status, body.scimType]).toEqual([400, scimType]);
    expect((await directory.send("GET", `/Users/${id}`)).body["title"]).toBe("kept");
  });
});

describe("Okta", () => {
  it("looks for a user by name, adds it, replaces it and switches it off", async () => {
    const sent = {
      ...person(),
      locale: "en-US",
      externalId: "00u1",
      groups: [],
      password: "Tr0ub4dor and 3 more",
    };
    const filter = encodeURIComponent(`userName eq "${sent.userName}"`);
    const path = `/Users?filter=${filter}&startIndex=1&count=100`;
    expect((await directory.send("GET", path)).body).toMatchObject({
      totalResults: 0,
      startIndex: 1,
      itemsPerPage: 0,
    });
    const { body: made } = await directory.send("POST", "/Users", sent);
    const { body: read } = await directory.send("GET", `/Users/${made.id}`);
    const next = { ...read, name: { givenName: "Augusta", familyName: "King" }, locale: "en-GB" };
    const { body: replaced } = await directory.send("PUT", `/Users/${made.id}`, next);
    expect(replaced).toMatchObject({
      locale: "en-GB",
      name: { givenName: "Augusta", familyName: "King" },
      active: true,
    });
    const off = await patch(made.id, { op: "replace", value: { active: false } });
    expect([off.status, off.body["active"]]).toEqual([200, false]);
    const again = await patch(made.id, {
      op: "replace",
      value: { active: true, password: "another long Passw0rd" },
    });
    expect(again.body["active"]).toBe(true);
  });
});

it("a leaver is out at once", async () => {
  const id = await directory.addUser();
  const { cookie } = await signIn(service, id);
  const pat = idOf(await service.call(UserService.method.addPersonalAccessToken, { userId: id }), "token");
  const asLeaver = () => service.call(UserService.method.getMyUser, {}, pat);
  await asLeaver();
  expect((await browse(service, "/account", { cookie })).status).toBe(200);
  await patch(id, { op: "Replace", path: "active", value: false });
  await expect(asLeaver()).rejects.toThrow(/TOKEN_INVALID/);
  expect((await browse(service, "/account", { cookie })).status).toBe(303);
});

it("leaves the state of a user whom an administrator has locked", async () => {
  const id = await directory.addUser();
  await service.call(UserService.method.lockUser, { userId: id });
  expect((await patch(id, { op: "replace", path: "active", value: true })).body["active"]).toBe(true);
  const answer = await service.call(UserService.method.getUser, { userId: id });
  expect(answer).toMatchObject({ user: { state: "USER_STATE_LOCKED" } });
});
