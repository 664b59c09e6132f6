import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { randomUUID } from "node:crypto";
import { SignJWT } from "jose";
import { ApplicationService } from "../../../gen/gatehouse/v1/application_service_pb.ts";
import { OrganizationService } from "../../../gen/gatehouse/v1/organization_service_pb.ts";
import { ProjectService } from "../../../gen/gatehouse/v1/project_service_pb.ts";
import { UserService } from "../../../gen/gatehouse/v1/user_service_pb.ts";
import {
  addApplicationKey,
  type ClientOfTest,
  createOidc,
  createOidcBy,
} from "../../sites/oidc/support/clients.ts";
import {
  basic,
  byAssertion,
  bySecret as toSecretForm,
  clientAssertionType,
  createMachine,
  type Machine,
} from "../../sites/oidc/support/machine.ts";
import { createHttpClient, type HttpClient } from "../../support/http-client.ts";
import { createCaller, idOf, uniqueName } from "../../support/world.ts";
import { type Pair, startPair } from "./support/pair.ts";

// What one process has changed of a client, the other one knows at the next request of that client.

let pair: Pair;
let http: HttpClient;
let organizationId: string;
beforeAll(async () => {
  pair = await startPair();
  http = createHttpClient(pair.other.url);
});
afterAll(async () => {
  http?.close();
  await pair?.close();
});
beforeEach(async () => {
  const added = await pair.one.call(OrganizationService.method.addOrganization, { name: uniqueName("Org") });
  organizationId = idOf(added, "organizationId");
});

const inside = () => createCaller(pair.one, organizationId);

/** Sends a form to the other process, and returns the status. */
async function send(
  path: string,
  form: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>> = {},
): Promise<number> {
  const body = new URLSearchParams(form).toString();
  const type = { "content-type": "application/x-www-form-urlencoded" };
  return (await http.send({ method: "POST", path, headers: { ...type, ...headers }, body })).status;
}

/** Authenticates at the other process, and returns the status. */
const authenticate = (
  form: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>> = {},
) => send("/oauth/v2/revoke", { token: "none", ...form }, headers);

const bySecret = ({ appId, secret }: ClientOfTest) => authenticate({}, basic(appId, secret));

async function sign({ userId, key }: Machine): Promise<string> {
  const iat = Math.floor(Date.now() / 1000);
  const issuer = `http://localhost:${new URL(pair.other.url).port}`;
  const claims = { iss: userId, sub: userId, aud: issuer, iat, exp: iat + 60, jti: randomUUID() };
  const header = { alg: key.algorithm, kid: key.keyId };
  return await new SignJWT(claims).setProtectedHeader(header).sign(key.privateKey);
}

const byKey = async (machine: Machine) =>
  await authenticate({
    client_assertion_type: clientAssertionType,
    client_assertion: await sign(machine),
  });

const { method } = ApplicationService;

describe("at the next request the other process refuses an application", () => {
  test.each([
    [
      "that was deactivated",
      ({ projectId, appId }: ClientOfTest) => inside()(method.deactivateApplication, { projectId, appId }),
    ],
    [
      "whose project was deactivated",
      ({ projectId }: ClientOfTest) => inside()(ProjectService.method.deactivateProject, { id: projectId }),
    ],
    [
      "whose organization was deactivated",
      () => pair.one.call(OrganizationService.method.deactivateOrganization, { id: organizationId }),
    ],
    [
      "that was removed",
      ({ projectId, appId }: ClientOfTest) => inside()(method.removeApplication, { projectId, appId }),
    ],
    [
      "with its former secret",
      ({ projectId, appId }: ClientOfTest) => inside()(method.generateClientSecret, { projectId, appId }),
    ],
  ])("%s", async (_name, change) => {
    const app = await createOidc(pair.one, organizationId);
    expect(await bySecret(app)).toBe(200);
    await change(app);
    expect(await bySecret(app)).toBe(401);
  });

  test("with a key that was removed", async () => {
    const app = await createOidcBy(pair.one, organizationId, "PRIVATE_KEY_JWT");
    const machine = await addApplicationKey(pair.one, app);
    expect(await byKey(machine)).toBe(200);
    const { projectId, appId } = app;
    await inside()(method.removeApplicationKey, { projectId, appId, keyId: machine.key.keyId });
    expect(await byKey(machine)).toBe(401);
  });
});

const users = UserService.method;

describe("at the next request the other process gives no tokens to a service user", () => {
  const askBySecret = (machine: Machine) => send("/oauth/v2/token", toSecretForm(machine));
  const askByKey = async (machine: Machine) => send("/oauth/v2/token", byAssertion(await sign(machine)));

  test.each<[string, (machine: Machine) => Promise<unknown>, readonly [secret: number, key: number]]>([
    ["that was locked", ({ userId }) => pair.one.call(users.lockUser, { userId }), [400, 400]],
    ["that was deactivated", ({ userId }) => pair.one.call(users.deactivateUser, { userId }), [400, 400]],
    ["that was removed", ({ userId }) => pair.one.call(users.removeUser, { userId }), [401, 401]],
    [
      "with its former secret",
      ({ userId }) => pair.one.call(users.generateServiceUserSecret, { userId }),
      [401, 200],
    ],
    [
      "with a key that was removed",
      ({ userId, key: { keyId } }) => pair.one.call(users.removeServiceUserKey, { userId, keyId }),
      [200, 401],
    ],
    [
      "whose organization was deactivated",
      () => pair.one.call(OrganizationService.method.deactivateOrganization, { id: organizationId }),
      [400, 400],
    ],
    [
      "whose organization was removed",
      () => pair.one.call(OrganizationService.method.removeOrganization, { id: organizationId }),
      [401, 401],
    ],
  ])("%s", async (_name, change, latter) => {
    const machine = await createMachine(pair.one, organizationId);
    expect([await askBySecret(machine), await askByKey(machine)]).toEqual([200, 200]);
    await change(machine);
    expect([await askBySecret(machine), await askByKey(machine)]).toEqual(latter);
  });
});
