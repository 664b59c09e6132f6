import { afterAll, describe, expect, it } from "@jest/globals";
import { MembershipService } from "../../../gen/gatehouse/v1/membership_service_pb.ts";
import { UserService } from "../../../gen/gatehouse/v1/user_service_pb.ts";
import { startService } from "../../support/service.ts";
import { idOf } from "../../support/world.ts";
import { createDirectory, person } from "./support/scim.ts";

const service = await startService();
const directory = await createDirectory(service);
afterAll(() => service.stop());

const enterprise = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User";

describe("users of a directory", () => {
  it("keeps everything that a directory says", async () => {
    const sent = {
      ...person(),
      externalId: "e-1",
      displayName: "Countess",
      title: "Analyst",
      preferredLanguage: "en",
      name: { givenName: "Ada", familyName: "Lovelace", middleName: "King" },
      phoneNumbers: [{ value: "12 34", type: "fax" }],
      [enterprise]: { department: "Engines", manager: { value: "7" } },
      roles: [{ value: "root" }],
      id: "99",
      unknown: 1,
    };
    const made = await directory.send("POST", "/Users", sent);
    expect(made.status).toBe(201);
    const { id, meta, schemas, ...rest } = made.body;
    expect(made.headers.get("location")).toBe(meta.location);
    expect(meta.location.endsWith(`/scim/v2/${directory.organizationId}/Users/${id}`)).toBe(true);
    expect(schemas).toContain(enterprise);
    const { roles: _roles, id: _id, unknown: _unknown, schemas: _schemas, ...kept } = sent;
    expect(rest).toEqual({
      ...kept,
      [enterprise]: {
        department: "Engines",
        manager: { value: "7", $ref: expect.stringMatching(/\/Users\/7$/) },
      },
    });
    const read = await directory.send("GET", `/Users/${id}`);
    expect(read.body).toEqual(made.body);
    expect(read.headers.get("etag")).toBe(meta.version);
    const human = { givenName: "Ada", email: sent.emails[0]?.value, isEmailVerified: false };
    expect(await service.call(UserService.method.getUser, { userId: id })).toMatchObject({ user: { human } });
  });

  it("replaces a user as a whole, and leaves the state and the password", async () => {
    const id = await directory.addUser({ title: "Analyst", active: false, password: "a long password 7" });
    const { active: _active, ...next } = person();
    const { status, body } = await directory.send("PUT", `/Users/${id}`, { ...next, nickName: "A" });
    expect(status).toBe(200);
    expect(body).toMatchObject({ userName: next.userName, nickName: "A", active: false });
    expect(body).not.toHaveProperty("title");
    expect(body).not.toHaveProperty("password");
    const user = { state: "USER_STATE_INACTIVE", human: { hasPassword: true } };
    expect(await service.call(UserService.method.getUser, { userId: id })).toMatchObject({ user });
  });

  it.each([
    [
      "a username that is taken",
      async () => ({ userName: (await readOf(await directory.addUser())).userName }),
      409,
      "uniqueness",
    ],
    [
      "an externalId that is taken",
      async () => (await directory.addUser({ externalId: "twice" }), { externalId: "twice" }),
      409,
      "uniqueness",
    ],
    ["no name", () => ({ name: undefined }), 400, "invalidValue"],
    ["a state that is none", () => ({ active: "perhaps" }), 400, "invalidValue"],
    ["a username that is no text", () => ({ userName: { a: 1 } }), 400, "invalidValue"],
    ["a weak password", () => ({ password: "password" }), 400, "invalidValue"],
    ["an address that is none", () => ({ emails: [{ value: "nobody" }] }), 400, "invalidValue"],
  ] as const)("refuses %s", async (_name, more, status, scimType) => {
    const answer = await directory.send("POST", "/Users", { ...person(), ...(await more()) });
    expect(answer.body).toMatchObject({ status: String(status), scimType });
    expect(answer.status).toBe(status);
  });

  it.each([
    ["emails: must be a valid email address", { emails: [{ value: "nobody" }] }],
    [
      "name.givenName: must be at most 200 characters",
      { name: { givenName: "A".repeat(201), familyName: "B" } },
    ],
    ["title has at most 10240 bytes", { title: "x".repeat(10_241) }],
  ])("names the attribute: %s", async (detail, more) => {
    const { status, body } = await directory.send("POST", "/Users", { ...person(), ...more });
    expect([status, body.detail]).toEqual([400, detail]);
  });

  it("adds nothing of a user that is refused", async () => {
    await directory.addUser({ externalId: "only" });
    const refused = { ...person(), externalId: "only" };
    await directory.send("POST", "/Users", refused);
    const password = { ...refused, password: "a long password 7" };
    expect((await directory.send("POST", "/Users", password)).status).toBe(409);
    const { body } = await find(`userName eq "${refused.userName}"`);
    expect(body.totalResults).toBe(0);
  });

  it("keeps the ids of each directory apart", async () => {
    const other = await createDirectory(service, directory);
    const id = await directory.addUser({ externalId: "mine" });
    expect((await other.send("GET", `/Users/${id}`)).body).not.toHaveProperty("externalId");
    const { status } = await other.send(
      "PATCH",
      `/Users/${id}`,
      patch({ op: "add", path: "externalId", value: "theirs" }),
    );
    expect(status).toBe(200);
    expect((await directory.send("GET", `/Users/${id}`)).body.externalId).toBe("mine");
  });

  it("changes only the version that the client has read", async () => {
    const id = await directory.addUser();
    const { etag, body } = await readWithTag(id);
    const change = patch({ op: "replace", path: "title", value: "Boss" });
    expect((await directory.send("GET", `/Users/${id}`, undefined, { "if-none-match": etag })).status).toBe(
      304,
    );
    expect((await directory.send("PATCH", `/Users/${id}`, change, { "if-match": 'W/"other"' })).status).toBe(
      412,
    );
    expect(
      (await directory.send("DELETE", `/Users/${id}`, undefined, { "if-match": 'W/"other"' })).status,
    ).toBe(412);
    const changed = await directory.send("PATCH", `/Users/${id}`, change, { "if-match": etag });
    expect(changed.body).toMatchObject({ ...body, title: "Boss", meta: expect.anything() });
    expect((await directory.send("PATCH", `/Users/${id}`, change, { "if-match": etag })).status).toBe(412);
  });

  it("removes a user, and knows nothing of it any more", async () => {
    const id = await directory.addUser({ externalId: "gone" });
    expect((await directory.send("DELETE", `/Users/${id}`)).status).toBe(204);
    expect((await directory.send("GET", `/Users/${id}`)).status).toBe(404);
    expect((await directory.send("DELETE", `/Users/${id}`)).status).toBe(404);
    await directory.addUser({ externalId: "gone" });
  });
});

describe("who may call", () => {
  const send = (token: string, path: string) =>
    service.http.send({
      method: "GET",
      path,
      headers: token === "" ? {} : { authorization: `Bearer ${token}` },
    });

  it("asks for a token", async () => {
    const answer = await send("", `/scim/v2/${directory.organizationId}/Users`);
    expect(answer.status).toBe(401);
    expect(answer.headers.get("www-authenticate")).toContain("Bearer");
    expect(JSON.parse(answer.text)).toMatchObject({ status: "401" });
  });

  it("keeps organizations apart", async () => {
    const other = await createDirectory(service);
    const id = await directory.addUser();
    expect((await send(other.token, `/scim/v2/${directory.organizationId}/Users`)).status).toBe(403);
    expect((await other.send("GET", `/Users/${id}`)).status).toBe(404);
    for (const filter of [`id eq "${id}"`, 'userName sw "ada"', ""]) {
      const { body } = await other.send("GET", `/Users?filter=${encodeURIComponent(filter)}`);
      expect(body.totalResults).toBe(0);
    }
    expect(
      (await other.send("PATCH", `/Users/${id}`, patch({ op: "replace", path: "active", value: false })))
        .status,
    ).toBe(404);
    expect((await other.send("DELETE", `/Users/${id}`)).status).toBe(404);
  });

  it("lets a viewer read and nothing else", async () => {
    const viewer = await createDirectory(service, { ...directory, role: "ORGANIZATION_VIEWER" });
    const id = await directory.addUser();
    expect((await viewer.send("GET", `/Users/${id}`)).status).toBe(200);
    expect((await viewer.send("POST", "/Users", person())).status).toBe(403);
    expect(
      (await viewer.send("PATCH", `/Users/${id}`, patch({ op: "replace", path: "title", value: "x" })))
        .status,
    ).toBe(403);
    expect((await viewer.send("DELETE", `/Users/${id}`)).status).toBe(403);
  });

  it("lets nobody set the password or the address of a user who holds more", async () => {
    const manager = await createDirectory(service, { ...directory, role: "ORGANIZATION_USER_MANAGER" });
    const userId = await directory.addUser();
    const scope = { case: "organizationId" as const, value: directory.organizationId };
    const roles = ["ORGANIZATION_OWNER"];
    await service.call(MembershipService.method.addMembership, { userId, scope, roles });
    for (const change of [{ password: "a long password 7" }, { userName: `other-${userId}` }])
      expect(
        (await manager.send("PATCH", `/Users/${userId}`, patch({ op: "add", value: change }))).status,
      ).toBe(403);
    // A service user is no user of SCIM.
    expect((await manager.send("GET", `/Users/${directory.userId}`)).status).toBe(404);
  });

  it("is for tokens of service users, whatever roles a person holds", async () => {
    const userId = await directory.addUser();
    const scope = { case: "organizationId" as const, value: directory.organizationId };
    const roles = ["ORGANIZATION_OWNER"];
    await service.call(MembershipService.method.addMembership, { userId, scope, roles });
    const added = await service.call(UserService.method.addPersonalAccessToken, { userId });
    expect((await send(idOf(added, "token"), `/scim/v2/${directory.organizationId}/Users`)).status).toBe(403);
  });
});

function patch(...Operations: readonly unknown[]) {
  return { schemas: ["urn:ietf:params:scim:api:messages:2.0:PatchOp"], Operations };
}

function find(filter: string) {
  return directory.send("GET", `/Users?filter=${encodeURIComponent(filter)}`);
}

async function readOf(id: string) {
  return (await directory.send("GET", `/Users/${id}`)).body;
}

async function readWithTag(id: string) {
  const { headers, body } = await directory.send("GET", `/Users/${id}`);
  return { etag: headers.get("etag") ?? "", body };
}
