// The console as a client of OpenID Connect: built in, for users of every organization and for nothing but our own API.
import { fromBinary } from "@bufbuild/protobuf";
import { afterAll, describe, expect, test } from "@jest/globals";
import { decodeJwt } from "jose";
import { LoginPolicyService } from "../../../gen/gatehouse/v1/login_policy_service_pb.ts";
import { SessionService } from "../../../gen/gatehouse/v1/session_service_pb.ts";
import { GetMyPermissionsResponseSchema } from "../../../gen/gatehouse/v1/membership_service_pb.ts";
import { UserSchema } from "../../../gen/gatehouse/v1/user_pb.ts";
import { UserService } from "../../../gen/gatehouse/v1/user_service_pb.ts";
import { hashAccessToken } from "../../../src/identity/logins/access-tokens/access-token.ts";
import { findAccessToken } from "../../../src/identity/logins/access-tokens/repository.ts";
import { findApplicationHome } from "../../../src/sites/login/standalone/application-home.ts";
import { canaries } from "../../support/canaries.ts";
import { answerOf, refusalOf, startService } from "../../support/service.ts";
import { createCaller, createHumanUser, createWorld } from "../../support/world.ts";
import { createApplication } from "./support/application.ts";
import { createMachine, issuerOf, askForTokens, jwtBearer, postForm } from "./support/machine.ts";
import { createLoginPlace, createPerson, type TestPerson } from "./support/login-place.ts";
import {
  authorize,
  authorizePath,
  browse,
  getCode,
  getTokens,
  redemption,
  signIn,
  type TestBrowser,
} from "./support/signed-in.ts";
import { broughtPath, push } from "./support/pushed.ts";
import { openUserAgent, type Visited } from "./support/user-agent.ts";

const clientId = "gatehouse-console";

const service = await startService();
const world = await createWorld(service);
const redirectUri = `${issuerOf(service)}/console/callback`;
const consoleClient = { clientId, secret: "", projectId: "", redirectUri };
const userId = await createHumanUser(service, world.organizationId);
const browser = await signIn(service, userId);
afterAll(() => service.stop());

const ask = (parameters: Readonly<Record<string, string | undefined>>, by: TestBrowser = browser) =>
  authorize(service, consoleClient, { browser: by, parameters });

async function enter(token: string): Promise<unknown> {
  const outcome = await service.clients.json.call(UserService.method.getMyUser, {}, { token });
  return outcome.kind === "answer" ? "in" : refusalOf(outcome).reason;
}

describe("the console", () => {
  test("lets a user of any organization in, without asking whether it may, and calls our API for them", async () => {
    const other = await createLoginPlace(service);
    const person = await createPerson(service, other.organizationId);
    const of = await signIn(service, person.userId);
    for (const by of [browser, of]) {
      const { accessToken, idToken, refreshToken, json } = await getTokens(service, consoleClient, {
        browser: by,
      });
      expect(await enter(accessToken)).toBe("in");
      expect(decodeJwt(idToken)).toMatchObject({
        iss: issuerOf(service),
        aud: clientId,
        azp: clientId,
        sub: by.userId,
        sid: by.sessionId,
      });
      expect([refreshToken, json["scope"]]).toEqual(["", "openid"]);
    }
  });

  test("has tokens for itself and our API alone, whatever it asks for", async () => {
    const scope = `openid profile urn:zitadel:iam:org:project:id:${world.projectId}:aud`;
    const { accessToken, json } = await getTokens(service, consoleClient, { browser, scope });
    expect(json["scope"]).toBe("openid profile");
    const hash = hashAccessToken(accessToken);
    const stored = await service.context.database.read((tx) => findAccessToken(tx, hash));
    expect(stored?.audiences).toEqual([clientId, "gatehouse"]);
    const server = await createApplication(service, world);
    const asked = { token: accessToken, client_id: server.clientId, client_secret: server.secret };
    const told = await postForm(service, "/oauth/v2/introspect", asked);
    expect(JSON.parse(told.text)).toEqual({ active: false });
  });

  test("shows the name and the policy of the instance on its pages", async () => {
    const person = await createPerson(service, world.organizationId);
    const [first, ...others] = await logInByPages(person);
    expect(first?.page?.text).toContain("to continue to <bdi>Gatehouse</bdi>");
    const { url } = others.at(-1) ?? { url: undefined };
    expect(`${url?.origin}${url?.pathname}`).toBe(consoleClient.redirectUri);
    expect(url?.searchParams.get("code")).not.toBeNull();
  });

  test("lets nobody register, though the policy of the instance lets people register elsewhere", async () => {
    await service.call(LoginPolicyService.method.updateDefaultLoginPolicy, {
      allowPassword: true,
      allowRegistration: true,
    });
    expect((await ask({ prompt: "create" })).back).toMatchObject({ error: "invalid_request" });
    const named = `openid urn:zitadel:iam:org:id:${world.organizationId}`;
    expect((await ask({ prompt: "create", scope: named })).back).toMatchObject({ error: "invalid_request" });
  });

  test("is named by the events of the login, and by the session", async () => {
    const person = await createPerson(service, world.organizationId);
    await logInByPages(person);
    const rows = await service.context.database.read((tx) =>
      tx.all<{ type: string; payload: string }>(
        "SELECT type, payload FROM events WHERE payload LIKE ? ORDER BY sequence",
        [`%${person.userId}%`],
      ),
    );
    const named = rows.filter(({ payload }) => JSON.parse(payload).application_id === clientId);
    expect(named.map(({ type }) => type)).toEqual(["session.added", "authorization.granted"]);
    const call = createCaller(service, world.organizationId);
    const { sessions } = await call(SessionService.method.listSessions, { userId: person.userId });
    expect(sessions).toHaveLength(1);
  });

  test("is marked by the event when it has no page and the session had the application before, as any application is", async () => {
    const person = await createHumanUser(service, world.organizationId);
    const by = await signIn(service, person);
    const application = await createApplication(service, world);
    for (const client of [application, application, application])
      await authorize(service, client, { browser: by });
    const rows = await service.context.database.read((tx) =>
      tx.all<{ payload: string }>(
        "SELECT payload FROM events WHERE type = 'authorization.granted' AND payload LIKE ? ORDER BY sequence",
        [`%${person}%`],
      ),
    );
    expect(rows.map(({ payload }): unknown => JSON.parse(payload).is_renewal)).toEqual([
      undefined,
      true,
      true,
    ]);
  });
});

describe("nobody gets a code of the console elsewhere", () => {
  test("by a Host of their own", async () => {
    const evil = "https://evil.example/console/callback";
    const path = authorizePath(consoleClient, { redirect_uri: evil });
    const headers = { host: "evil.example", cookie: browser.cookie, "x-forwarded-host": "evil.example" };
    const { status, headers: answered } = await service.http.send({ method: "GET", path, headers });
    expect([status, answered.get("location")]).toEqual([400, null]);
  });

  test("by a request without PKCE, or with the plain method", async () => {
    const without = { code_challenge: undefined, code_challenge_method: undefined };
    expect((await ask(without)).back).toMatchObject({ error: "invalid_request" });
    expect((await ask({ code_challenge_method: "plain" })).back).toMatchObject({ error: "invalid_request" });
  });

  test("by a code without its verifier, with another redirect URI, a second time, or as another client", async () => {
    const code = await getCode(service, consoleClient, { browser });
    const wrong = { code_verifier: "a".repeat(43) };
    for (const more of [{ code_verifier: undefined }, wrong, { redirect_uri: issuerOf(service) }])
      expect((await askForTokens(service, redemption(consoleClient, code, more))).status).toBe(400);
    const other = await createApplication(service, world);
    const stolen = { client_id: other.clientId, client_secret: other.secret };
    const asOther = await askForTokens(service, redemption(consoleClient, code, stolen));
    expect(asOther.json).toMatchObject({ error: "invalid_grant" });
    const given = await askForTokens(service, redemption(consoleClient, code));
    expect(given.status).toBe(200);
    expect((await askForTokens(service, redemption(consoleClient, code))).status).toBe(400);
    expect(await enter(String(given.json["access_token"]))).toBe("TOKEN_INVALID");
  });

  test("by another spelling of its id", async () => {
    for (const id of [
      "Gatehouse-Console",
      "gatehouse-console ",
      "gatehouse-console%00",
      "gatehouse_console",
    ]) {
      const { status } = await ask({ client_id: id });
      expect([id, status]).toEqual([id, 400]);
    }
  });
});

describe("as the console nobody", () => {
  test("uses another grant, introspects, or is a device", async () => {
    const by = { client_id: clientId };
    const { accessToken } = await getTokens(service, consoleClient, { browser });
    const grants = [
      { grant_type: "refresh_token", refresh_token: `r_${"a".repeat(43)}` },
      { grant_type: "client_credentials", scope: "openid" },
      { grant_type: "urn:ietf:params:oauth:grant-type:device_code", device_code: "a" },
      {
        grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
        subject_token: accessToken,
        subject_token_type: "urn:ietf:params:oauth:token-type:access_token",
      },
    ];
    for (const grant of grants) {
      const { json } = await askForTokens(service, { ...by, ...grant });
      expect([grant.grant_type, json["error"]]).toEqual([grant.grant_type, "unauthorized_client"]);
    }
    const assertion = { grant_type: jwtBearer, assertion: "e30.e30.e30" };
    expect((await askForTokens(service, assertion)).json).toMatchObject({ error: "invalid_grant" });
    const device = await postForm(service, "/oauth/v2/device_authorization", by);
    expect(JSON.parse(device.text)).toMatchObject({ error: "unauthorized_client" });
    const told = await postForm(service, "/oauth/v2/introspect", { ...by, token: accessToken });
    expect(told.status).toBe(401);
    expect(JSON.parse(told.text)).toMatchObject({ error: "invalid_client" });
  });

  test("authenticates: a secret is refused", async () => {
    const code = await getCode(service, consoleClient, { browser });
    const { status } = await askForTokens(
      service,
      redemption(consoleClient, code, { client_secret: "secret" }),
    );
    expect(status).toBe(401);
  });

  test("keeps a refresh token, though the scope asks for one", async () => {
    const { json } = await getTokens(service, consoleClient, { browser, scope: "openid offline_access" });
    expect([json["refresh_token"], json["scope"]]).toEqual([undefined, "openid"]);
  });

  test("pushes a request that leads elsewhere", async () => {
    const { requestUri } = await push(service, consoleClient);
    const { headers } = await browse(service, broughtPath(consoleClient, requestUri), {
      cookie: browser.cookie,
    });
    expect(headers.get("location")).toMatch(/\/console\/callback\?code=/);
    const elsewhere = { ...consoleClient, redirectUri: "https://evil.example/console/callback" };
    expect((await push(service, elsewhere)).error).toBe("invalid_request");
  });
});

describe("tokens of the console", () => {
  test("end by revocation, with the session, and when the user is locked", async () => {
    const revoked = await getTokens(service, consoleClient, { browser });
    const form = { client_id: clientId, token: revoked.accessToken };
    expect((await postForm(service, "/oauth/v2/revoke", form)).status).toBe(200);
    expect(await enter(revoked.accessToken)).toBe("TOKEN_INVALID");

    const of = await signIn(service, await createHumanUser(service, world.organizationId));
    const ended = await getTokens(service, consoleClient, { browser: of });
    await service.call(SessionService.method.terminateSession, { sessionId: of.sessionId });
    expect(await enter(ended.accessToken)).toBe("TOKEN_INVALID");

    const locked = await signIn(service, await createHumanUser(service, world.organizationId));
    const { accessToken } = await getTokens(service, consoleClient, { browser: locked });
    await service.call(UserService.method.lockUser, { userId: locked.userId });
    expect(await enter(accessToken)).toBe("TOKEN_INVALID");
  });

  test("carry what their user may do, and no more", async () => {
    const { accessToken } = await getTokens(service, consoleClient, { browser });
    const other = await createLoginPlace(service);
    const person = await createPerson(service, other.organizationId);
    const outcome = await service.clients.json.call(
      UserService.method.getUser,
      { userId: person.userId },
      { token: accessToken },
    );
    expect(refusalOf(outcome).reason).toBe("PERMISSION_DENIED");
    const mine = await service.clients.json.call(UserService.method.getMyUser, {}, { token: accessToken });
    expect(answerOf(mine)["user"]).toMatchObject({ id: userId });
  });
});

describe("the tokens of the console in one request", () => {
  const path = "/oauth/v2/console";
  const script = { "sec-fetch-site": "same-origin", "sec-fetch-dest": "empty" };
  const askForAll = async (headers: Readonly<Record<string, string | undefined>>) => {
    const { status, text, headers: answered } = await browse(service, path, headers);
    const json = JSON.parse(text) as Readonly<Record<string, unknown>>;
    if (typeof json["access_token"] === "string") canaries.add("token", json["access_token"]);
    return { status, json, headers: answered };
  };

  test("are those of the code flow, with what the first calls answer, and are not kept by anybody", async () => {
    const by = await signIn(service, userId);
    const { status, json, headers } = await askForAll({ ...script, cookie: by.cookie });
    expect([status, headers.get("cache-control")]).toEqual([200, "no-store"]);
    expect(headers.get("access-control-allow-origin")).toBeNull();
    expect(json).toMatchObject({ token_type: "Bearer", scope: "openid profile", expires_in: 3600 });
    expect(json["refresh_token"]).toBeUndefined();
    expect(decodeJwt(String(json["id_token"]))).toMatchObject({
      aud: clientId,
      sub: userId,
      sid: by.sessionId,
    });
    expect(await enter(String(json["access_token"]))).toBe("in");
    const user = fromBinary(UserSchema, Buffer.from(String(json["user"]), "base64"));
    const { scopes } = fromBinary(
      GetMyPermissionsResponseSchema,
      Buffer.from(String(json["permissions"]), "base64"),
    );
    expect([user.id, scopes]).toEqual([userId, []]);
  });

  test.each([
    ["another site", { "sec-fetch-site": "cross-site" }],
    ["another origin of the same site", { "sec-fetch-site": "same-site" }],
    ["the address bar", { "sec-fetch-site": "none", "sec-fetch-dest": "document" }],
    ["a frame", { "sec-fetch-dest": "iframe" }],
    ["a script element", { "sec-fetch-dest": "script" }],
    ["a client that does not say where it is", { "sec-fetch-site": undefined, "sec-fetch-dest": undefined }],
  ])("are not for %s, and nothing is granted", async (_name, how) => {
    const by = await signIn(service, userId);
    const before = await service.place.raw.dump();
    const { status, json } = await askForAll({ ...script, ...how, cookie: by.cookie });
    expect([status, json["error"], json["access_token"]]).toEqual([403, "access_denied", undefined]);
    expect(await service.place.raw.dump()).toEqual(before);
  });

  test("are for nobody without a session that suffices, which is no error of the browser", async () => {
    const ended = await signIn(service, await createHumanUser(service, world.organizationId));
    await service.call(SessionService.method.terminateSession, { sessionId: ended.sessionId });
    for (const cookie of [undefined, ended.cookie, `gh_session=${"a".repeat(43)}`])
      expect(await askForAll({ ...script, cookie })).toMatchObject({
        status: 200,
        json: { error: "login_required" },
      });
    const elsewhere = { ...script, cookie: browser.cookie, host: `127.0.0.1:${service.port}` };
    expect((await askForAll(elsewhere)).json).toEqual({ error: "server_error" });
  });
});

test("whoever has set a forgotten password on the way there goes to the console", async () => {
  const { database } = service.context;
  const home = await database.read((tx) => findApplicationHome(tx, clientId, issuerOf(service)));
  expect(home).toBe(`${issuerOf(service)}/console/`);
});

describe("a logout of the console", () => {
  const endSession = (parameters: Readonly<Record<string, string>>, cookie?: string) =>
    browse(service, `/oidc/v1/end_session?${new URLSearchParams(parameters).toString()}`, { cookie });

  test("ends the session and leads to the console, and nowhere else", async () => {
    const of = await signIn(service, await createHumanUser(service, world.organizationId));
    const { idToken } = await getTokens(service, consoleClient, { browser: of });
    const home = `${issuerOf(service)}/console/`;
    const hint = { id_token_hint: idToken, client_id: clientId };
    const left = await endSession({ ...hint, post_logout_redirect_uri: home, state: "s" }, of.cookie);
    expect([left.status, left.headers.get("location")]).toEqual([303, `${home}?state=s`]);
    expect((await ask({ prompt: "none" }, of)).back).toMatchObject({ error: "login_required" });
    for (const uri of [
      "https://evil.example/console/",
      `${home}x`,
      home.slice(0, -1),
      consoleClient.redirectUri,
    ]) {
      const { status, headers } = await endSession({ ...hint, post_logout_redirect_uri: uri });
      expect([uri, status, headers.get("location")]).toEqual([uri, 200, null]);
    }
  });
});

test("a service user is never taken for the console", async () => {
  const machine = await createMachine(service, world.organizationId);
  const { status, json } = await askForTokens(service, {
    grant_type: "client_credentials",
    client_id: clientId,
    client_secret: machine.secret,
  });
  expect([status, json["error"]]).toEqual([401, "invalid_client"]);
});

/** Logs in by the pages, and returns where the browser was on its way. The last one is the path of the console, which is not there. */
async function logInByPages({ username, password }: TestPerson): Promise<readonly Visited[]> {
  const agent = openUserAgentOf();
  const visits = [await agent.open(`${issuerOf(service)}${authorizePath(consoleClient)}`)];
  for (let last = visits[0]; last?.url.pathname.startsWith("/login/") === true; last = visits.at(-1))
    visits.push(await agent.submit(last, { text: username, username, password }));
  canaries.add("code", visits.at(-1)?.url.searchParams.get("code") ?? "");
  return visits;
}

function openUserAgentOf() {
  const origin = issuerOf(service);
  return openUserAgent({ origin, send: (request) => service.http.send(request) });
}
