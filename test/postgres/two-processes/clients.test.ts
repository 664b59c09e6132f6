import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { randomUUID } from "node:crypto";
import { SignJWT } from "jose";
import { ApplicationService } from "../../../gen/gatehouse/v1/application_service_pb.ts";
import { OrganizationService } from "../../../gen/gatehouse/v1/organization_service_pb.ts";
import { ProjectService } from "../../../gen/gatehouse/v1/project_service_pb.ts";
import {
  addApplicationKey,
  type ClientOfTest,
  createOidc,
  createOidcBy,
} from "../../oidc/support/clients.ts";
import { basic, clientAssertionType, type Machine } from "../../oidc/support/machine.ts";
import { createHttpClient, type HttpClient } from "../../support/http-client.ts";
import { createCaller, idOf, uniqueName } from "../../support/world.ts";
import { type Pair, startPair } from "./support/pair.ts";

// What one process has answered about an application, the other one knows at the next request of that application.

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

/** Authenticates at the other process, and returns the status. */
async function authenticate(
  form: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>> = {},
): Promise<number> {
  const body = new URLSearchParams({ token: "none", ...form }).toString();
  const type = { "content-type": "application/x-www-form-urlencoded" };
  const request = { method: "POST", path: "/oauth/v2/revoke", headers: { ...type, ...headers }, body };
  return (await http.send(request)).status;
}

const bySecret = ({ appId, secret }: ClientOfTest) => authenticate({}, basic(appId, secret));

async function byKey({ userId, key }: Machine): Promise<number> {
  const iat = Math.floor(Date.now() / 1000);
  const issuer = `http://localhost:${new URL(pair.other.url).port}`;
  const claims = { iss: userId, sub: userId, aud: issuer, iat, exp: iat + 60, jti: randomUUID() };
  const header = { alg: key.algorithm, kid: key.keyId };
  const assertion = await new SignJWT(claims).setProtectedHeader(header).sign(key.privateKey);
  return await authenticate({ client_assertion_type: clientAssertionType, client_assertion: assertion });
}

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
