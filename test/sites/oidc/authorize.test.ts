import { afterAll, describe, expect, test } from "@jest/globals";
import { ApplicationService } from "../../../gen/gatehouse/v1/application_service_pb.ts";
import { OidcAppType, OidcAuthMethodType } from "../../../gen/gatehouse/v1/oidc_pb.ts";
import { LoginPolicyService } from "../../../gen/gatehouse/v1/login_policy_service_pb.ts";
import { OrganizationService } from "../../../gen/gatehouse/v1/organization_service_pb.ts";
import { SigningKeyService } from "../../../gen/gatehouse/v1/signing_key_service_pb.ts";
import { UserService } from "../../../gen/gatehouse/v1/user_service_pb.ts";
import { type ApplicationId, toId } from "../../../src/kernel/base/ids.ts";
import { createOidcLogins } from "../../../src/sites/oidc/login/login-protocol.ts";
import { toLoginData } from "../../../src/sites/oidc/login/login-data.ts";
import type { ResponseMode } from "../../../src/sites/oidc/requests/response-mode.ts";
import { startService } from "../../support/service.ts";
import { createCaller, createHumanUser, createWorld, idOf } from "../../support/world.ts";
import { afterLogout, createApplication, type TestApplication } from "./support/application.ts";
import { authorize, authorizePath, browse, getTokens, signIn } from "./support/signed-in.ts";
import { createMachine, issuerOf, postForm } from "./support/machine.ts";

const service = await startService();
const world = await createWorld(service);
const application = await createApplication(service, world);
const native = await createApplication(service, world, {
  appType: OidcAppType.NATIVE,
  authMethodType: OidcAuthMethodType.NONE,
  redirectUris: ["http://127.0.0.1/cb", "com.example.app:/cb"],
});
const browser = await signIn(service, await createHumanUser(service, world.organizationId));
afterAll(() => service.stop());

const anyRequest = {
  protocol: "oidc",
  organizationId: undefined,
  prompts: [],
  maxAgeSeconds: undefined,
  loginHint: undefined,
  uiLocales: [],
  wantsMfa: false,
  subject: undefined,
  scopes: [],
} as const;

type Parameters = Readonly<Record<string, string | undefined>>;

const ask = (parameters: Parameters = {}, by = browser) =>
  authorize(service, application, { browser: by, parameters });

/** Expects a page that sends the browser nowhere. */
function expectPage({ status, headers, text }: Awaited<ReturnType<typeof browse>>): void {
  expect(status).toBe(400);
  expect(headers.get("location")).toBeNull();
  expect(headers.get("content-type")).toBe("text/html; charset=utf-8");
  expect(headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
  expect(text).not.toContain("evil");
}

describe("before application and redirect URI are known, an error is a page (RFC 6749 §4.1.2.1)", () => {
  test.each<readonly [string, Parameters]>([
    ["no client_id", { client_id: undefined }],
    ["an unknown client_id", { client_id: "evil" }],
    ["no redirect_uri", { redirect_uri: undefined }],
    ["another redirect_uri", { redirect_uri: "https://evil.example/" }],
    [
      "another redirect_uri, and more that is wrong",
      { redirect_uri: "https://evil.example/", response_type: "token" },
    ],
  ])("%s", async (_name, parameters) => {
    expectPage(await ask(parameters));
  });

  test("client_id of a service user, an API or another kind of application", async () => {
    const machine = await createMachine(service, world.organizationId);
    const api = await createCaller(service, world.organizationId)(
      ApplicationService.method.createApiApplication,
      {
        projectId: world.projectId,
        name: "API",
      },
    );
    for (const id of [machine.userId, idOf(api, "clientId"), world.appId])
      expectPage(await ask({ client_id: id }));
  });

  test("with a way back to where the application is after a logout, and nowhere else", async () => {
    const { text } = await ask({ redirect_uri: "https://evil.example/" });
    expect(text).toContain(`<a href="${afterLogout}">Back to the application</a>`);
    expect((await ask({ client_id: "1" })).text).not.toContain("<a ");
  });

  test("bytes that are no UTF-8, a body that is no form, and names that are sent twice", async () => {
    expectPage(await browse(service, `${authorizePath(application)}&state=%ff`, { cookie: browser.cookie }));
    expectPage(
      await browse(service, `${authorizePath(application)}&client_id=evil`, { cookie: browser.cookie }),
    );
    const posted = await postForm(service, "/oauth/v2/authorize", "{}", {
      "content-type": "application/json",
    });
    expectPage(posted);
  });

  test("a wrong verb is a page, too", async () => {
    const { status, headers } = await service.http.send({
      method: "DELETE",
      path: authorizePath(application),
      headers: { host: `localhost:${service.port}` },
    });
    expect([status, headers.get("allow"), headers.get("content-type")]).toEqual([
      405,
      "GET, POST",
      "text/html; charset=utf-8",
    ]);
  });
});

describe("afterwards the browser is sent back with the error, state and issuer", () => {
  test.each<readonly [Parameters, string]>([
    [{ response_type: "token" }, "unsupported_response_type"],
    [{ request: "x" }, "request_not_supported"],
    [{ request_uri: "https://app.example/request" }, "request_uri_not_supported"],
    [{ registration: "{}" }, "registration_not_supported"],
    [{ scope: "profile" }, "invalid_scope"],
    [{ scope: "openid urn:zitadel:iam:org:id:1" }, "invalid_scope"],
    [{ scope: "openid urn:zitadel:iam:org:domain:primary:a.example" }, "invalid_scope"],
    [{ code_challenge_method: "plain" }, "invalid_request"],
    [{ id_token_hint: "a.b.c" }, "invalid_request"],
    [{ prompt: "none login" }, "invalid_request"],
  ])("%j: %s", async (parameters, error) => {
    const { status, back } = await ask(parameters);
    expect([status, back["error"], back["state"], back["iss"]]).toEqual([
      303,
      error,
      "the state of a request",
      issuerOf(service),
    ]);
    expect(back).not.toHaveProperty("code");
  });

  test("without the state if that was sent twice", async () => {
    const { headers } = await browse(service, `${authorizePath(application)}&state=b`, {
      cookie: browser.cookie,
    });
    const back = new URL(headers.get("location") ?? "").searchParams;
    expect([back.get("error"), back.get("state")]).toEqual(["invalid_request", null]);
  });

  test("prompt=create is for organizations that let people register, by the scope or of the application", async () => {
    const prompt = "create";
    const { organizationId } = world;
    const open = await createWorld(service);
    const policy = { allowPassword: true, allowRegistration: true };
    await createCaller(service, open.organizationId)(LoginPolicyService.method.updateLoginPolicy, policy);
    const ofOpen = await createApplication(service, open);
    const scope = (id: string) => `openid urn:zitadel:iam:org:id:${id}`;
    const refused = { error: "invalid_request", state: expect.any(String), iss: expect.any(String) };
    expect((await ask({ prompt })).back).toMatchObject(refused);
    const elsewhere = { prompt, scope: scope(organizationId) };
    expect((await authorize(service, ofOpen, { parameters: elsewhere })).back).toMatchObject(refused);
    for (const [asked, parameters] of [
      [ofOpen, { prompt }],
      [application, { prompt, scope: scope(open.organizationId) }],
    ] as const) {
      const { headers } = await browse(service, authorizePath(asked, parameters));
      expect(headers.get("location")).toMatch(/\/login\/[0-9]+\/register$/);
    }
  });

  test("prompt=none without a session asks for a login", async () => {
    expect((await authorize(service, application, { parameters: { prompt: "none" } })).back["error"]).toBe(
      "login_required",
    );
  });

  test("a state of 8 KiB comes back, and a longer one is refused", async () => {
    for (const [length, error] of [
      [8192, "invalid_scope"],
      [8193, "invalid_request"],
    ] as const) {
      const state = "x".repeat(length);
      const { back } = await ask({ state, scope: "profile" });
      expect([back["error"], back["state"]?.length]).toEqual([error, length]);
    }
  });
});

describe("the way back from the page of an error", () => {
  const find = async ({ clientId }: TestApplication, uri: string, responseMode: ResponseMode = "query") => {
    const asked = {
      redirectUri: uri,
      responseMode,
      state: "s",
      nonce: undefined,
      codeChallenge: undefined,
      scopes: [],
    };
    const request = { ...anyRequest, applicationId: toId<ApplicationId>(clientId), data: toLoginData(asked) };
    const { findWayBack } = createOidcLogins(service.context);
    return await service.context.database.read((tx) => findWayBack(tx, request, issuerOf(service)));
  };

  test("is registered: where the application is after a logout, else its redirect URI with an error", async () => {
    const homeless = await createApplication(service, world, { postLogoutRedirectUris: [] });
    expect(await find(application, application.redirectUri)).toBe(afterLogout);
    const back = new URL((await find(homeless, homeless.redirectUri)) ?? "");
    expect([back.origin, back.searchParams.get("error"), back.searchParams.get("state")]).toEqual([
      "https://app.example",
      "temporarily_unavailable",
      "s",
    ]);
    expect(await find(homeless, "https://app.example/former")).toBeUndefined();
    // a link cannot post
    expect(await find(homeless, homeless.redirectUri, "form_post")).toBeUndefined();
    expect(await find(application, application.redirectUri, "form_post")).toBe(afterLogout);
    await createCaller(service, world.organizationId)(ApplicationService.method.deactivateApplication, {
      projectId: homeless.projectId,
      appId: homeless.clientId,
    });
    expect(await find(homeless, homeless.redirectUri)).toBeUndefined();
  });
});

describe("a redirect URI", () => {
  test("on the device itself may have any port (RFC 8252 §7.3), and is sent there", async () => {
    for (const uri of ["http://127.0.0.1:49152/cb", "http://127.0.0.1/cb", "com.example.app:/cb"]) {
      const { status, location } = await authorize(service, native, {
        browser,
        parameters: { redirect_uri: uri },
      });
      expect([status, location.startsWith(`${uri}?code=`)]).toEqual([303, true]);
    }
  });
});

describe("id_token_hint (OpenID Connect Core §3.1.2.1)", () => {
  test("lets in only the user whom it names, even by a key that is gone", async () => {
    const { idToken } = await getTokens(service, application, { browser });
    const hinted = { id_token_hint: idToken, prompt: "none" };
    expect((await ask(hinted)).back).toHaveProperty("code");
    const other = await signIn(service, await createHumanUser(service, world.organizationId));
    expect((await ask(hinted, other)).back["error"]).toBe("login_required");
    service.clock.turn(4_000_000);
    await service.call(SigningKeyService.method.rotateSigningKeys, { revokeOld: true });
    expect((await ask(hinted)).back).toHaveProperty("code");
    const stranger = await createApplication(service, world);
    const { back } = await authorize(service, stranger, { browser, parameters: hinted });
    expect(back["error"]).toBe("invalid_request");
  });
});

describe("the scope of an organization", () => {
  test("lets in only its users, and names one that is active", async () => {
    const scope = `openid urn:zitadel:iam:org:id:${world.organizationId}`;
    expect((await ask({ scope, prompt: "none" })).back).toHaveProperty("code");
    const partner = await service.call(OrganizationService.method.addOrganization, { name: "Scoped" });
    const id = idOf(partner, "organizationId");
    const elsewhere = { scope: `openid urn:zitadel:iam:org:id:${id}`, prompt: "none" };
    expect((await ask(elsewhere)).back["error"]).toBe("login_required");
    await service.call(OrganizationService.method.deactivateOrganization, { id });
    expect((await ask(elsewhere)).back["error"]).toBe("invalid_scope");
  });
});

describe("scopes of an application", () => {
  const scopeOf = async (to: TestApplication, scope: string) =>
    (await getTokens(service, to, { browser, scope })).json["scope"];

  test("for our own API are granted only with api_access", async () => {
    const api = "urn:zitadel:iam:org:project:id:zitadel:aud";
    expect(await scopeOf(application, `openid ${api} mystery`)).toBe("openid");
    const trusted = await createApplication(service, world, { apiAccess: true });
    expect(await scopeOf(trusted, `openid ${api}`)).toBe(`openid ${api}`);
    const whoCalls = async (to: TestApplication) => {
      const { accessToken } = await getTokens(service, to, { browser, scope: `openid ${api}` });
      return await service.call(UserService.method.getMyUser, {}, accessToken);
    };
    expect(await whoCalls(trusted)).toMatchObject({ user: { id: browser.userId } });
    await expect(whoCalls(application)).rejects.toThrow("TOKEN_INVALID");
  });
});
