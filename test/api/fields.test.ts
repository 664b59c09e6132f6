import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type DescMethodUnary, getOption, type JsonObject } from "@bufbuild/protobuf";
import { request } from "node:http";
import { http } from "../../gen/google/api/annotations_pb.ts";
import { ApplicationService } from "../../gen/gatehouse/v1/application_service_pb.ts";
import { IdentityProviderService } from "../../gen/gatehouse/v1/identity_provider_service_pb.ts";
import { OrganizationService } from "../../gen/gatehouse/v1/organization_service_pb.ts";
import { ProjectService } from "../../gen/gatehouse/v1/project_service_pb.ts";
import { UserService } from "../../gen/gatehouse/v1/user_service_pb.ts";
import type { ErrorStatus } from "../support/clients.ts";
import { listMethods } from "../support/methods.ts";
import { refusalOf, startService, type TestService } from "../support/service.ts";
import {
  createProject,
  createWorld,
  idOf,
  jwtConfig,
  samlMetadata,
  uniqueName,
  type World,
} from "../support/world.ts";
import { violationsOf } from "./support/lanes.ts";
import { send, type WireAnswer } from "./support/wire.ts";

let service: TestService;
let world: World;
beforeAll(async () => {
  service = await startService();
  world = await createWorld(service);
});
afterAll(() => service.stop());

/** The lanes that read JSON. */
const jsonLanes = ["REST path", "rpc path", "rpc path with Connect-Protocol-Version"] as const;
type JsonLane = (typeof jsonLanes)[number];

/** What a refusal says, in whichever of the two shapes it comes. */
interface Refusal {
  readonly httpStatus: number;
  readonly code: unknown;
  readonly message: string;
  readonly fields: readonly string[];
}

/** Sends the text as the body of the method. Variables of a REST path are filled with a number that names nothing. */
async function sendText(lane: JsonLane, method: DescMethodUnary, body: string): Promise<Refusal> {
  const { pattern } = getOption(method, http);
  const onRest = lane === "REST path" && pattern.case !== undefined && pattern.case !== "custom";
  const path = onRest
    ? pattern.value.replaceAll(/\{\w+\}/g, "1")
    : `/${method.parent.typeName}/${method.name}`;
  const verb = onRest ? pattern.case.toUpperCase() : "POST";
  const isConnect = lane === "rpc path with Connect-Protocol-Version";
  const headers: Record<string, string> = isConnect ? { "connect-protocol-version": "1" } : {};
  return toRefusal(await send(service, "json", { verb, path, body, headers, token: world.owner.token }));
}

function toRefusal({ httpStatus, json }: WireAnswer): Refusal {
  const { code, message, details } = json as unknown as ErrorStatus; // Connect's shape has the same three
  return { httpStatus, code, message, fields: violationsOf(details).map(({ field }) => field) };
}

/** Methods whose request is in the body, over REST too. */
const withBody = (await listMethods()).filter((method) =>
  ["post", "put"].includes(String(getOption(method, http).pattern.case)),
);

describe.each(jsonLanes)("over the %s", (lane) => {
  const isConnect = lane === "rpc path with Connect-Protocol-Version";
  const invalid = isConnect ? "invalid_argument" : 3;

  test("an unknown field is refused by every operation, and named", async () => {
    const seen: Record<string, unknown> = {};
    for (const method of withBody) {
      const { httpStatus, code, message } = await sendText(lane, method, '{"surelyUnknown":1}');
      seen[method.name] = [httpStatus, code, message.includes("surelyUnknown")];
    }
    expect(Object.keys(seen).length).toBeGreaterThan(14);
    expect(seen).toEqual(Object.fromEntries(withBody.map(({ name }) => [name, [400, invalid, true]])));
  });

  test.each([
    [
      "inside of a message",
      IdentityProviderService.method.createIdentityProvider,
      '{"name":"x","jwt":{"nope":1}}',
      "jwt.nope",
    ],
    [
      "inside of a list",
      ProjectService.method.bulkAddProjectRoles,
      '{"roles":[{"roleKey":"a"},{"roleKey":"b","nope":{}}]}',
      "roles[1].nope",
    ],
    [
      "that would choose the organization",
      ProjectService.method.addProject,
      '{"name":"x","org_id":"1"}',
      "org_id",
    ],
    [
      "that would choose the owner",
      ProjectService.method.updateProject,
      '{"name":"x","details":{"resourceOwner":"1"}}',
      "details",
    ],
    [
      "that is a prototype",
      ProjectService.method.addProject,
      '{"name":"x","__proto__":{"hasProjectCheck":true}}',
      "__proto__",
    ],
    [
      "that is a constructor",
      ProjectService.method.addProject,
      '{"name":"x","constructor":1}',
      "constructor",
    ],
    ["with another case", ProjectService.method.addProject, '{"Name":"x"}', "Name"],
  ] as const)("an unknown field %s is named with its path", async (_what, method, body, field) => {
    const { code, message, fields } = await sendText(lane, method, body);
    expect([code, message]).toEqual([invalid, expect.stringContaining(field)]);
    expect(fields).toEqual(isConnect ? [] : [field]); // Connect has its details in base64
  });

  test.each([
    ["a key that stands twice", '{"name":"x","name":"x"}', "name"],
    ["a key that stands twice, once escaped", '{"name":"x","n\\u0061me":"y"}', "name"],
    [
      "a field under both of its names",
      '{"name":"x","has_project_check":true,"hasProjectCheck":true}',
      "has_project_check",
    ],
    ["a lone surrogate", '{"name":"\\ud83d"}', "name"],
    ["surrogates in the wrong order", '{"name":"\\ude00\\ud83d"}', "name"],
    ["a number for a text", '{"name":1}', "name"],
    ["a text for a flag", '{"name":"x","hasProjectCheck":"true"}', "has_project_check"],
    ["an object for a text", '{"name":{"toString":1}}', "name"],
    ["a list for a text", '{"name":["x"]}', "name"],
    [
      "a number beyond any enum",
      '{"name":"x","privateLabelingSetting":9007199254740993}',
      "private_labeling_setting",
    ],
  ])("%s is refused", async (_what, body, field) => {
    const refusal = await sendText(lane, ProjectService.method.addProject, body);
    expect([refusal.httpStatus, refusal.code]).toEqual([400, invalid]);
    expect(refusal.message).toContain(field);
    expect(refusal.fields).toEqual(isConnect ? [] : [field]);
  });

  test("a number beyond 2^53 is refused, not rounded, where any value may stand", async () => {
    const path = `/v1/users/${world.userId}/u2f/${world.u2fId}`;
    const rpc = "/gatehouse.v1.UserService/VerifyU2f";
    const ids = `"userId":"${world.userId}","u2fId":"${world.u2fId}"`;
    const headers: Record<string, string> = isConnect ? { "connect-protocol-version": "1" } : {};
    const seen: Record<string, string> = {};
    for (const number of ["9007199254740993", "-9007199254740993", "1e400", "9007199254740992"]) {
      const body = `{${ids},"tokenName":"K","publicKeyCredential":{"pad":"${"x".repeat(60)}","n":[${number}]}}`;
      const answer = await send(service, "json", {
        path: lane === "REST path" ? path : rpc,
        body,
        headers,
        token: world.owner.token,
      });
      seen[number] = toRefusal(answer).message.slice(0, 21);
    }
    expect(seen).toEqual({
      "9007199254740993": "public_key_credential",
      "-9007199254740993": "public_key_credential",
      "1e400": "public_key_credential",
      // Well within what a number holds: it comes to the credential itself.
      "9007199254740992": "the credential does n",
    });
  });

  test("snake_case and lowerCamelCase name the same fields", async () => {
    const names: JsonObject[] = [
      { name: uniqueName("snake"), has_project_check: true, private_labeling_setting: 1 },
      { name: uniqueName("camel"), hasProjectCheck: true, privateLabelingSetting: 1 },
    ];
    for (const json of names) {
      const answer = await send(service, "json", {
        path: lane === "REST path" ? "/v1/projects" : "/gatehouse.v1.ProjectService/AddProject",
        body: JSON.stringify(json),
        token: world.owner.token,
      });
      const id = idOf(answer.json, "id");
      const read = await send(service, "json", {
        verb: "GET",
        path: `/v1/projects/${id}`,
        token: world.owner.token,
      });
      expect(read.json["project"]).toMatchObject({
        name: json["name"],
        hasProjectCheck: true,
        privateLabelingSetting: "PRIVATE_LABELING_SETTING_ENFORCE_PROJECT_RESOURCE_OWNER_POLICY",
      });
    }
  });

  test("no body, an empty one and {} are the same", async () => {
    const { updateJwtIdentityProvider } = IdentityProviderService.method;
    const refusals: Refusal[] = [];
    for (const body of ["", "{}", " {} "])
      refusals.push(await sendText(lane, updateJwtIdentityProvider, body));
    expect(refusals).toEqual(refusals.map(() => refusals[0]));
    expect(refusals[0]?.code).toBe(invalid);
  });
});

describe("a path variable", () => {
  const put = (path: string, json: JsonObject) =>
    send(service, "json", { verb: "PUT", path, body: JSON.stringify(json), token: world.owner.token });

  test("may stand in the body too, if it says the same", async () => {
    const id = await createProject(service, world.organizationId);
    const agreeing = await put(`/v1/projects/${id}`, { id, name: uniqueName("Agreed") });
    expect(agreeing.httpStatus).toBe(200);
    for (const told of ["1", "", `${id} `, world.projectId]) {
      const { status } = await put(`/v1/projects/${id}`, { id: told, name: "Contradicted" });
      expect(status).toMatchObject({ code: 3, message: expect.stringContaining("id") });
    }
  });

  test("wins over nothing: a body for another object is never applied", async () => {
    const config = { ...jwtConfig, issuer: "contradicted" };
    for (const name of ["idpId", "idp_id"]) {
      const { status } = await put(`/v1/idps/${world.idpId}/jwt_config`, { [name]: "1", ...config });
      expect(status).toMatchObject({ code: 3, message: expect.stringContaining("idp_id") });
    }
    const read = await send(service, "json", {
      verb: "GET",
      path: `/v1/idps/${world.idpId}`,
      token: world.owner.token,
    });
    expect(read.json["identityProvider"]).toMatchObject({ jwt: { issuer: jwtConfig.issuer } });
  });

  test("is percent-decoded once: a slash in it is data, and what is no UTF-8 is refused", async () => {
    const get = (path: string) => send(service, "json", { verb: "GET", path, token: world.owner.token });
    const slash = await get("/v1/projects/a%2Fb");
    expect(slash.status?.details[1]).toMatchObject({ resourceName: "a/b" });
    const twice = await get("/v1/projects/a%252Fb");
    expect(twice.status?.details[1]).toMatchObject({ resourceName: "a%2Fb" });
    for (const bad of ["%ff", "%ED%A0%80", "%", "%2"]) {
      const { status } = await get(`/v1/projects/${bad}`);
      expect([bad, status?.code]).toEqual([bad, 3]);
    }
  });

  test("must not be empty: a trailing or double slash is another path", async () => {
    for (const path of [
      "/v1/projects/",
      "/v1//projects",
      `/v1/projects/${world.projectId}/`,
      "/v1/idps//jwt_config",
    ]) {
      const { httpStatus, status } = await send(service, "json", { verb: "GET", path });
      expect([path, httpStatus, status?.code]).toEqual([path, 404, 5]);
    }
  });
});

describe("the query", () => {
  const list = (query: string) =>
    send(service, "json", { verb: "GET", path: `/v1/projects?${query}`, token: world.owner.token });

  test("takes both spellings of a name", async () => {
    for (const query of ["page_size=1&count_total=true", "pageSize=1&countTotal=true"]) {
      const { httpStatus, json } = await list(query);
      expect([httpStatus, (json["projects"] as unknown[]).length]).toEqual([200, 1]);
      expect(Number((json["details"] as JsonObject)["totalResult"])).toBeGreaterThan(0);
    }
  });

  test("filters by a name with characters that mean something elsewhere", async () => {
    const name = uniqueName("50% & more_+=?#/ü");
    const body = JSON.stringify({ name });
    await send(service, "json", { path: "/v1/projects", body, token: world.owner.token });
    const { json } = await list(`name=${encodeURIComponent(name)}`);
    expect((json["projects"] as JsonObject[]).map((project) => project["name"])).toEqual([name]);
    for (const wildcard of ["%25", "_%25", "*", "%27+OR+1%3D1+--"]) {
      const found = await list(`name=${wildcard}`);
      expect(found.json["projects"]).toEqual([]);
    }
  });

  test.each([
    ["an unknown name", "pagesize=1", "pagesize"],
    ["a name twice", "page_size=1&page_size=1", "page_size"],
    ["a name in both spellings", "page_size=1&pageSize=1", "page_size"],
    ["a number beyond its type", "page_size=4294967296", "page_size"],
    ["a number beyond 2^53", "page_size=9007199254740993", "page_size"],
    ["a negative number", "page_size=-1", "page_size"],
    ["a fraction", "page_size=1.5", "page_size"],
    ["a flag that is none", "count_total=yes", "count_total"],
    ["an unknown enum name", "state=PROJECT_STATE_GONE", "state"],
    ["text that is no UTF-8", "name=%ff", "UTF-8"],
    ["the prototype", "__proto__=1", "__proto__"],
  ])("with %s is refused", async (_what, query, field) => {
    const refusal = toRefusal(await list(query));
    expect(refusal).toMatchObject({ httpStatus: 400, code: 3 });
    expect(refusal.message).toContain(field);
  });

  test("is refused where the request is the body", async () => {
    const { status } = await send(service, "json", { path: "/v1/projects?name=a", body: '{"name":"a"}' });
    expect(status?.code).toBe(3);
  });

  test("cannot be replaced by a body: GET takes none", async () => {
    const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
    const headers = { authorization: `Bearer ${service.adminToken}`, "content-length": "2" };
    const get = request(`${service.url}/v1/projects`, { headers }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    get.once("error", reject).end("{}");
    expect(await promise).toBe(400);
  });
});

test("nothing that was sent in this file has touched the prototype of objects", () => {
  expect(({} as Record<string, unknown>)["hasProjectCheck"]).toBeUndefined();
  expect(Object.keys(Object.prototype)).toEqual([]);
});

test("names that are not seen as they are get refused wherever somebody gives one", async () => {
  const { organizationId, projectId, idpId, userId, owner, appId } = world;
  const options = { token: service.adminToken, headers: { "x-service-orgid": organizationId } };
  const human = {
    username: uniqueName("ada"),
    givenName: "Ada",
    familyName: "L",
    email: "a@example.com",
  };
  const bot = { username: uniqueName("bot"), name: "Bot" };
  const credential = { id: "x".repeat(60) };
  const provider = { name: uniqueName("Provider"), config: { case: "jwt", value: jwtConfig } } as const;
  const { method: users } = UserService;
  const { method: apps } = ApplicationService;
  const { method: projects } = ProjectService;
  const { method: organizations } = OrganizationService;
  const { method: providers } = IdentityProviderService;
  const rows: readonly (readonly [DescMethodUnary, object, ...string[]])[] = [
    [organizations.addOrganization, {}, "name"],
    [organizations.updateOrganization, { id: organizationId }, "name"],
    [projects.addProject, {}, "name"],
    [projects.updateProject, { id: projectId }, "name"],
    [projects.addProjectRole, { projectId, roleKey: "new" }, "role_key", "display_name", "group"],
    [projects.updateProjectRole, { projectId, roleKey: "reader" }, "display_name", "group"],
    [apps.createOidcApplication, { projectId, redirectUris: ["https://app.example.com/cb"] }, "name"],
    [apps.createApiApplication, { projectId }, "name"],
    [apps.createSamlApplication, { projectId, metadataXml: samlMetadata("https://a.example.com") }, "name"],
    [apps.updateApplication, { projectId, appId }, "name"],
    [providers.createIdentityProvider, provider, "name"],
    [providers.updateIdentityProvider, { ...provider, idpId }, "name"],
    [users.addHumanUser, human, "username", "given_name", "family_name", "display_name"],
    [users.updateHumanUser, { ...human, userId }, "username", "given_name", "family_name", "display_name"],
    [users.addServiceUser, bot, "username", "name", "description"],
    [users.updateServiceUser, { ...bot, userId: owner.id }, "username", "name", "description"],
    [users.verifyU2f, { userId, u2fId: "1", publicKeyCredential: credential }, "token_name"],
    [users.verifyPasskey, { userId, passkeyId: "1", publicKeyCredential: credential }, "passkey_name"],
    [users.addIdpLink, { userId, idpId, externalUserId: "1" }, "external_username"],
  ];
  const seen = [];
  for (const [method, asked, ...fields] of rows) {
    const given = Object.fromEntries(
      fields.map((field) => [
        field.replaceAll(/_(\w)/g, (_match, letter: string) => letter.toUpperCase()),
        "Bank\u202e",
      ]),
    );
    const outcome = await service.clients.json.call(method, { ...asked, ...given }, options);
    seen.push([method.name, ...refusalOf(outcome).fields]);
  }
  expect(seen).toEqual(rows.map(([method, , ...fields]) => [method.name].concat(fields.toSorted())));
  const roles = [{ roleKey: "a" }, { roleKey: "b", group: "\u200b" }];
  const outcome = await service.clients.json.call(
    projects.bulkAddProjectRoles,
    { projectId, roles },
    options,
  );
  expect(refusalOf(outcome).fields).toEqual(["roles[1].group"]);
});
