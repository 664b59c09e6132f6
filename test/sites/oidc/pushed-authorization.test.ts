// Pushed authorization requests (RFC 9126).
import { afterAll, describe, expect, test } from "@jest/globals";
import { ApplicationService } from "../../../gen/gatehouse/v1/application_service_pb.ts";
import { OidcAppType, OidcAuthMethodType } from "../../../gen/gatehouse/v1/oidc_pb.ts";
import { ProjectService } from "../../../gen/gatehouse/v1/project_service_pb.ts";
import { type ApplicationId, toId } from "../../../src/kernel/base/ids.ts";
import { putPushedRequest } from "../../../src/identity/protocol-state/pushed-requests/repository.ts";
import type { PageRefusal } from "../../../src/sites/login/page-refusal.ts";
import { hashHolder, maxWaiting } from "../../../src/sites/oidc/clients/room.ts";
import { findAsked } from "../../../src/sites/oidc/pushed/find-asked.ts";
import { parseParameters } from "../../../src/sites/oidc/requests/form.ts";
import { startService } from "../../support/service.ts";
import { createCaller, createHumanUser, createProject, idOf } from "../../support/world.ts";
import { afterLogout, createApplication, redirectUri } from "./support/application.ts";
import { addApplicationKey, createLoginPlace } from "./support/login-place.ts";
import { browse, credentialsOf, redemption, signIn } from "./support/signed-in.ts";
import {
  askForTokens,
  basic,
  clientAssertionType,
  createMachine,
  issuerOf,
  keyPairs,
  postForm,
  signAssertion,
} from "./support/machine.ts";
import { broughtPath, push, pushPath } from "./support/pushed.ts";

const service = await startService({ "trusted-proxies": "127.0.0.1" });
const place = await createLoginPlace(service);
const application = await createApplication(service, place);
const other = await createApplication(service, place);
const native = await createApplication(service, place, {
  appType: OidcAppType.NATIVE,
  authMethodType: OidcAuthMethodType.NONE,
  redirectUris: ["http://127.0.0.1/cb", "com.example.app:/cb"],
});
const browser = await signIn(service, await createHumanUser(service, place.organizationId));
afterAll(() => service.stop());

const state = "the state of a request";

/** Brings a reference with the session, and returns where the browser goes, or the title of the page. */
async function bring(requestUri: string, how: Parameters<typeof broughtPath>[2] = {}, by = application) {
  const answer = await browse(service, broughtPath(by, requestUri, how), { cookie: browser.cookie });
  const location = answer.headers.get("location");
  const back = location === null ? {} : Object.fromEntries(new URL(location).searchParams);
  return { ...answer, location, back, title: /<h1>(.*?)<\/h1>/.exec(answer.text)?.[1] };
}

/** Expects a page that sends the browser nowhere. */
function expectPage({ status, location, title }: Awaited<ReturnType<typeof bring>>, expected: string): void {
  expect({ status, location, title }).toEqual({ status: 400, location: null, title: expected });
}

const beginAgain = "Please begin again";
const cannotBegin = "This sign-in cannot begin";

describe("a pushed request (RFC 9126 §2)", () => {
  test("is answered with a reference, which logs in once", async () => {
    const { status, headers, json, requestUri } = await push(service, application);
    expect(status).toBe(201);
    expect(json).toEqual({ request_uri: requestUri, expires_in: 60 });
    expect(requestUri).toMatch(/^urn:ietf:params:oauth:request_uri:[\w-]{43}$/);
    expect(headers.get("cache-control")).toBe("no-store");
    expect(headers.get("content-type")).toBe("application/json");
    const { status: redirected, back, location } = await bring(requestUri);
    expect([redirected, back["state"], back["iss"]]).toEqual([303, state, issuerOf(service)]);
    expect(location?.startsWith(`${redirectUri}&`)).toBe(true);
    const { status: redeemed } = await askForTokens(service, redemption(application, String(back["code"])));
    expect(redeemed).toBe(200);
    const again = await bring(requestUri);
    expectPage(again, beginAgain);
    expect(again.text).toContain(`<a href="${afterLogout}">Back to the application</a>`);
  });

  test("counts as it was pushed, whatever the browser brings besides (RFC 9126 §4)", async () => {
    const { requestUri } = await push(service, application, { scope: "openid email", state: undefined });
    const { back } = await bring(requestUri, {
      redirect_uri: "https://evil.example/",
      state: "evil",
      scope: "openid profile offline_access",
      response_type: "token",
      prompt: "none login",
      code_challenge: "x",
      response_mode: "form_post",
    });
    expect(back).not.toHaveProperty("state");
    const { json } = await askForTokens(service, redemption(application, String(back["code"])));
    expect(json["scope"]).toBe("openid email");
  });

  test("may be brought by a form, which begins a login that has used it", async () => {
    const { requestUri } = await push(service, application);
    const form = { client_id: application.clientId, request_uri: requestUri, state: "evil" };
    const posted = await postForm(service, "/oauth/v2/authorize", form);
    expect([posted.status, posted.headers.get("location")]).toEqual([
      303,
      expect.stringMatching(/\/login\/\d+\/continue$/),
    ]);
    expectPage(await bring(requestUri), beginAgain);
    const [cookie = ""] = posted.headers.getSetCookie().map((line) => line.replace(/;.*/, ""));
    const { pathname } = new URL(posted.headers.get("location") ?? "");
    const ended = await browse(service, pathname, { cookie: `${cookie}; ${browser.cookie}` });
    expect(new URL(ended.headers.get("location") ?? "").searchParams.get("state")).toBe(state);
  });

  test("without a session leads to the pages, and is used", async () => {
    const { requestUri } = await push(service, application);
    const begun = await browse(service, broughtPath(application, requestUri));
    expect(begun.headers.get("location")).toMatch(/\/login\/\d+$/);
    expectPage(await bring(requestUri), beginAgain);
  });

  test("with prompt=none and without a session is refused to the application, and is used", async () => {
    const { requestUri } = await push(service, application, { prompt: "none" });
    const { headers } = await browse(service, broughtPath(application, requestUri));
    expect(new URL(headers.get("location") ?? "").searchParams.get("error")).toBe("login_required");
    expectPage(await bring(requestUri), beginAgain);
  });

  test("lives for a minute", async () => {
    const { requestUri } = await push(service, application);
    service.clock.turn(59_999);
    const { requestUri: late } = await push(service, application);
    expect((await bring(requestUri)).back).toHaveProperty("code");
    service.clock.turn(60_000);
    expectPage(await bring(late), beginAgain);
  });

  test("is for one application alone, and another one cannot use it up", async () => {
    const { requestUri } = await push(service, application);
    const stolen = await bring(requestUri, {}, other);
    expectPage(stolen, beginAgain);
    expect(stolen.text).not.toContain(requestUri);
    expect((await bring(requestUri)).back).toHaveProperty("code");
  });

  test("that was found by several before one of them has used it is used by one", async () => {
    const { requestUri } = await push(service, application);
    const { context } = service;
    const brought = parseParameters(broughtPath(application, requestUri).replace(/^.*\?/, ""));
    const found = await Promise.all(
      Array.from({ length: 8 }, () => findAsked(context, brought, issuerOf(service))),
    );
    const uses = found.map(({ use }) => context.database.write(async (tx) => await use?.(tx)));
    const outcomes = await Promise.allSettled(uses);
    const refused = outcomes.filter((outcome) => outcome.status === "rejected");
    expect(refused.map(({ reason }) => (reason as PageRefusal).kind)).toEqual(
      Array.from({ length: 7 }, () => "begin-again"),
    );
  });
});

describe("a reference is a page of an error", () => {
  test("when nobody has given it out", async () => {
    expectPage(await bring(`urn:ietf:params:oauth:request_uri:${"A".repeat(43)}`), beginAgain);
    expectPage(await bring("urn:ietf:params:oauth:request_uri:"), beginAgain);
  });

  test("without client_id, with an unknown one, when either is sent twice, and beside a request object", async () => {
    const { requestUri } = await push(service, application);
    expectPage(await bring(requestUri, { client_id: undefined }), cannotBegin);
    expectPage(await bring(requestUri, { client_id: "1" }), cannotBegin);
    // The last one is the same in another way.
    for (const name of ["client_id", "request_uri", "request"]) {
      const path = `${broughtPath(application, requestUri)}&${name}=x`;
      const { status, headers } = await browse(service, path, { cookie: browser.cookie });
      expect([status, headers.get("location")]).toEqual([400, null]);
    }
    expect((await bring(requestUri)).back).toHaveProperty("code"); // none of them has used it
  });

  test("when the application is switched off, has lost its redirect URI, or is gone", async () => {
    const inside = createCaller(service, place.organizationId);
    const projectId = await createProject(service, place.organizationId);
    const gone = await createApplication(service, { ...place, projectId });
    const named = { projectId, appId: gone.clientId };
    const stored = () => service.context.database.read((tx) => tx.all("SELECT hash FROM pushed_requests"));
    const { requestUri } = await push(service, gone);
    await inside(ApplicationService.method.deactivateApplication, named);
    expect((await bring(requestUri, {}, gone)).title).toBe("This application is switched off");
    expect(await push(service, gone)).toMatchObject({ status: 401, error: "invalid_client" });
    await inside(ApplicationService.method.reactivateApplication, named);
    await inside(ApplicationService.method.updateOidcConfig, {
      ...named,
      redirectUris: ["https://app.example/new"],
    });
    expectPage(await bring(requestUri, {}, gone), cannotBegin);
    const before = (await stored()).length;
    await inside(ApplicationService.method.removeApplication, named);
    expect((await stored()).length).toBe(before - 1);
    const last = await createApplication(service, { ...place, projectId });
    expect((await push(service, last)).status).toBe(201);
    await inside(ProjectService.method.removeProject, { id: projectId });
    expect((await stored()).length).toBe(before - 1);
  });
});

test("any other request_uri is not supported, and the application is told", async () => {
  const path = `${broughtPath(application, "https://app.example/request")}&${new URLSearchParams({ redirect_uri: redirectUri, response_type: "code", scope: "openid" }).toString()}`;
  const { headers } = await browse(service, path);
  expect(new URL(headers.get("location") ?? "").searchParams.get("error")).toBe("request_uri_not_supported");
});

describe("a pushed request is refused", () => {
  test.each<readonly [string, Readonly<Record<string, string | undefined>>, string]>([
    [
      "with a reference",
      { request_uri: `urn:ietf:params:oauth:request_uri:${"A".repeat(43)}` },
      "invalid_request",
    ],
    ["with a request object", { request: "a.b.c" }, "request_not_supported"],
    ["without client_id", { client_id: undefined }, "invalid_request"],
    ["with a redirect_uri of others", { redirect_uri: "https://evil.example/" }, "invalid_request"],
    ["without openid", { scope: "profile" }, "invalid_scope"],
    ["with plain PKCE", { code_challenge_method: "plain" }, "invalid_request"],
  ])("%s", async (_name, fields, error) => {
    const answer = await push(service, application, fields);
    expect(answer).toMatchObject({ status: 400, error, requestUri: "" });
    expect(answer.json["error_description"]).not.toContain("evil");
  });

  test("with a parameter sent twice, in JSON, and with another verb", async () => {
    const twice = await postForm(service, pushPath, "scope=openid&scope=openid");
    expect(JSON.parse(twice.text)).toMatchObject({ error: "invalid_request" });
    const json = await postForm(service, pushPath, "{}", { "content-type": "application/json" });
    expect([json.status, JSON.parse(json.text)]).toEqual([
      400,
      expect.objectContaining({ error: "invalid_request" }),
    ]);
    const { status, headers } = await service.http.send({ method: "GET", path: pushPath, headers: {} });
    expect([status, headers.get("allow")]).toEqual([405, "POST"]);
  });

  test("to whoever cannot authenticate (RFC 9126 §2), as at the token endpoint", async () => {
    const { status, headers, error } = await push(service, application, { client_secret: "wrong" });
    expect([status, error, headers.get("www-authenticate")]).toEqual([
      401,
      "invalid_client",
      'Basic realm="gatehouse"',
    ]);
    expect(await push(service, application, { client_secret: undefined })).toMatchObject({
      error: "invalid_client",
    });
    expect(await push(service, application, { client_id: other.clientId })).toMatchObject({
      error: "invalid_client",
    });
    const { client_id: id, client_secret: secret = "" } = credentialsOf(application);
    for (const [sent, refused] of [
      [secret, undefined], // client_secret_post is only what is recommended to it
      ["wrong", "invalid_client"],
    ] as const)
      expect((await push(service, application, { client_secret: undefined }, basic(id, sent))).error).toBe(
        refused,
      );
  });

  test("to service users and APIs, which let nobody log in", async () => {
    const machine = await createMachine(service, place.organizationId);
    const asMachine = { client_id: machine.userId, client_secret: machine.secret };
    expect(await push(service, application, asMachine)).toMatchObject({
      status: 400,
      error: "unauthorized_client",
    });
    const made = await createCaller(service, place.organizationId)(
      ApplicationService.method.createApiApplication,
      { projectId: place.projectId, name: "An API" },
    );
    const asApi = basic(idOf(made, "clientId"), idOf(made, "clientSecret"));
    const answer = await push(
      service,
      application,
      { client_id: undefined, client_secret: undefined },
      asApi,
    );
    expect(answer).toMatchObject({ status: 400, error: "unauthorized_client" });
  });
});

test("a pushed request is refused when too many of a public client wait at one address", async () => {
  const { keyring, clock, database } = service.context;
  const [applicationId, remoteAddress] = [toId<ApplicationId>(native.clientId), "192.0.2.1"];
  const holderHash = hashHolder(keyring, "pushed request", { applicationId, remoteAddress });
  const content = { keyId: "none", value: new Uint8Array() };
  const expirationMs = clock.nowMs() + 30_000;
  await database.write(async (tx) => {
    for (let index = 1; index < maxWaiting.ofPublicClient; index++)
      await putPushedRequest(tx, {
        hash: `waiting ${index}`,
        applicationId,
        holderHash,
        content,
        expirationMs: expirationMs + index,
      });
  });
  const pushFrom = (address: string) =>
    push(service, native, { redirect_uri: "http://127.0.0.1/cb" }, { "x-forwarded-for": address });
  const last = await pushFrom(remoteAddress);
  expect(last.status).toBe(201);
  const refused = await pushFrom(remoteAddress);
  expect([refused.status, refused.error]).toEqual([429, "temporarily_unavailable"]);
  expect(refused.headers.get("retry-after")).toBe("31");
  expect((await pushFrom("192.0.2.2")).status).toBe(201);
  await bring(last.requestUri, {}, native); // what was used does not wait
  expect((await pushFrom(remoteAddress)).status).toBe(201);
});

describe("an application pushes", () => {
  test("without a secret if it has none, by its name, and from any port of its device", async () => {
    const uri = "http://127.0.0.1:49152/cb";
    const { status, requestUri } = await push(service, native, { redirect_uri: uri });
    expect(status).toBe(201);
    const { location } = await bring(requestUri, {}, native);
    expect(location?.startsWith(`${uri}?code=`)).toBe(true);
    expect(
      await push(service, native, { code_challenge: undefined, code_challenge_method: undefined }),
    ).toMatchObject({
      error: "invalid_request",
    });
  });

  test("with an assertion for the issuer or either endpoint, which it can send once, good or not", async () => {
    const settings = { authMethodType: OidcAuthMethodType.PRIVATE_KEY_JWT };
    const keyed = await createApplication(service, place, settings);
    const keyId = await addApplicationKey(
      service,
      { ...keyed, organizationId: place.organizationId, appId: keyed.clientId, secret: undefined },
      "ES256",
    );
    const key = { keyId, algorithm: "ES256", privateKey: keyPairs.ES256.privateKey };
    const sign = (audience: string) =>
      signAssertion(service, { userId: keyed.clientId, secret: "", key }, { claims: { aud: audience } });
    const send = (assertion: string, fields = {}) =>
      push(service, keyed, {
        client_assertion_type: clientAssertionType,
        client_assertion: assertion,
        ...fields,
      });
    const issuer = issuerOf(service);
    for (const audience of [issuer, `${issuer}/oauth/v2/token`, `${issuer}${pushPath}`])
      expect((await send(await sign(audience))).status).toBe(201);
    expect(await send(await sign(`${issuer}/oauth/v2/revoke`))).toMatchObject({ error: "invalid_client" });
    const assertion = await sign(issuer);
    expect(await send(assertion, { scope: "profile" })).toMatchObject({ error: "invalid_scope" });
    expect(await send(assertion)).toMatchObject({ error: "invalid_client" });
  });

  test("from pages of any origin, without cookies (the answer and its preflight)", async () => {
    const origin = "https://app.example";
    const { headers } = await push(service, application, {}, { origin });
    expect(headers.get("access-control-allow-origin")).toBe("*");
    const asked = await service.http.send({
      method: "OPTIONS",
      path: pushPath,
      headers: { origin, "access-control-request-method": "POST", "access-control-request-headers": "dpop" },
    });
    expect(asked.status).toBe(204);
    expect(asked.headers.get("access-control-allow-headers")).toBe(
      "authorization,content-type,dpop,traceparent,tracestate,baggage",
    );
    expect(asked.headers.get("access-control-allow-credentials")).toBeNull();
  });
});

test("neither the reference nor what was pushed can be read in the database", async () => {
  const { requestUri } = await push(service, application, { login_hint: "ada@analytical.example" });
  const rows = await service.context.database.read((tx) =>
    tx.all<{ hash: string; content: Uint8Array }>("SELECT hash, content FROM pushed_requests"),
  );
  const text = rows.map(({ hash, content }) => `${hash} ${Buffer.from(content).toString("latin1")}`).join();
  for (const secret of [requestUri.slice(-43), "ada@analytical.example", state, application.secret])
    expect(text).not.toContain(secret);
});
