// Who is found by what somebody types: nobody takes the place of another by a name that reads like the other's id or email.
import { create } from "@bufbuild/protobuf";
import { Code, ConnectError, createClient, createRouterTransport } from "@connectrpc/connect";
import { expect, test } from "@jest/globals";
import { OrganizationSchema } from "../../gen/gatehouse/v1/organization_pb.ts";
import { OrganizationService } from "../../gen/gatehouse/v1/organization_service_pb.ts";
import { SearchHitKind, SearchService } from "../../gen/gatehouse/v1/search_service_pb.ts";
import { UserSchema } from "../../gen/gatehouse/v1/user_pb.ts";
import { UserService } from "../../gen/gatehouse/v1/user_service_pb.ts";
import { findApplication, findOrganization, findUser } from "../../src/console/ui/names/find-object.ts";

const long = "117345678901234567";
const hidden = "117345678901299999";
const removed = "4712";
const people = [
  { id: long, username: "ada", email: "ada@example.com" },
  { id: "41", username: long, email: "mallory@example.com" },
  { id: "42", username: "ada@example.com", email: "" },
  { id: "43", username: hidden, email: "" },
  { id: "44", username: removed, email: "" },
  { id: "45", username: "ben@example.com", email: "ben@example.com" },
  { id: "46", username: "cy", email: "cy@example.com" },
  { id: "47", username: "one", email: "shared@example.com" },
  { id: "48", username: "two", email: "shared@example.com" },
];
const named = [
  { id: long, name: "Lamps" },
  { id: "51", name: long },
  { id: "52", name: "2024" },
  { id: "53", name: hidden },
];

/** A service that finds as ours does; those whose ids `refusals` names cannot be read. */
function serve(refusals: Readonly<Record<string, Code>> = {}) {
  const refuse = (id: string) => {
    throw new ConnectError("no", refusals[id] ?? Code.NotFound);
  };
  const transport = createRouterTransport(({ service }) => {
    service(UserService, {
      getUser({ userId }) {
        const person = people.find(({ id }) => id === userId && refusals[id] === undefined) ?? refuse(userId);
        return { user: create(UserSchema, { id: person.id, username: person.username }) };
      },
      listUsers: ({ username, email }) => ({
        users: people
          .filter((person) => username === "" || person.username === username)
          .filter((person) => email === "" || person.email === email)
          .map((person) => create(UserSchema, { id: person.id, username: person.username })),
      }),
    });
    service(OrganizationService, {
      getOrganization({ id: wanted }) {
        const found = named.find(({ id }) => id === wanted && refusals[id] === undefined) ?? refuse(wanted);
        return { organization: create(OrganizationSchema, found) };
      },
      listOrganizations: ({ name }) => ({
        organizations: named
          .filter((each) => name === "" || each.name === name)
          .map((each) => create(OrganizationSchema, each)),
      }),
    });
  });
  return {
    users: createClient(UserService, transport),
    organizations: createClient(OrganizationService, transport),
  };
}

test.each([
  [long, long],
  [` ${long} `, long],
  ["ada", long],
  ["cy@example.com", "46"],
  ["ben@example.com", "45"],
  [removed, "44"],
])("the text %j finds the user %s", async (text, id) => {
  expect((await findUser(serve().users, text))?.id).toBe(id);
});

test.each([
  ["the username of one and the email of another", "ada@example.com"],
  ["the email of two", "shared@example.com"],
  ["as long as an id, and that of nobody who may be read", hidden],
  ["empty", " "],
])("no user is found by a text that is %s", async (_what, text) => {
  expect(await findUser(serve().users, text)).toBeUndefined();
});

test("an id that the console itself gave is never a username", async () => {
  const { users } = serve();
  expect(await findUser(users, removed, [removed])).toBeUndefined();
  expect((await findUser(users, long, [long]))?.id).toBe(long);
});

test.each([Code.NotFound, Code.PermissionDenied])(
  "a user who may not be read (%s) is not another one",
  async (code) => {
    expect(await findUser(serve({ [long]: code }).users, long)).toBeUndefined();
  },
);

test("an id is not taken for a name because there was no answer", async () => {
  const { users, organizations } = serve({ [removed]: Code.Unavailable, "2024": Code.Unavailable });
  await expect(findUser(users, removed)).rejects.toThrow("no");
  await expect(findOrganization(organizations, "2024")).rejects.toThrow("no");
});

test.each([
  [long, long],
  ["Lamps", long],
  ["2024", "52"],
  [hidden, undefined],
  ["", undefined],
])("the text %j finds the organization %s", async (text, id) => {
  expect((await findOrganization(serve().organizations, text))?.id).toBe(id);
});

test.each([
  ["web shop", "1", "61"],
  ["Web shop", "3", undefined], // of two other organizations
  ["Counter", "3", "63"],
  ["64", "1", "64"],
  ["Web", "1", undefined],
  ["", "1", undefined],
] as const)(
  "%j names the application that fits, seen from organization %s",
  async (text, organization, id) => {
    const kind = SearchHitKind.APPLICATION;
    const hits = [
      { kind: SearchHitKind.PROJECT, id: "60", name: "Web shop", organizationId: "1" },
      { kind, id: "61", name: "Web shop", organizationId: "1" },
      { kind, id: "62", name: "Web shop", organizationId: "2" },
      { kind, id: "63", name: "Counter", organizationId: "2" },
      { kind, id: "64", name: "Payroll", organizationId: "1" },
      { kind, id: "65", name: "64", organizationId: "1" },
    ];
    const transport = createRouterTransport(({ service }) => {
      service(SearchService, { search: () => ({ hits }) });
    });
    const found = await findApplication(createClient(SearchService, transport), text, organization);
    expect(found?.id).toBe(id);
  },
);
