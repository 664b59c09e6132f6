import { afterAll, describe, expect, test } from "@jest/globals";
import { decodeJwt, exportJWK, SignJWT } from "jose";
import { generateKeyPairSync } from "node:crypto";
import { ExternalClientKind } from "../../../gen/gatehouse/v1/application_pb.ts";
import { ApplicationService } from "../../../gen/gatehouse/v1/application_service_pb.ts";
import { removeUnusedClients } from "../../../src/identity/external-clients/registration.ts";
import { startService } from "../../support/service.ts";
import { createCaller, createHumanUser, createProject, createServiceUser } from "../../support/world.ts";
import { documentRedirect, openDocumentHost } from "./support/document-host.ts";
import { createLoginPlace } from "./support/login-place.ts";
import { askForTokens, issuerOf, postForm } from "./support/machine.ts";
import {
  authorize,
  authorizeAndConfirm,
  getTokens,
  redemption,
  refresh,
  signIn,
} from "./support/signed-in.ts";

const service = await startService({ dev: true });
const host = await openDocumentHost();
afterAll(async () => {
  host.stop();
  await service.stop();
});

const { method } = ApplicationService;
const minuteMs = 60_000;
const { METADATA_DOCUMENT, REGISTRATION } = ExternalClientKind;
const place = await createLoginPlace(service);
const inside = createCaller(service, place.organizationId);
const other = await createLoginPlace(service);
const resource = "urn:example:tools";
const closed = "urn:example:closed";
const scopes = [
  { name: "tools", description: "", isDefault: true, roleKeys: [] },
  { name: "more", description: "", isDefault: false, roleKeys: [] },
];
const api = { projectId: await createProject(service, place.organizationId), scopes };
await inside(method.createApiApplication, { ...api, name: "Tools", resource, allowExternalClients: true });
await inside(method.createApiApplication, { ...api, name: "Closed", resource: closed });
const inOther = createCaller(service, other.organizationId);
await inOther(method.createApiApplication, {
  projectId: other.projectId,
  name: "Theirs",
  resource: "urn:example:theirs",
  scopes,
});

async function set(kinds: readonly ExternalClientKind[], hostPatterns: readonly string[] = []) {
  await service.call(method.updateExternalClientSettings, {
    kinds: [...kinds],
    hostPatterns: [...hostPatterns],
    projectId: place.projectId,
  });
}
await set([METADATA_DOCUMENT, REGISTRATION]);

const browser = await signIn(service, await createHumanUser(service, place.organizationId));
const foreigner = await signIn(service, await createHumanUser(service, other.organizationId));

/** A client with a document, as a test application. */
function clientOf(clientId: string, redirectUri = documentRedirect) {
  return { clientId, secret: "", projectId: place.projectId, redirectUri };
}

/** Each document is another path, and each test another minute: a network may have ten fetched in one. */
function nextMinute() {
  service.clock.turn(minuteMs);
}

async function register(members: Readonly<Record<string, unknown>>) {
  const answer = await service.http.send({
    method: "POST",
    path: "/oauth/v2/register",
    headers: { host: `localhost:${service.port}`, "content-type": "application/json" },
    body: JSON.stringify({ client_name: "Agent", redirect_uris: [documentRedirect], ...members }),
  });
  return { status: answer.status, json: JSON.parse(answer.text) as Record<string, unknown> };
}

/** One for several cases: a network may register twenty in a day. */
const firstRegistered = register({});

async function metadata(path = "/.well-known/oauth-authorization-server") {
  const answer = await service.http.send({ method: "GET", path, headers: {} });
  return JSON.parse(answer.text) as Record<string, unknown>;
}

describe("clients with a metadata document (A5)", () => {
  test("let a user confirm each login, and get tokens for themselves and the resource that they name", async () => {
    const application = clientOf(host.put("/agent"));
    for (const from of [browser, foreigner]) {
      const parameters = { resource, scope: "openid tools offline_access" };
      const asked = await authorizeAndConfirm(service, application, { browser: from, parameters });
      expect("page" in asked && asked.page).toContain(new URL(host.origin).host);
      expect("page" in asked && asked.page).toContain("agent.example");
      const form = redemption(application, asked.back["code"] ?? "", { resource });
      const { json } = await askForTokens(service, form);
      const claims = decodeJwt(String(json["access_token"]));
      expect(claims).toMatchObject({ aud: [resource], client_id: application.clientId });
      expect(decodeJwt(String(json["id_token"])).aud).toBe(application.clientId);
      const again = await refresh(service, application, String(json["refresh_token"]));
      expect(decodeJwt(String(again.json["access_token"])).aud).toEqual([application.clientId]);
    }
    const silent = await authorize(service, application, { browser, parameters: { prompt: "none" } });
    expect(silent.back).toMatchObject({ error: "consent_required" });
    expect(host.count("/agent")).toBe(1);
  });

  test.each([
    ["urn:zitadel:iam:org:project:id:zitadel:aud", undefined, "invalid_scope"],
    ["urn:zitadel:iam:org:projects:roles", undefined, "invalid_scope"],
    ["groups", undefined, "invalid_scope"],
    ["tools", closed, "invalid_target"],
    ["tools", "urn:example:theirs", "invalid_target"],
  ])("may not ask for %s at %s", async (scope, at, error) => {
    const parameters = { scope: `openid ${scope}`, resource: at };
    const { json } = await firstRegistered;
    for (const clientId of [host.put("/agent"), String(json["client_id"])]) {
      const { back } = await authorize(service, clientOf(clientId), { browser, parameters });
      expect([clientId, back]).toEqual([clientId, expect.objectContaining({ error })]);
    }
  });

  test("are warned of on the device, where any port counts, but no other path", async () => {
    nextMinute();
    const registered = "http://127.0.0.1/callback";
    const clientId = host.put("/native", { redirect_uris: [registered] });
    const application = clientOf(clientId, "http://127.0.0.1:5000/callback");
    const asked = await authorizeAndConfirm(service, application, { browser });
    expect("page" in asked && asked.page).toContain("on your own device");
    expect(asked.back["code"]).toBeDefined();
    const elsewhere = clientOf(clientId, "http://127.0.0.1:5000/other");
    expect((await authorize(service, elsewhere, { browser })).status).toBe(400);
  });

  test.each([
    ["names another client", { client_id: "https://other.example/client" }],
    ["shares a secret", { client_secret: "0123456789" }],
    ["authenticates by a secret", { token_endpoint_auth_method: "client_secret_basic" }],
    ["has no good redirect URI", { redirect_uris: ["http://agent.example/callback"] }],
    ["has a name that nobody sees", { client_name: "A\u202Egent" }],
    ["is too large", { client_uri: "x".repeat(6000) }],
  ])("are unknown if the document %s", async (_what, members) => {
    nextMinute();
    const clientId = host.put(`/wrong-${_what.length}`, members);
    expect((await authorize(service, clientOf(clientId), { browser })).status).toBe(400);
    const path = new URL(clientId).pathname;
    host.put(path);
    expect((await authorize(service, clientOf(clientId), { browser })).status).toBe(400);
    expect(host.count(path)).toBe(1);
    nextMinute();
    expect((await authorize(service, clientOf(clientId), { browser })).status).toBe(303);
  });

  test("are unknown behind a redirect, at private hosts, and under another spelling of the URL", async () => {
    nextMinute();
    const redirects = host.answer("/moved", { status: 302, headers: { location: "/agent" } });
    const wrong = [
      redirects,
      `${host.origin}/a/../agent`,
      `${host.origin}/agent#x`,
      host.origin,
      "https://10.0.0.1/a",
    ];
    for (const clientId of wrong)
      expect((await authorize(service, clientOf(clientId), { browser })).status).toBe(400);
  });

  test("end for what users have confirmed when the document says something else", async () => {
    nextMinute();
    const application = clientOf(host.put("/changing"));
    const { refreshToken } = await getTokens(service, application, { browser });
    const { back } = await authorizeAndConfirm(service, application, { browser });
    host.put("/changing", { client_uri: "https://agent.example" }, { "cache-control": "max-age=3600" });
    service.clock.turn(6 * minuteMs);
    const kept = await refresh(service, application, refreshToken);
    expect(kept.status).toBe(200);
    host.put("/changing", { redirect_uris: [documentRedirect, "https://agent.example/second"] });
    service.clock.turn(30 * minuteMs);
    const unseen = await refresh(service, application, String(kept.json["refresh_token"]));
    expect(unseen.status).toBe(200); // the document holds for an hour
    service.clock.turn(31 * minuteMs);
    const ended = await refresh(service, application, String(unseen.json["refresh_token"]));
    expect(ended.json).toMatchObject({ error: "invalid_grant" });
    const code = await askForTokens(service, redemption(application, back["code"] ?? ""));
    expect(code.json).toMatchObject({ error: "invalid_grant" });
    const { json } = await getTokens(service, application, { browser });
    expect(json["refresh_token"]).toBeDefined();
  });

  test("prove themselves by a key of their own, of which the next one may be at its URL", async () => {
    nextMinute();
    const [first, second] = [1, 2].map(() => generateKeyPairSync("ec", { namedCurve: "P-256" }));
    const keySet = async (pair = first) => ({ keys: [pair && (await exportJWK(pair.publicKey))] });
    const uri = host.answer("/keys", { body: JSON.stringify(await keySet()) });
    const clientId = host.put("/proved", { token_endpoint_auth_method: "private_key_jwt", jwks_uri: uri });
    const application = clientOf(clientId);
    const prove = async (pair = first) => ({
      client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
      client_assertion: await new SignJWT({ jti: crypto.randomUUID() })
        .setProtectedHeader({ alg: "ES256" })
        .setIssuer(clientId)
        .setSubject(clientId)
        .setAudience(issuerOf(service))
        .setExpirationTime(Math.floor(service.clock.nowMs() / 1000) + 60)
        .sign(pair?.privateKey ?? new Uint8Array()),
    });
    const parameters = { scope: "openid offline_access" };
    const { back } = await authorizeAndConfirm(service, application, { browser, parameters });
    const form = redemption(application, back["code"] ?? "");
    expect((await askForTokens(service, form)).json).toMatchObject({ error: "invalid_client" });
    const { json } = await askForTokens(service, { ...form, ...(await prove()) });
    host.answer("/keys", { body: JSON.stringify(await keySet(second)) });
    service.clock.turn(6 * minuteMs);
    const token = String(json["refresh_token"]);
    expect((await refresh(service, application, token, await prove(second))).status).toBe(200);
  });

  test("are looked up ten times a minute for a network, and at the token endpoint too", async () => {
    nextMinute();
    const answers: number[] = [];
    for (let at = 0; at < 11; at++) {
      const sent = clientOf(host.put(`/many-${at}`));
      answers.push((await authorize(service, sent, { browser })).status);
    }
    expect(answers.filter((status) => status === 303)).toHaveLength(10);
    expect(answers.at(-1)).toBe(429);
    const pushed = await postForm(service, "/oauth/v2/par", { client_id: host.put("/many-12") });
    expect(pushed.status).toBe(429);
  });

  test("are listed, and can be deactivated and removed, and nothing else", async () => {
    nextMinute();
    const clientId = host.put("/listed");
    const application = clientOf(clientId);
    const { refreshToken } = await getTokens(service, application, { browser });
    const name = { projectId: place.projectId, appId: clientId };
    const read = await inside(method.getApplication, name);
    expect(read["application"]).toMatchObject({
      id: clientId,
      oidc: { externalClient: "EXTERNAL_CLIENT_KIND_METADATA_DOCUMENT" },
    });
    for (const wrong of [
      inside(method.updateApplication, { ...name, name: "Mine" }),
      inside(method.updateOidcConfig, { ...name, redirectUris: ["https://mine.example/"] }),
      inside(method.generateClientSecret, name),
    ])
      await expect(wrong).rejects.toThrow("WRONG_KIND");
    await inside(method.deactivateApplication, name);
    expect((await refresh(service, application, refreshToken)).json).toMatchObject({
      error: "invalid_client",
    });
    await expect(inside(method.reactivateApplication, name)).rejects.toThrow("WRONG_KIND");
    expect((await authorize(service, application, { browser })).status).toBe(400);
    await inside(method.removeApplication, name);
    expect((await authorize(service, application, { browser })).status).toBe(303);
  });
});

describe("clients that register themselves (A6)", () => {
  test("get what they ask for, and tokens by it", async () => {
    const { status, json } = await register({
      redirect_uris: ["http://localhost:3000/callback"],
      grant_types: ["authorization_code", "refresh_token", "implicit"],
      logo_uri: `${host.origin}/logo`,
    });
    expect({ status, json }).toMatchObject({
      status: 201,
      json: {
        application_type: "native",
        token_endpoint_auth_method: "client_secret_basic",
        grant_types: ["authorization_code", "refresh_token"],
      },
    });
    const application = {
      ...clientOf(String(json["client_id"]), "http://localhost:4000/callback"),
      secret: String(json["client_secret"]),
    };
    const { accessToken } = await getTokens(service, application, { browser });
    expect(decodeJwt(accessToken).aud).toEqual([application.clientId]);
    for (const redirectUri of ["http://localhost:4000/other", "http://127.0.0.1:4000/callback"]) {
      const elsewhere = await authorize(service, { ...application, redirectUri }, { browser });
      expect([redirectUri, elsewhere.status]).toEqual([redirectUri, 400]);
    }
    expect(host.count("/logo")).toBe(0);
  });

  test.each([
    ["invalid_redirect_uri", { redirect_uris: [] }],
    ["invalid_redirect_uri", { application_type: "web", redirect_uris: ["http://localhost/callback"] }],
    ["invalid_redirect_uri", { redirect_uris: ["https://agent.example/*"] }],
    ["unapproved_software_statement", { software_statement: "a.b.c" }],
    ["invalid_client_metadata", { token_endpoint_auth_method: "client_secret_jwt" }],
    ["invalid_client_metadata", { grant_types: ["client_credentials"] }],
    ["invalid_client_metadata", { token_endpoint_auth_method: "private_key_jwt", jwks: { keys: [] } }],
    ["invalid_client_metadata", { client_name: 5 }],
  ])("are refused as %s: %j", async (error, members) => {
    expect(await register(members)).toMatchObject({ status: 400, json: { error } });
  });

  test("register twenty times a day at an address, go when nobody logs in, and stop with the setting", async () => {
    service.clock.turn(25 * 60 * minuteMs);
    const used = await signIn(service, await createHumanUser(service, place.organizationId));
    const registered: Record<string, unknown>[] = [];
    for (let at = 0; at < 20; at++)
      registered.push((await register({ token_endpoint_auth_method: "none" })).json);
    expect(await register({})).toMatchObject({ status: 429, json: { error: "temporarily_unavailable" } });
    const [seen, unseen] = registered.map(({ client_id: id }) => clientOf(String(id)));
    if (seen === undefined || unseen === undefined) throw new Error("nothing was registered");
    await getTokens(service, seen, { browser: used, scope: "openid" });
    service.clock.turn(25 * 60 * minuteMs);
    await removeUnusedClients(service.context);
    const today = await signIn(service, browser.userId);
    expect((await authorize(service, seen, { browser: today })).status).toBe(303);
    expect((await authorize(service, unseen, { browser: today })).status).toBe(400);
    service.clock.turn(91 * 24 * 60 * minuteMs);
    await removeUnusedClients(service.context);
    expect((await authorize(service, seen, { browser: today })).status).toBe(400);
  });
});

test("the setting turns each way on and off, and limits the hosts", async () => {
  nextMinute();
  const today = await signIn(service, browser.userId);
  const application = clientOf(host.put("/setting"));
  expect(await metadata()).toMatchObject({
    client_id_metadata_document_supported: true,
    registration_endpoint: expect.stringContaining("/oauth/v2/register"),
    scopes_supported: ["openid", "profile", "email", "phone", "offline_access"], // some clients ask for all of them
  });
  const forAll = await metadata("/.well-known/openid-configuration");
  expect(forAll["scopes_supported"]).toContain("groups");
  expect((await authorize(service, application, { browser: today })).status).toBe(303);
  const registered = await register({ token_endpoint_auth_method: "none" });
  const registrant = clientOf(String(registered.json["client_id"]));
  expect((await authorize(service, registrant, { browser: today })).status).toBe(303);
  await set([METADATA_DOCUMENT], ["*.example.com"]);
  expect((await authorize(service, registrant, { browser: today })).status).toBe(400);
  expect((await authorize(service, application, { browser: today })).status).toBe(400);
  expect(await register({})).toMatchObject({ status: 403, json: { error: "access_denied" } });
  await set([METADATA_DOCUMENT], ["127.0.0.1"]);
  expect((await authorize(service, application, { browser: today })).status).toBe(303);
  await set([]);
  expect((await authorize(service, application, { browser: today })).status).toBe(400);
  expect(await metadata()).not.toHaveProperty("client_id_metadata_document_supported");
  const wrong = { kinds: [METADATA_DOCUMENT], hostPatterns: ["HOST"], projectId: "" };
  await expect(service.call(method.updateExternalClientSettings, wrong)).rejects.toThrow("FIELD_INVALID");
  const nowhere = { kinds: [], projectId: "1" };
  await expect(service.call(method.updateExternalClientSettings, nowhere)).rejects.toThrow("NOT_FOUND");
  const owner = await createServiceUser(service, place.organizationId, "ORGANIZATION_OWNER");
  const asOwner = createCaller(service, place.organizationId, owner.token);
  await expect(asOwner(method.updateExternalClientSettings, nowhere)).rejects.toThrow("PERMISSION_DENIED");
});
