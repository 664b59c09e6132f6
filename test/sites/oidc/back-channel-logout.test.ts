import { afterAll, describe, expect, test } from "@jest/globals";
import { decodeProtectedHeader } from "jose";
import { ApplicationService } from "../../../gen/gatehouse/v1/application_service_pb.ts";
import { EventService } from "../../../gen/gatehouse/v1/event_service_pb.ts";
import { OidcAuthMethodType, OidcGrantType } from "../../../gen/gatehouse/v1/oidc_pb.ts";
import { OrganizationService } from "../../../gen/gatehouse/v1/organization_service_pb.ts";
import { ProjectService } from "../../../gen/gatehouse/v1/project_service_pb.ts";
import { SessionService } from "../../../gen/gatehouse/v1/session_service_pb.ts";
import { SigningAlgorithm } from "../../../gen/gatehouse/v1/signing_key_pb.ts";
import { UserService } from "../../../gen/gatehouse/v1/user_service_pb.ts";
import { type ApplicationId, type AuthorizationId, toId, type UserId } from "../../../src/kernel/base/ids.ts";
import type { NewEvent } from "../../../src/kernel/events/event.ts";
import { confirmAuthorization } from "../../../src/identity/logins/authorizations/authorization.ts";
import { createSessionCommands } from "../../../src/identity/logins/sessions/commands.ts";
import { eventually } from "../../kernel/http/support/sockets.ts";
import { startService } from "../../support/service.ts";
import { createCaller, createHumanUser, createProject, idOf, uniqueName } from "../../support/world.ts";
import { afterLogout, createApplication, redirectUri, type TestApplication } from "./support/application.ts";
import { createLoginPlace, createOidcApplication, createPerson } from "./support/login-place.ts";
import { browse, credentialsOf, getTokens, refresh, signIn, type TestBrowser } from "./support/signed-in.ts";
import {
  claimsOf,
  type LogoutAnswer,
  startLogoutReceiver,
  verifyLogoutToken,
} from "./support/logout-receiver.ts";
import { askForTokens, issuerOf, postForm } from "./support/machine.ts";
import { logIn, openUserAgent, toAuthorizationUrl } from "./support/user-agent.ts";

const receiver = await startLogoutReceiver();
const service = await startService({ dev: true }); // so that it may post to loopback
const place = await createLoginPlace(service);
afterAll(async () => {
  receiver.close();
  await service.stop();
});

interface Listening extends TestApplication {
  readonly url: string;
}

type Settings = Parameters<typeof createApplication>[2];

/** Makes an application that hears of logouts. */
async function listen(answer?: LogoutAnswer, settings: Settings = {}, where = place): Promise<Listening> {
  const url = receiver.open(answer);
  const heard = { devMode: true, backChannelLogoutUri: url, ...settings };
  return { ...(await createApplication(service, where, heard)), url };
}

/** Makes a user who has logged in to the applications in one browser. */
async function begin(applications: readonly TestApplication[], organizationId = place.organizationId) {
  const userId = await createHumanUser(service, organizationId);
  const browser = await signIn(service, userId);
  const tokens = [];
  for (const application of applications) tokens.push(await getTokens(service, application, { browser }));
  return { userId, browser, tokens };
}

/** Waits until no notice waits any more, and returns the sessions that each application was told of. */
async function told(...applications: readonly Listening[]): Promise<readonly (readonly unknown[])[]> {
  await eventually(async () => (await waiting()).length === 0);
  return applications.map(({ url }) => receiver.at(url).map((received) => claimsOf(received).sid));
}

function waiting(): Promise<readonly { readonly tries: number; readonly session_id: string }[]> {
  return service.context.database.read((tx) => tx.all("SELECT session_id, tries FROM logout_notices"));
}

/** Records an event past the API. */
async function append(event: NewEvent): Promise<void> {
  const { database, log } = service.context;
  const origin = { editor: "system", remoteAddress: undefined, requestId: "test" } as const;
  await database.write((tx) => log.append(tx, origin, [event]));
}

const terminate = ({ sessionId }: Pick<TestBrowser, "sessionId">) =>
  service.call(SessionService.method.terminateSession, { sessionId });

describe("a logout token (OpenID Connect Back-Channel Logout 1.0 §2.4)", () => {
  test.each(["RS256", "ES256", "EDDSA"] as const)("is signed as the ID tokens are: %s", async (name) => {
    const application = await listen(undefined, { signingAlgorithm: SigningAlgorithm[name] });
    const { userId, browser } = await begin([application]);
    await terminate(browser);
    const [received] = await receiver.untilAt(application.url, 1);
    expect(received).toMatchObject({ verb: "POST", contentType: "application/x-www-form-urlencoded" });
    const token = received?.token ?? "";
    expect([...(received?.form.keys() ?? [])]).toEqual(["logout_token"]);
    const alg = { RS256: "RS256", ES256: "ES256", EDDSA: "EdDSA" }[name];
    expect(decodeProtectedHeader(token)).toMatchObject({ alg, typ: "logout+jwt" });
    const issuer = issuerOf(service);
    const { clientId } = application;
    const expected = { issuer, site: service.url, clientId, nowMs: service.clock.nowMs() };
    const claims = await verifyLogoutToken(token, expected);
    expect(claims).toMatchObject({ sub: userId, sid: browser.sessionId, aud: clientId });
    expect(Object.keys(claims).toSorted()).toEqual(
      ["aud", "events", "exp", "iat", "iss", "jti", "sid", "sub"].toSorted(),
    );
    expect((claims.exp ?? 0) - (claims.iat ?? 0)).toBe(120);
  });

  test("is nothing for our own endpoints", async () => {
    const application = await listen();
    const { browser } = await begin([application]);
    await terminate(browser);
    const [received] = await receiver.untilAt(application.url, 1);
    const token = received?.token ?? "";
    const userinfo = await browse(service, "/oidc/v1/userinfo", { authorization: `Bearer ${token}` });
    expect(userinfo.status).toBe(401);
    const asked = await postForm(service, "/oauth/v2/introspect", { token, ...credentialsOf(application) });
    expect(JSON.parse(asked.text)).toEqual({ active: false });
    const parameters = { id_token_hint: token, post_logout_redirect_uri: afterLogout };
    const logout = await browse(
      service,
      `/oidc/v1/end_session?${new URLSearchParams(parameters).toString()}`,
    );
    expect([logout.status, logout.headers.get("location")]).toEqual([200, null]); // as without a hint
    const grant = { grant_type: "refresh_token", refresh_token: token, ...credentialsOf(application) };
    expect((await askForTokens(service, grant)).json).toMatchObject({ error: "invalid_grant" });
  });

  test("is announced", async () => {
    const { text } = await browse(service, "/.well-known/openid-configuration");
    expect(JSON.parse(text)).toMatchObject({
      backchannel_logout_supported: true,
      backchannel_logout_session_supported: true,
    });
  });
});

describe("the end of a session", () => {
  test("tells each application that took part, and no other, once", async () => {
    const [one, other, absent] = [await listen(), await listen(), await listen()];
    const deaf = await createApplication(service, place);
    const { browser, tokens } = await begin([one, other, deaf, one]);
    await terminate(browser);
    await terminate(browser);
    expect(await told(one, other, absent)).toEqual([[browser.sessionId], [browser.sessionId], []]);
    expect(new Set([one, other].map(({ url }) => claimsOf(receiver.at(url)[0] as never).jti)).size).toBe(2);
    expect((await refresh(service, one, tokens[0]?.refreshToken ?? "")).status).toBe(200); // it goes on
  });

  test("by TerminateUserSessions: one token for each session", async () => {
    const application = await listen();
    const { userId, browser } = await begin([application]);
    const second = await signIn(service, userId);
    const kept = await signIn(service, userId);
    for (const each of [second, kept]) await getTokens(service, application, { browser: each });
    const request = { userId, exceptSessionId: kept.sessionId };
    await service.call(SessionService.method.terminateUserSessions, request);
    const [sessions] = await told(application);
    expect(new Set(sessions)).toEqual(new Set([browser.sessionId, second.sessionId]));
    expect(sessions).toHaveLength(2);
  });

  test("by the request of an application answers the browser while receivers hang", async () => {
    const slow = await listen(() => {});
    const quick = await listen();
    const { browser, tokens } = await begin([slow, quick]);
    const path = `/oidc/v1/end_session?id_token_hint=${tokens[0]?.idToken ?? ""}`;
    expect((await browse(service, path, { cookie: browser.cookie })).status).toBe(200);
    await receiver.untilAt(slow.url, 1);
    await receiver.untilAt(quick.url, 1);
    const application = createCaller(service, place.organizationId);
    const removed = { projectId: slow.projectId, appId: slow.clientId };
    await application(ApplicationService.method.removeApplication, removed);
    expect(await told(slow, quick)).toEqual([[browser.sessionId], [browser.sessionId]]);
  });

  test("by a new password", async () => {
    const application = await listen();
    const { userId, browser } = await begin([application]);
    const password = `correct horse ${uniqueName("battery")}`;
    await service.call(UserService.method.setPassword, { userId, password });
    expect(await told(application)).toEqual([[browser.sessionId]]);
  });

  test("by a lock, and by the removal of the user", async () => {
    const application = await listen();
    const locked = await begin([application]);
    await service.call(UserService.method.lockUser, { userId: locked.userId });
    expect(await told(application)).toEqual([[locked.browser.sessionId]]);
    await service.call(UserService.method.removeUser, { userId: locked.userId });
    const removed = await begin([application]);
    await service.call(UserService.method.removeUser, { userId: removed.userId });
    expect(await told(application)).toEqual([[locked.browser.sessionId, removed.browser.sessionId]]);
  });

  test("by its time: also long after the authorization has gone", async () => {
    const application = await listen();
    const { browser } = await begin([application]);
    const { database } = service.context;
    await database.write((tx) => tx.run("DELETE FROM authorizations"));
    service.clock.turn(25 * 3_600_000);
    await createSessionCommands(service.context).terminateExpired();
    expect(await told(application)).toEqual([[browser.sessionId]]);
  });

  test("by a login of somebody else in the same browser", async () => {
    const url = receiver.open();
    const application = await createOidcApplication(service, place, {
      redirectUris: [redirectUri],
      grantTypes: [OidcGrantType.AUTHORIZATION_CODE],
      authMethodType: OidcAuthMethodType.POST,
      backChannelLogoutUri: url,
      devMode: true,
    });
    const people = [
      await createPerson(service, place.organizationId),
      await createPerson(service, place.organizationId),
    ];
    const agent = openUserAgent({ origin: issuerOf(service), send: service.http.send });
    for (const person of people) {
      const start = toAuthorizationUrl(issuerOf(service), [
        ["client_id", application.clientId],
        ["redirect_uri", redirectUri],
        ["response_type", "code"],
        ["scope", "openid"],
        ["prompt", "login"],
      ]);
      const back = await logIn(agent, await agent.open(start), person);
      expect(back.searchParams.get("code")).not.toBeNull();
    }
    await told();
    expect(receiver.at(url).map((received) => claimsOf(received).sub)).toEqual([people[0]?.userId]);
  });

  test("by the removal of the organization of the user", async () => {
    const application = await listen();
    const added = await service.call(OrganizationService.method.addOrganization, {
      name: uniqueName("Guests"),
    });
    const id = idOf(added, "organizationId");
    const own = { organizationId: id, projectId: await createProject(service, id) };
    const gone = await listen(undefined, {}, own);
    const userId = await createHumanUser(service, id);
    const browser = await signIn(service, userId);
    const confirmation = {
      userId: toId<UserId>(userId),
      organizationId: toId<never>(id),
      applicationId: toId<ApplicationId>(application.clientId),
    };
    const shown = {
      claims: ["identity"],
      metadata: [],
      audiences: [],
      apiScopes: [],
      offlineAccess: true,
    } as const;
    await append(confirmAuthorization({ ...confirmation, id: toId<AuthorizationId>("9"), shown }));
    await getTokens(service, application, { browser });
    await getTokens(service, gone, { browser });
    await service.call(OrganizationService.method.removeOrganization, { id });
    await receiver.untilAt(application.url, 1);
    expect(await told(application, gone)).toEqual([[browser.sessionId], []]);
  });

  test("is neither a lock by wrong passwords nor a dry run", async () => {
    const application = await listen();
    const { userId, browser } = await begin([application]);
    const answer = await service.clients.json.call(
      SessionService.method.terminateSession,
      { sessionId: browser.sessionId },
      { token: service.adminToken, headers: { "x-service-validate-only": "true" } },
    );
    expect(answer.kind).toBe("answer");
    await append({
      type: "user.locked",
      aggregateId: userId,
      resourceOwner: place.organizationId,
      payload: { cause: "wrong_passwords" },
    });
    expect(await told(application)).toEqual([[]]);
  });
});

describe("an application hears nothing", () => {
  test.each(["inactive", "of an inactive project", "without the URI"] as const)(
    "when it is %s",
    async (what) => {
      const projectId = await createProject(service, place.organizationId);
      const where = { ...place, projectId };
      const application = await listen(undefined, {}, where);
      const heard = await listen();
      const { browser } = await begin([application, heard]);
      const caller = createCaller(service, place.organizationId);
      const named = { projectId, appId: application.clientId };
      if (what === "inactive") await caller(ApplicationService.method.deactivateApplication, named);
      if (what === "of an inactive project")
        await caller(ProjectService.method.deactivateProject, { id: projectId });
      if (what === "without the URI")
        await caller(ApplicationService.method.updateOidcConfig, { ...named, redirectUris: [redirectUri] });
      await terminate(browser);
      expect(await told(application, heard)).toEqual([[], [browser.sessionId]]);
    },
  );
});

describe("a try that fails", () => {
  test("is made twice more, with growing pauses and the same jti; then the log says that nobody heard", async () => {
    const application = await listen((response) => {
      response.statusCode = 500;
      response.end("the answer of the receiver");
    });
    const { browser } = await begin([application]);
    await terminate(browser);
    for (const [count, pauseMs] of [
      [1, 10_000],
      [2, 60_000],
    ] as const) {
      await receiver.untilAt(application.url, count);
      await eventually(async () => (await nextMs(browser)) === service.clock.nowMs() + pauseMs);
      service.clock.turn(pauseMs);
    }
    await receiver.untilAt(application.url, 3);
    await told();
    const received = receiver.at(application.url);
    expect(received).toHaveLength(3);
    expect(new Set(received.map((each) => claimsOf(each).jti)).size).toBe(1);
    expect(new Set(received.map((each) => claimsOf(each).iat)).size).toBe(3);
    const lines = service.log().split("\n");
    const dropped = lines.filter(
      (line) => line.includes("logout_token.dropped") && line.includes(browser.sessionId),
    );
    expect(dropped.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { application_id: application.clientId, tries: 3, cause: "status 500" },
    ]);
    expect(service.log()).not.toContain("the answer of the receiver");
    const asked = { aggregateId: application.clientId, eventType: "application.logout_token.dropped" };
    const { events } = await service.call(EventService.method.listEvents, asked);
    expect(events).toMatchObject([
      { editor: "system", payload: { session_id: browser.sessionId, cause: "refused" } },
    ]);
  });

  test.each([
    ["a redirect, which is not followed", { status: 302, isDelivered: false }],
    ["202", { status: 202, isDelivered: false }],
    ["204", { status: 204, isDelivered: true }],
  ] as const)("is judged by the status alone: %s", async (_name, { status, isDelivered }) => {
    const target = receiver.open();
    const application = await listen((response) => {
      response.writeHead(status, { location: target });
      response.end();
    });
    const { browser } = await begin([application]);
    await terminate(browser);
    await receiver.untilAt(application.url, 1);
    await eventually(async () => {
      const at = await nextMs(browser);
      return isDelivered ? at === undefined : at === service.clock.nowMs() + 10_000;
    });
    expect(receiver.at(target)).toEqual([]);
    const removed = { projectId: application.projectId, appId: application.clientId };
    await createCaller(service, place.organizationId)(ApplicationService.method.removeApplication, removed);
  });

  async function nextMs({ sessionId }: TestBrowser): Promise<number | undefined> {
    const row = await service.context.database.read((tx) =>
      tx.get<{ next_ms: number }>("SELECT next_ms FROM logout_notices WHERE session_id = ?", [sessionId]),
    );
    return row?.next_ms;
  }
});
