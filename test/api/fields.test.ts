import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type DescMethodUnary, getOption, type JsonObject } from "@bufbuild/protobuf";
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
