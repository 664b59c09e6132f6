import { afterAll, describe, expect, test } from "@jest/globals";
import { ApiAuthMethodType } from "../../../gen/gatehouse/v1/application_pb.ts";
import { ApplicationService } from "../../../gen/gatehouse/v1/application_service_pb.ts";
import { OidcAuthMethodType } from "../../../gen/gatehouse/v1/oidc_pb.ts";
import { OrganizationService } from "../../../gen/gatehouse/v1/organization_service_pb.ts";
import { ProjectService } from "../../../gen/gatehouse/v1/project_service_pb.ts";
import { grantTypes } from "../../../src/sites/oidc/endpoints/token.ts";
import { startService } from "../../support/service.ts";
import { createCaller, createWorld, idOf } from "../../support/world.ts";
import {
  addApplicationKey,
  createApi,
  createOidc,
  createOidcBy,
  type ClientOfTest,
} from "./support/clients.ts";
import {
  askForTokens,
  basic,
  byAssertion,
  bySecret,
  clientAssertionType,
  jwtBearer,
  type Machine,
  postForm,
  signAssertion,
} from "./support/machine.ts";

// Applications as clients (RFC 6749 §2.3), seen at the revocation endpoint, which any client may call.

const service = await startService();
const world = await createWorld(service);
afterAll(() => service.stop());

const inside = () => createCaller(service, world.organizationId);
const { method } = ApplicationService;

interface Way {
  readonly form?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Returns the status, and the error with its description. */
async function authenticate({ form = {}, headers = {} }: Way): Promise<string> {
  const { status, text } = await postForm(service, "/oauth/v2/revoke", { token: "none", ...form }, headers);
  if (status === 200) return text === "{}" ? "200" : `200 ${text}`; // JSON also where there is nothing to say
  const { error, error_description: description } = JSON.parse(text);
  return `${status} ${error}: ${description}`;
}

const unknown = "401 invalid_client: the client is unknown, or its credentials are wrong";
const inactive = "401 invalid_client: the application, its project or its organization is not active";
const unsigned = expect.stringMatching(
  /^401 invalid_client: the client is unknown, or none of its keys in force has signed the assertion/,
);

const byBasic = ({ appId, secret }: ClientOfTest): Way => ({ headers: basic(appId, secret) });
const byPost = ({ appId, secret }: ClientOfTest): Way => ({
  form: { client_id: appId, client_secret: secret },
});
const byName = ({ appId }: Pick<ClientOfTest, "appId">): Way => ({ form: { client_id: appId } });
const byKey = async (machine: Machine): Promise<Way> => ({
  form: {
    client_assertion_type: clientAssertionType,
    client_assertion: await signAssertion(service, machine),
  },
});

/** The order of P-256 (SEC 2 §2.4.2). */
const orderOfP256 = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;

/** Anybody can do this: of each signature (r, s) of ECDSA there is another good one, (r, n − s). */
function toOtherSignature(text: string): string {
  const end = text.lastIndexOf(".") + 1;
  const signature = Buffer.from(text.slice(end), "base64url").toString("hex");
  const other = orderOfP256 - BigInt(`0x${signature.slice(64)}`);
  const changed = `${signature.slice(0, 64)}${other.toString(16).padStart(64, "0")}`;
  return text.slice(0, end) + Buffer.from(changed, "hex").toString("base64url");
}

const byEmptyBasic = ({ appId }: Pick<ClientOfTest, "appId">): Way => ({ headers: basic(appId, "") });

/** Counts the wrong tries that are remembered. */
const countTries = async (): Promise<number> => {
  const rows = await service.place.raw.peek("SELECT count FROM client_tries");
  return rows.reduce((sum, { count }) => sum + Number(count), 0);
};

describe("an application authenticates by what it has and by nothing else:", () => {
  test.each(["BASIC", "POST"] as const)("%s, by its secret in either way", async (authMethod) => {
    const app = await createOidcBy(service, world.organizationId, authMethod);
    const machine = await addApplicationKey(service, app);
    for (const way of [byBasic, byPost]) {
      expect(await authenticate(way(app))).toBe("200");
      const before = await countTries();
      expect(await authenticate(way({ ...app, secret: "wrong%2B" }))).toBe(unknown);
      expect(await countTries()).toBe(before + 1);
    }
    for (const way of [byName, byEmptyBasic]) expect(await authenticate(way(app))).toBe(unknown);
    expect(await authenticate(await byKey(machine))).toEqual(unsigned);
    expect(await authenticate({ ...byBasic(app), ...byPost(app) })).toMatch(/^400 invalid_request/);
  });

  test("NONE, which only names itself, also with a secret that is empty", async () => {
    const app = await createOidcBy(service, world.organizationId, "NONE");
    const machine = await addApplicationKey(service, app);
    expect(app.secret).toBe("");
    for (const way of [byName, byPost, byBasic, byEmptyBasic])
      expect(await authenticate(way(app))).toBe("200");
    expect(await authenticate({ ...byName(app), ...byEmptyBasic(app) })).toBe("200");
    for (const way of [byPost, byBasic])
      expect(await authenticate(way({ ...app, secret: "any" }))).toBe(unknown);
    expect(await authenticate({ ...byEmptyBasic(app), ...byPost({ ...app, secret: "any" }) })).toMatch(
      /^400 invalid_request/,
    );
    expect(await authenticate(await byKey(machine))).toEqual(unsigned);
    for (const way of [byName, byEmptyBasic]) expect(await authenticate(way({ appId: "1" }))).toBe(unknown);
    expect(await authenticate({})).toMatch(/^401 invalid_client/);
  });

  test("PRIVATE_KEY_JWT, by a key of its own that has not expired, once for each assertion", async () => {
    const app = await createOidcBy(service, world.organizationId, "PRIVATE_KEY_JWT");
    const soon = service.clock.nowMs() + 60_000;
    const machine = await addApplicationKey(service, app);
    const expiring = await addApplicationKey(service, app, soon);
    expect(app.secret).toBe("");
    for (const signer of [machine, expiring]) expect(await authenticate(await byKey(signer))).toBe("200");
    const way = await byKey(machine);
    expect(await authenticate(way)).toBe("200");
    expect(await authenticate(way)).toMatch(/^401 invalid_client: the assertion was used before/);
    service.clock.turn(61_000);
    expect(await authenticate(await byKey(expiring))).toEqual(unsigned);
    const other = await createOidcBy(service, world.organizationId, "PRIVATE_KEY_JWT");
    expect(await authenticate(await byKey({ ...machine, userId: other.appId }))).toEqual(unsigned);
    for (const by of [byName, byEmptyBasic]) expect(await authenticate(by(app))).toBe(unknown);
    for (const by of [byPost, byBasic])
      expect(await authenticate(by({ ...app, secret: "any" }))).toBe(unknown);
    const { keyId } = machine.key;
    await inside()(method.removeApplicationKey, { projectId: app.projectId, appId: app.appId, keyId });
    expect(await authenticate(await byKey(machine))).toEqual(unsigned);
  });

  test("PRIVATE_KEY_JWT, by an assertion that is used up by whatever is refused afterwards", async () => {
    const app = await createOidcBy(service, world.organizationId, "PRIVATE_KEY_JWT");
    const machine = await addApplicationKey(service, app);
    const wrong: readonly { readonly endpoint: string; readonly grant?: string }[] = [
      ...grantTypes.filter((grant) => grant !== jwtBearer).map((grant) => ({ endpoint: "token", grant })),
      { endpoint: "revoke" },
      { endpoint: "introspect" },
      { endpoint: "par" },
      { endpoint: "device_authorization" },
    ];
    for (const { endpoint, grant } of wrong) {
      const way = await byKey(machine);
      const answer = await postForm(service, `/oauth/v2/${endpoint}`, { grant_type: grant, ...way.form });
      expect(JSON.parse(answer.text).error).toMatch(/^(?:invalid_request|unauthorized_client)$/);
      expect(await authenticate(way)).toMatch(/: the assertion was used before$/);
    }
  });

  test("an assertion without jti is used once, however its signature is written", async () => {
    const app = await createOidcBy(service, world.organizationId, "PRIVATE_KEY_JWT");
    const machine = await addApplicationKey(service, app);
    const assertion = await signAssertion(service, machine, { claims: { jti: undefined } });
    const by = (text: string): Way => ({
      form: { client_assertion_type: clientAssertionType, client_assertion: text },
    });
    expect(await authenticate(by(assertion))).toBe("200");
    expect(await authenticate(by(toOtherSignature(assertion)))).toMatch(
      /^401 invalid_client: the assertion was used before/,
    );
  });

  test("an API, by the one that it has", async () => {
    const app = await createApi(service, world.organizationId);
    for (const way of [byBasic, byPost]) expect(await authenticate(way(app))).toBe("200");
    const keyed = await createApi(service, world.organizationId, ApiAuthMethodType.PRIVATE_KEY_JWT);
    expect(keyed.secret).toBe("");
    expect(await authenticate(await byKey(await addApplicationKey(service, keyed)))).toBe("200");
    expect(await authenticate(byPost({ ...keyed, secret: "any" }))).toBe(unknown);
  });

  test("a SAML application is no client", async () => {
    expect(await authenticate(byName(world))).toBe(unknown);
  });
});

describe("a client secret", () => {
  test("ends when another one is made", async () => {
    const app = await createOidc(service, world.organizationId);
    const { projectId, appId } = app;
    const made = await inside()(method.generateClientSecret, { projectId, appId });
    expect(await authenticate(byBasic(app))).toBe(unknown);
    expect(await authenticate(byBasic({ ...app, secret: idOf(made, "clientSecret") }))).toBe("200");
  });

  test("ends when the application authenticates in another way, and does not come back", async () => {
    const app = await createOidc(service, world.organizationId);
    const { projectId, appId } = app;
    const update = (authMethodType: OidcAuthMethodType) =>
      inside()(method.updateOidcConfig, {
        projectId,
        appId,
        authMethodType,
        redirectUris: ["https://app.example/cb"],
      });
    await update(OidcAuthMethodType.POST);
    expect(await authenticate(byPost(app))).toBe("200");
    await update(OidcAuthMethodType.PRIVATE_KEY_JWT);
    expect(await authenticate(byPost(app))).toBe(unknown);
    await update(OidcAuthMethodType.POST);
    expect(await authenticate(byPost(app))).toBe(unknown);
  });

  test("ends with its application, and with its project", async () => {
    const [app, other] = [
      await createOidc(service, world.organizationId),
      await createApi(service, world.organizationId),
    ];
    await inside()(method.removeApplication, { projectId: app.projectId, appId: app.appId });
    await inside()(ProjectService.method.removeProject, { id: other.projectId });
    for (const gone of [app, other]) expect(await authenticate(byBasic(gone))).toBe(unknown);
  });
});

test("an application is refused while it, its project or its organization is not active", async () => {
  const organization = await service.call(OrganizationService.method.addOrganization, { name: "Stopped" });
  const id = idOf(organization, "organizationId");
  const ours = createCaller(service, id);
  const app = await createOidc(service, id);
  const publicApp = await createOidcBy(service, id, "NONE");
  const { projectId, appId } = app;
  const stops = [
    [
      () => ours(method.deactivateApplication, { projectId, appId }),
      () => ours(method.reactivateApplication, { projectId, appId }),
    ],
    [
      () => ours(ProjectService.method.deactivateProject, { id: projectId }),
      () => ours(ProjectService.method.reactivateProject, { id: projectId }),
    ],
    [
      () => service.call(OrganizationService.method.deactivateOrganization, { id }),
      () => service.call(OrganizationService.method.reactivateOrganization, { id }),
    ],
  ] as const;
  for (const [stop, start] of stops) {
    await stop();
    expect(await authenticate(byBasic(app))).toBe(inactive);
    expect(await authenticate(byBasic({ ...app, secret: "wrong" }))).toBe(unknown);
    await start();
    expect(await authenticate(byBasic(app))).toBe("200");
  }
  await service.call(OrganizationService.method.deactivateOrganization, { id });
  expect(await authenticate(byName(publicApp))).toBe(inactive);
  await service.call(OrganizationService.method.reactivateOrganization, { id });
  await service.call(OrganizationService.method.removeOrganization, { id });
  expect(await authenticate(byBasic(app))).toBe(unknown);
});

describe("an application gets no tokens by itself:", () => {
  test("not as a client of client_credentials", async () => {
    for (const make of [createOidc, createApi]) {
      const app = await make(service, world.organizationId);
      const answer = await askForTokens(
        service,
        { grant_type: "client_credentials" },
        basic(app.appId, app.secret),
      );
      expect(answer).toMatchObject({ status: 400, error: "unauthorized_client" });
    }
    const app = await createOidcBy(service, world.organizationId, "PRIVATE_KEY_JWT");
    const machine = await addApplicationKey(service, app);
    const answer = await askForTokens(service, byAssertion(await signAssertion(service, machine)));
    expect(answer).toMatchObject({ status: 400, error: "unauthorized_client" });
    const open = await createOidcBy(service, world.organizationId, "NONE");
    const { client_secret: _none, ...form } = bySecret({ ...machine, userId: open.appId });
    expect(await askForTokens(service, form)).toMatchObject({ status: 400, error: "unauthorized_client" });
  });

  test("not by a key of its own with jwt-bearer", async () => {
    const app = await createOidcBy(service, world.organizationId, "PRIVATE_KEY_JWT");
    const assertion = await signAssertion(service, await addApplicationKey(service, app));
    const answer = await askForTokens(service, { grant_type: jwtBearer, assertion });
    expect(answer).toMatchObject({ status: 400, error: "invalid_grant" });
  });
});
