import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { startService } from "../../support/service.ts";
import { createDirectory } from "./support/scim.ts";

const service = await startService();
const directory = await createDirectory(service);
afterAll(() => service.stop());

const enterprise = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User";
const ids: string[] = [];
for (const [index, name] of ["Carla", "anton", "Berta"].entries())
  ids.push(
    await directory.addUser({
      userName: `${name}@example.com`,
      externalId: `x-${index}`,
      displayName: name,
      title: index === 0 ? "Boss" : undefined,
      active: index !== 1,
      emails:
        index === 2
          ? [
              { value: "b@home.example", type: "home" },
              { value: "b@work.example", type: "work", primary: true },
            ]
          : [{ value: `${name}@example.com`, type: "work", primary: true }],
      [enterprise]: { department: "Sales", employeeNumber: String(index) },
    }),
  );

const get = (query: Readonly<Record<string, string>>) =>
  directory.send("GET", `/Users?${new URLSearchParams(query).toString()}`);

async function found(filter: string) {
  const { body } = await get({ filter });
  if (body.totalResults !== body.Resources?.length) throw new Error(JSON.stringify(body));
  return body.Resources.map((each) => ids.indexOf(each.id));
}

describe("filters", () => {
  it.each([
    ['userName eq "carla@EXAMPLE.com"', [0]],
    ['userName sw "ber"', [2]],
    ['userName co "nto"', [1]],
    ['userName ne "carla@example.com"', [1, 2]],
    ['userName gt "b"', [0, 2]],
    ['externalId eq "x-1"', [1]],
    ['externalId eq "X-1"', []],
    ["externalId pr", [0, 1, 2]],
    ["title pr", [0]],
    ["not (title pr)", [1, 2]],
    ['title eq "Boss"', [0]],
    ['title co "os"', [0]],
    ['active eq true and displayName sw "B"', [2]],
    ['active eq "False"', [1]],
    ['displayName co "%"', []],
    ['displayName ew "A" or (title eq "x" and active eq true)', [0, 2]],
    ['emails eq "b@home.example"', [2]],
    ['emails.value co "home"', [2]],
    ['emails[type eq "work" and value co "home"]', []],
    ['emails[type eq "home" and value co "home"]', [2]],
    ['emails[type eq "work"]', [0, 1, 2]],
    ['not (emails[type eq "home"])', [0, 1]],
    [`${enterprise}:department eq "Sales" and ${enterprise}:employeeNumber eq "2"`, [2]],
    ['urn:ietf:params:scim:schemas:core:2.0:User:userName eq "anton@example.com"', [1]],
    ['name.familyName eq "lovelace"', [0, 1, 2]],
    ['meta.created ge "2020-01-01T00:00:00Z"', [0, 1, 2]],
    ['meta.lastModified lt "2020-01-01T00:00:00Z"', []],
    ['displayName eq "it is \\"quoted\\""', []],
    ['nickName eq null and externalId eq "x-0"', [0]],
  ])("finds by %s", async (filter, expected) => {
    expect(await found(filter)).toEqual(expected);
  });

  it.each([
    "userName",
    "userName eq",
    'userName eq "a',
    'userName eq "a" and',
    '(userName eq "a"',
    'nothing eq "a"',
    'userName is "a"',
    "userName eq 7",
    "active gt true",
    'password eq "a"',
    'emails[type eq "work"',
    'meta.created co "2020"',
    'userName eq "a" userName',
    Array.from({ length: 51 }, () => "title pr").join(" or "),
    `${"(".repeat(10)}title pr${")".repeat(10)}`,
  ])("refuses %s", async (filter) => {
    const { status, body } = await get({ filter });
    expect([status, body.scimType]).toEqual([400, "invalidFilter"]);
  });

  it("takes 50 terms and 10 levels", async () => {
    expect(await found(Array.from({ length: 50 }, () => "title pr").join(" or "))).toEqual([0]);
    expect(await found(`${"(".repeat(9)}title pr${")".repeat(9)}`)).toEqual([0]);
  });
});

describe("pages", () => {
  it("goes through all by index", async () => {
    const { body } = await get({ startIndex: "2", count: "1" });
    expect(body).toMatchObject({ totalResults: 3, itemsPerPage: 1, startIndex: 2 });
    expect(body.Resources[0]?.id).toBe(ids[1]);
    expect((await get({ count: "0" })).body).toMatchObject({
      totalResults: 3,
      itemsPerPage: 0,
      Resources: [],
    });
  });

  it.each<Readonly<Record<string, string>>>([{}, { sortBy: "userName" }])(
    "goes through all by cursors: %j",
    async (order) => {
      const seen: string[] = [];
      let cursor: string | undefined = "";
      while (cursor !== undefined) {
        const { body } = await get({ cursor, count: "2", ...order });
        seen.push(...body.Resources.map((each) => each.id));
        cursor = body.nextCursor;
      }
      expect(seen.toSorted()).toEqual(ids.toSorted());
    },
  );

  it("takes a cursor for its own query alone", async () => {
    const { body } = await get({ cursor: "", count: "1" });
    const others: readonly Readonly<Record<string, string>>[] = [
      { filter: "title pr" },
      { sortBy: "userName" },
    ];
    for (const query of others)
      expect((await get({ cursor: body.nextCursor ?? "", ...query })).body.scimType).toBe("invalidCursor");
    expect((await get({ cursor: "made-up" })).body.scimType).toBe("invalidCursor");
    expect((await get({ count: "many" })).body.scimType).toBe("invalidCount");
  });

  it("sorts, with what has no value at the end", async () => {
    const order = async (query: Readonly<Record<string, string>>) =>
      (await get(query)).body.Resources.map((each) => ids.indexOf(each.id));
    expect(await order({ sortBy: "userName" })).toEqual([1, 2, 0]);
    expect(await order({ sortBy: "userName", sortOrder: "descending" })).toEqual([0, 2, 1]);
    expect((await order({ sortBy: "title" }))[0]).toBe(0);
    expect((await get({ sortBy: "nothing" })).body.scimType).toBe("invalidPath");
  });

  it("searches by POST, and shows what is asked for", async () => {
    const body = {
      filter: 'externalId eq "x-0"',
      attributes: ["name.givenName", "emails.value", `${enterprise}:department`],
    };
    const { body: page } = await directory.send("POST", "/Users/.search", body);
    expect(page.Resources).toEqual([
      {
        schemas: expect.anything(),
        id: ids[0],
        name: { givenName: "Ada" },
        emails: [{ value: "Carla@example.com" }],
        [enterprise]: { department: "Sales" },
      },
    ]);
    const left = await get({
      filter: 'externalId eq "x-0"',
      excludedAttributes: `id,name,emails.type,${enterprise}`,
    });
    const [resource] = left.body.Resources;
    expect(resource).toMatchObject({ id: ids[0], emails: [{ value: "Carla@example.com", primary: true }] });
    for (const path of [["name"], [enterprise], ["emails", "0", "type"]])
      expect(resource).not.toHaveProperty(path);
  });
});

describe("search over all types (RFC 7644 §3.4.3)", () => {
  const search = (body: Readonly<Record<string, unknown>>, by = directory) =>
    by.send("POST", "/.search", body);
  const namesOf = ({ body }: Awaited<ReturnType<typeof search>>) =>
    body.Resources.map(({ userName, displayName }) => userName ?? displayName);
  beforeAll(async () => {
    await directory.send("POST", "/Groups", { displayName: "Anton", members: [{ value: ids[1] }] });
  });

  it.each([
    ['displayName eq "anton"', ["anton@example.com", "Anton"]],
    ['userName eq "anton@example.com"', ["anton@example.com"]],
    ['meta.resourceType eq "Group"', ["Anton"]],
    ['meta.resourceType eq "User" and title pr', ["Carla@example.com"]],
    ['meta.resourceType ne "User"', ["Anton"]],
    ["members pr", ["Anton"]],
    ['members.value pr or title eq "Boss"', ["Carla@example.com", "Anton"]],
    ['not (title pr) and displayName co "nto"', ["anton@example.com", "Anton"]],
    ['title ne "Boss" and displayName sw "a"', ["anton@example.com", "Anton"]],
  ])("finds by %s users, and then groups", async (filter, names) => {
    const answer = await search({ filter });
    expect([answer.status, answer.body.totalResults]).toEqual([200, names.length]);
    expect(namesOf(answer)).toEqual(names);
  });

  it("has pages that go on from users to groups", async () => {
    const whole = namesOf(await search({}));
    expect(whole).toHaveLength(4);
    for (const startIndex of [1, 3, 4, 5]) {
      const answer = await search({ startIndex, count: 2 });
      expect([namesOf(answer), answer.body.totalResults]).toEqual([
        whole.slice(startIndex - 1, startIndex + 1),
        4,
      ]);
    }
    expect((await search({ count: 0 })).body).toMatchObject({ totalResults: 4, Resources: [] });
  });

  it("is for callers that may read users", async () => {
    const { organizationId } = directory;
    const other = await createDirectory(service, { organizationId, role: "ORGANIZATION_PROJECT_MANAGER" });
    expect((await search({}, other)).status).toBe(403);
  });

  it.each([
    [{ sortBy: "id" }, "invalidPath"],
    [{ cursor: "" }, "invalidCursor"],
    [{ filter: 'nothing eq "x"' }, "invalidFilter"],
  ])("refuses %j", async (body, scimType) => {
    const answer = await search(body);
    expect([answer.status, answer.body.scimType]).toEqual([400, scimType]);
  });

  it("takes nothing but POST", async () => {
    expect((await directory.send("GET", "/.search")).status).toBe(405);
    expect((await directory.send("POST", "/.search/x", {})).status).toBe(405);
  });
});

describe("discovery", () => {
  it("describes what there is", async () => {
    const types = await directory.send("GET", "/ResourceTypes");
    const schemas = await directory.send("GET", "/Schemas");
    const config = await directory.send("GET", "/ServiceProviderConfig");
    expect(types.body.Resources.map((each) => each.id)).toContain("User");
    expect(schemas.body.Resources.map((each) => each.id)).toContain(enterprise);
    expect(config.body).toMatchObject({ patch: { supported: true }, pagination: { cursor: true } });
    expect((await directory.send("GET", `/Schemas/${enterprise}`)).body.name).toBe("EnterpriseUser");
    expect((await directory.send("GET", '/Schemas?filter=id%20eq%20"x"')).status).toBe(403);
  });

  it.each([
    ["GET", "/Nothing", 404],
    ["GET", "/Me", 501],
    ["PUT", "/Users", 405],
    ["GET", "/Users/.search", 405],
    ["GET", "/Users/1/2", 404],
    ["GET", "/Users/%zz", 400],
  ])("answers %s %s with %d in the words of SCIM", async (verb, path, status) => {
    const answer = await directory.send(verb, path);
    expect(answer.status).toBe(status);
    expect(answer.body).toMatchObject({
      schemas: ["urn:ietf:params:scim:api:messages:2.0:Error"],
      status: String(status),
    });
    expect(answer.headers.get("content-type")).toBe("application/scim+json");
  });
});
