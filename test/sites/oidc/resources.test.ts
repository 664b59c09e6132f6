import { afterAll, describe, expect, test } from "@jest/globals";
import { decodeJwt } from "jose";
import { ApplicationService } from "../../../gen/gatehouse/v1/application_service_pb.ts";
import { OidcGrantType } from "../../../gen/gatehouse/v1/oidc_pb.ts";
import { ProjectService } from "../../../gen/gatehouse/v1/project_service_pb.ts";
import { UserGrantService } from "../../../gen/gatehouse/v1/user_grant_service_pb.ts";
import { startService } from "../../support/service.ts";
import { createCaller, createHumanUser, createProject, idOf, uniqueName } from "../../support/world.ts";
import { createApplication } from "./support/application.ts";
import { allowDevice, askForDevice, createDeviceApplication, poll } from "./support/device.ts";
import { askForExchange, jwtTokens } from "./support/exchange.ts";
import { createLoginPlace, type LoginPlace } from "./support/login-place.ts";
import {
  apiScope,
  askForTokens,
  basic,
  bySecret,
  createMachine,
  type Fields,
  issuerOf,
  postForm,
} from "./support/machine.ts";
import { broughtPath, push } from "./support/pushed.ts";
import {
  authorize,
  authorizeAndConfirm,
  browse,
  getCode,
  redemption,
  refresh,
  signIn,
} from "./support/signed-in.ts";

const service = await startService();
afterAll(() => service.stop());

const { method } = ApplicationService;
const read = { name: "read", description: "See what is there", isDefault: true, roleKeys: [] as string[] };
const write = { name: "write", description: "", isDefault: false, roleKeys: ["writer"] };

/** An API with a resource, and what it introspects with. */
interface TestApi extends LoginPlace {
  readonly id: string;
  readonly name: string;
  readonly secret: string;
  readonly resource: string;
}

async function createApi(
  place: LoginPlace,
  fields: { readonly resource?: string; readonly scopes?: (typeof read)[] } = {},
): Promise<TestApi> {
  const name = uniqueName("Api");
  const resource = fields.resource ?? `urn:example:${name.replaceAll(" ", "-")}`;
  const scopes = fields.scopes ?? [read, write];
  const inside = createCaller(service, place.organizationId);
  const made = await inside(method.createApiApplication, {
    projectId: place.projectId,
    name,
    resource,
    scopes,
  });
  return { ...place, id: idOf(made, "appId"), name, secret: idOf(made, "clientSecret"), resource };
}

/** A project with the role `writer`, beside another one of the same organization if that is given. */
async function createPlace(beside?: LoginPlace): Promise<LoginPlace> {
  const { organizationId } = beside ?? (await createLoginPlace(service));
  return { organizationId, projectId: await createProject(service, organizationId, ["writer"]) };
}

const exchanging = [
  OidcGrantType.AUTHORIZATION_CODE,
  OidcGrantType.REFRESH_TOKEN,
  OidcGrantType.TOKEN_EXCHANGE,
];
const place = await createPlace();
const other = await createPlace(place);
const [orders, stock, foreign] = [
  await createApi(place),
  await createApi(other),
  await createApi(await createPlace()),
];
const application = await createApplication(service, place, { ...jwtTokens, grantTypes: exchanging });
const browserOf = async () => await signIn(service, await createHumanUser(service, place.organizationId));

const giveRole = (userId: string, { organizationId, projectId }: LoginPlace) =>
  createCaller(service, organizationId)(UserGrantService.method.addUserGrant, {
    userId,
    projectId,
    roleKeys: ["writer"],
  });

/** Logs a user in with these parameters, and redeems the code with those. */
async function getToken(
  parameters: Fields,
  more: Fields = {},
  browser?: Awaited<ReturnType<typeof browserOf>>,
) {
  const how = { browser: browser ?? (await browserOf()), parameters: { scope: "read", ...parameters } };
  const code = await getCode(service, application, how);
  const answer = await askForTokens(service, redemption(application, code, more));
  const { access_token: token, id_token: idToken, refresh_token: refreshToken } = answer.json;
  const claims = typeof token === "string" && token.startsWith("eyJ") ? decodeJwt(token) : {};
  return { ...answer, token: String(token), claims, idToken, refreshToken: String(refreshToken) };
}

async function introspect(by: { readonly id: string; readonly secret: string }, token: string) {
  const { text } = await postForm(service, "/oauth/v2/introspect", { token }, basic(by.id, by.secret));
  return JSON.parse(text) as Readonly<Record<string, unknown>>;
}

async function userinfo(token: string) {
  const { status, text } = await browse(service, "/oidc/v1/userinfo", { authorization: `Bearer ${token}` });
  return { status, json: JSON.parse(text) as Readonly<Record<string, unknown>> };
}

describe("a token for a resource (A2, A3)", () => {
  test("is for exactly that, with its scopes and openid, and without an ID token unless that is asked for", async () => {
    const { resource } = orders;
    const alone = await getToken({ resource, scope: "read" }, { resource });
    expect(alone.claims).toMatchObject({ aud: [resource], scope: "read", client_id: application.clientId });
    expect(alone.idToken).toBeUndefined();
    expect((await userinfo(alone.token)).status).toBe(403);
    const claims = '{"userinfo":{"name":null}}';
    const both = await getToken({ resource, scope: "openid profile read", claims }, { resource });
    expect(both.claims).toMatchObject({ aud: [resource], scope: "openid read" });
    expect(decodeJwt(String(both.idToken)).aud).toBe(application.clientId);
    expect((await userinfo(both.token)).json).toEqual({ sub: both.claims.sub });
  });

  test("is another one than that for the application, which the same login gives", async () => {
    const { resource } = orders;
    const scope = "openid profile read offline_access";
    const plain = await getToken({ resource, scope });
    expect(plain.claims).toMatchObject({
      aud: [application.clientId, place.projectId],
      scope: "openid profile offline_access",
    });
    expect((await userinfo(plain.token)).json).toHaveProperty("name");
    const forApi = await refresh(service, application, plain.refreshToken, { resource });
    expect(decodeJwt(String(forApi.json["access_token"]))).toMatchObject({
      aud: [resource],
      scope: "openid read",
    });
    const again = await refresh(service, application, String(forApi.json["refresh_token"]), {
      resource,
      scope: "read",
    });
    expect(again.json["scope"]).toBe("read");
    const more = await refresh(service, application, String(again.json["refresh_token"]), {
      scope: "read write",
    });
    expect(more.error).toBe("invalid_scope");
  });

  test("has the default scopes if none is asked for, and a final slash means nothing", async () => {
    const resource = `${orders.resource}/`;
    const { claims } = await getToken({ resource, scope: undefined }, { resource });
    expect(claims).toMatchObject({ aud: [orders.resource], scope: "read" });
  });

  test("has a scope only for the roles that it needs, judged again each time", async () => {
    const { resource } = orders;
    const browser = await browserOf();
    const denied = await authorizeAndConfirm(service, application, {
      browser,
      parameters: { resource, scope: "write" },
    });
    expect(denied.back["error"]).toBe("access_denied");
    const granted = idOf(await giveRole(browser.userId, place), "userGrantId");
    const scope = "read write offline_access";
    const given = await getToken({ resource, scope }, { resource }, browser);
    expect(given.claims["scope"]).toBe("read write");
    expect(await introspect(orders, given.token)).toMatchObject({ active: true, scope: "read write" });
    const inside = createCaller(service, place.organizationId);
    await inside(UserGrantService.method.removeUserGrant, { userId: browser.userId, grantId: granted });
    expect(await introspect(orders, given.token)).toMatchObject({ active: true, scope: "read" });
    const left = await refresh(service, application, given.refreshToken, { resource });
    expect(left.json["scope"]).toBe("read");
    const none = await refresh(service, application, String(left.json["refresh_token"]), {
      resource,
      scope: "write",
    });
    expect(none.error).toBe("invalid_scope");
  });

  test("is refused for what is unknown, foreign, not verified or was not granted", async () => {
    const pending = await createApi(place, {
      resource: `https://${uniqueName("api").replaceAll(" ", "-")}.test/`,
    });
    for (const resource of [
      "urn:example:nothing",
      foreign.resource,
      pending.resource,
      "no uri",
      "x".repeat(300),
    ]) {
      const { back } = await authorize(service, application, { parameters: { resource } });
      expect([resource, back["error"]]).toEqual([resource, "invalid_target"]);
      expect((await push(service, application, { resource })).error).toBe("invalid_target");
    }
    const { resource } = orders;
    expect((await getToken({ resource }, { resource: stock.resource })).error).toBe("invalid_target");
    expect((await getToken({ scope: "openid" }, { resource })).error).toBe("invalid_target");
  });

  test("for several resources is made if all are named, with what each of them gives", async () => {
    const browser = await browserOf();
    await giveRole(browser.userId, place);
    const resource = [orders.resource, stock.resource];
    const parameters = { resource, scope: "read write" };
    const one = await getToken(parameters, { resource: orders.resource }, browser);
    expect(one.claims).toMatchObject({ aud: [orders.resource], scope: "read write" });
    const two = await getToken(parameters, { resource }, browser);
    expect(two.claims["scope"]).toBe("read");
    expect(two.claims.aud).toHaveLength(2);
    expect((await introspect(stock, two.token))["active"]).toBe(true);
  });

  test("ends with the API, its resource and the reach of the client", async () => {
    const own = await createPlace(place);
    const api = await createApi(own);
    const { resource, id: appId } = api;
    const { token } = await getToken({ resource }, { resource });
    const inside = createCaller(service, own.organizationId);
    const isActive = async () =>
      (await introspect({ id: application.clientId, secret: application.secret }, token))["active"];
    expect(await isActive()).toBe(true);
    await inside(method.deactivateApplication, { projectId: own.projectId, appId });
    expect(await isActive()).toBe(false);
    await inside(method.reactivateApplication, { projectId: own.projectId, appId });
    await inside(ProjectService.method.deactivateProject, { id: own.projectId });
    expect(await isActive()).toBe(false);
    await inside(ProjectService.method.reactivateProject, { id: own.projectId });
    expect(await isActive()).toBe(true);
    const update = { projectId: own.projectId, appId, resource: `${resource}-2`, scopes: [read] };
    await inside(method.updateApiConfig, update);
    expect(await isActive()).toBe(false);
  });

  test("is known to its API and its client, and to nobody else", async () => {
    const { resource } = orders;
    const { token } = await getToken({ resource }, { resource });
    const beside = await createApi(place);
    expect((await introspect(beside, token))["active"]).toBe(false);
    expect((await introspect(stock, token))["active"]).toBe(false);
    expect(await introspect(orders, token)).toMatchObject({ active: true, aud: [resource], scope: "read" });
  });
});

describe("what users are asked (S2)", () => {
  test("an API of another project, also of one's own organization, with its scopes in its own words", async () => {
    const browser = await browserOf();
    const parameters = { resource: stock.resource, scope: "read offline_access" };
    const silent = await authorize(service, application, {
      browser,
      parameters: { ...parameters, prompt: "none" },
    });
    expect(silent.back["error"]).toBe("consent_required");
    const asked = await authorizeAndConfirm(service, application, { browser, parameters });
    const page = "page" in asked ? asked.page : "";
    expect(page).toContain(stock.name);
    expect(page).toContain("See what is there");
    const again = await authorize(service, application, {
      browser,
      parameters: { ...parameters, prompt: "none" },
    });
    expect(again.back["code"]).toBeDefined();
    await giveRole(browser.userId, other);
    const more = { ...parameters, scope: "read write", prompt: "none" };
    expect((await authorize(service, application, { browser, parameters: more })).back["error"]).toBe(
      "consent_required",
    );
    const own = { resource: orders.resource, prompt: "none" };
    expect((await authorize(service, application, { browser, parameters: own })).back["code"]).toBeDefined();
  });
});

describe("a scope without a resource (A3)", () => {
  test("is looked for in the project of the application alone, and must be of one API", async () => {
    const own = await createPlace(place);
    const client = await createApplication(service, own, jwtTokens);
    const api = await createApi(own, {
      scopes: [
        { ...read, name: "list" },
        { ...write, name: "change" },
      ],
    });
    const browser = await browserOf();
    const parameters = { scope: "openid list change read" };
    const code = await getCode(service, client, { browser, parameters });
    const { json } = await askForTokens(service, redemption(client, code));
    expect(json["scope"]).toBe("openid list");
    const token = String(json["access_token"]);
    expect(decodeJwt(token).aud).toEqual([client.clientId, own.projectId]);
    expect(await introspect(api, token)).toMatchObject({ active: true, scope: "openid list" });
    await createApi(own, { scopes: [{ ...read, name: "list" }] });
    expect((await authorize(service, client, { browser, parameters })).back["error"]).toBe("invalid_target");
    const bare = await authorize(service, client, { browser, parameters: { scope: "change" } });
    expect(bare.back["error"]).toBe("invalid_scope");
  });
});

describe("the other ways to tokens", () => {
  test("a program gets no token any more once the API has stopped, whatever was remembered", async () => {
    const machine = await createMachine(service, place.organizationId);
    const { id: appId, projectId, resource } = await createApi(place);
    const ask = async () => (await askForTokens(service, { ...bySecret(machine), resource })).error;
    const inside = createCaller(service, place.organizationId);
    expect([await ask(), await ask()]).toEqual([undefined, undefined]);
    await inside(method.deactivateApplication, { projectId, appId });
    expect(await ask()).toBe("invalid_target");
    await inside(method.reactivateApplication, { projectId, appId });
    expect(await ask()).toBeUndefined();
    await inside(method.updateApiConfig, { projectId, appId, resource, scopes: [write] });
    expect(await ask()).toBe("invalid_scope");
  });

  test("programs have tokens for the APIs that their organization reaches", async () => {
    const machine = await createMachine(service, place.organizationId, { tokens: "JWT" });
    const ask = (fields: Fields) => askForTokens(service, { ...bySecret(machine), ...fields });
    const { resource } = orders;
    const given = await ask({ resource });
    expect(decodeJwt(String(given.json["access_token"]))).toMatchObject({ aud: [resource], scope: "read" });
    expect((await ask({ resource, scope: "write" })).error).toBe("invalid_scope");
    await giveRole(machine.userId, place);
    expect((await ask({ resource, scope: "write" })).json["scope"]).toBe("write");
    expect((await ask({ resource: foreign.resource })).error).toBe("invalid_target");
    const issuer = issuerOf(service);
    const own = await ask({ resource: issuer });
    expect(decodeJwt(String(own.json["access_token"]))).toMatchObject({
      aud: ["gatehouse"],
      scope: apiScope,
    });
    expect((await ask({ resource: [issuer, resource] })).error).toBe("invalid_target");
  });

  test("an exchange narrows the resources of the subject token, and adds none", async () => {
    const both = [orders.resource, stock.resource];
    const subject = await getToken({ resource: both }, { resource: both });
    const narrowed = await askForExchange(service, application, subject.token, { resource: stock.resource });
    expect(decodeJwt(String(narrowed.json["access_token"]))).toMatchObject({
      aud: [stock.resource],
      scope: "read",
    });
    const { token } = await getToken({ resource: both }, { resource: orders.resource });
    expect((await askForExchange(service, application, token, { resource: stock.resource })).error).toBe(
      "invalid_target",
    );
    const plain = await getToken({ scope: "openid" });
    expect(
      (await askForExchange(service, application, plain.token, { resource: orders.resource })).error,
    ).toBe("invalid_target");
    const gateway = await createApplication(service, await createPlace(place), { grantTypes: exchanging });
    expect((await askForExchange(service, gateway, token)).error).toBe("invalid_request");
  });

  test("a pushed request keeps all of its resources, and so does a device", async () => {
    const resource = [orders.resource, stock.resource];
    const { requestUri } = await push(service, application, { resource, scope: "read" });
    const browser = await browserOf();
    const { cookie } = browser;
    const begun = await browse(service, broughtPath(application, requestUri), { cookie });
    expect(begun.headers.get("location")).toMatch(/\/login\//); // asks for the API of the other project
    const device = await createDeviceApplication(service, place, jwtTokens);
    const { json } = await askForDevice(service, device, { resource: orders.resource, scope: "read" });
    const waiting = {
      deviceCode: String(json["device_code"]),
      userCode: String(json["user_code"]),
      link: String(json["verification_uri_complete"]),
    };
    await allowDevice(service, waiting, browser.userId);
    const given = await poll(service, device, waiting, { resource: orders.resource });
    expect(decodeJwt(String(given.json["access_token"]))).toMatchObject({
      aud: [orders.resource],
      scope: "read",
    });
    expect((await askForDevice(service, device, { resource: foreign.resource })).error).toBe(
      "invalid_target",
    );
  });
});

describe("our own API as a resource (A4)", () => {
  test("takes tokens of applications with api_access alone", async () => {
    const resource = issuerOf(service);
    const { back } = await authorize(service, application, { parameters: { resource } });
    expect(back["error"]).toBe("invalid_target");
    const trusted = await createApplication(service, place, { apiAccess: true });
    const browser = await browserOf();
    const code = await getCode(service, trusted, { browser, parameters: { resource, scope: undefined } });
    const { json } = await askForTokens(service, redemption(trusted, code, { resource }));
    expect(json["scope"]).toBe(apiScope);
    const called = await browse(service, "/v1/users/me", {
      authorization: `Bearer ${String(json["access_token"])}`,
    });
    expect(called.status).toBe(200);
  });
});
