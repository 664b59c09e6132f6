// Hooks before tokens and assertions (rule H4): what they learn, what they may do, and what becomes of logins while they fail.
import { afterAll, beforeEach, describe, expect, test } from "@jest/globals";
import { decodeJwt } from "jose";
import { Webhook } from "standardwebhooks";
import { ExternalClientKind } from "../../../gen/gatehouse/v1/application_pb.ts";
import { ApplicationService } from "../../../gen/gatehouse/v1/application_service_pb.ts";
import { EventService } from "../../../gen/gatehouse/v1/event_service_pb.ts";
import { HookKind } from "../../../gen/gatehouse/v1/hook_pb.ts";
import { HookService } from "../../../gen/gatehouse/v1/hook_service_pb.ts";
import { MembershipService } from "../../../gen/gatehouse/v1/membership_service_pb.ts";
import { OidcTokenType } from "../../../gen/gatehouse/v1/oidc_pb.ts";
import { silent, startHookReceiver, withJson } from "../../support/hook-receiver.ts";
import { startService } from "../../support/service.ts";
import { createCaller, createHumanUser, createWorld, idOf, uniqueName } from "../../support/world.ts";
import { createPerson } from "./support/login-place.ts";
import { addScriptedParty, openSignedIn } from "../saml/support/scripted-party.ts";
import { createApplication, type TestApplication } from "./support/application.ts";
import { documentRedirect, openDocumentHost } from "./support/document-host.ts";
import { askForTokens } from "./support/machine.ts";
import {
  authorize,
  authorizeAndConfirm,
  getTokens,
  redemption,
  refresh,
  signIn,
} from "./support/signed-in.ts";

const service = await startService({ dev: true });
const receiver = await startHookReceiver();
afterAll(async () => {
  await service.stop();
  await receiver.stop();
});
beforeEach(() => {
  receiver.answer = silent;
  receiver.calls.length = 0;
});

const { addHook, removeHook, setHookClaim } = HookService.method;

interface Ground {
  readonly organizationId: string;
  readonly hookId: string;
  readonly secret: string;
  readonly application: TestApplication;
  readonly browser: Awaited<ReturnType<typeof signIn>>;
}

/** Makes an organization with a hook, an application that names a claim for it, and somebody who is signed in. */
async function layGround(settings: object = {}): Promise<Ground> {
  const { organizationId, projectId } = await createWorld(service);
  const inside = createCaller(service, organizationId);
  const request = {
    name: uniqueName("Hook"),
    kind: HookKind.BEFORE_TOKEN,
    url: receiver.url,
    timeoutMs: 2000,
  };
  const added = await inside(addHook, { ...request, ...settings });
  const application = await createApplication(
    service,
    { organizationId, projectId },
    { accessTokenType: OidcTokenType.JWT },
  );
  await inside(setHookClaim, { projectId, appId: application.clientId, claim: "extra" });
  const browser = await signIn(service, await createHumanUser(service, organizationId));
  const { signingSecret } = added as { readonly signingSecret: string };
  return { organizationId, hookId: idOf(added, "hookId"), secret: signingSecret, application, browser };
}

/** Lists what was recorded about refusals of a hook. */
async function refusalsOf({ organizationId, hookId }: Ground): Promise<readonly object[]> {
  const asked = { aggregateId: hookId, eventType: "hook.refused" };
  const { events } = await createCaller(service, organizationId)(EventService.method.listEvents, asked);
  return (events as unknown as readonly { readonly payload: object }[]).map(({ payload }) => payload);
}

describe("a hook before tokens", () => {
  test("is asked once for a login, learns what its tokens tell and no more, and adds claims below a name", async () => {
    const ground = await layGround();
    receiver.answer = withJson({ claims: { tier: "gold", roles: ["admin"] } });
    const { application, browser } = ground;
    const { idToken, accessToken } = await getTokens(service, application, {
      browser,
      scope: "openid profile",
    });
    expect(receiver.calls).toHaveLength(1);
    const [{ headers, text, body }] = receiver.calls as [(typeof receiver.calls)[number]];
    new Webhook(ground.secret).verify(text, headers as Record<string, string>);
    const { userId: sub } = browser;
    expect(body).toMatchObject({
      type: "hook.before_token",
      data: {
        organization_id: ground.organizationId,
        application_id: application.clientId,
        protocol: "oidc",
        grant: "authorization_code",
        id_token: { sub, amr: ["pwd"] },
        access_token: { sub, scope: "openid profile" },
      },
    });
    const secretParts = ["nonce", "sid", "jti", "email", "given_name"];
    for (const name of secretParts) expect(text).not.toContain(`"${name}"`);
    for (const token of [idToken, accessToken])
      expect(decodeJwt(token)).toMatchObject({ sub, extra: { tier: "gold", roles: ["admin"] } });
    expect(decodeJwt(accessToken)).not.toHaveProperty("roles");
  });

  test("is asked again at a refresh, and refuses there too", async () => {
    const { application, browser } = await layGround();
    const scope = "openid offline_access";
    const { refreshToken } = await getTokens(service, application, { browser, scope });
    receiver.answer = withJson({ claims: { round: 2 } });
    const second = await refresh(service, application, refreshToken);
    expect(decodeJwt(second.json["id_token"] as string)).toMatchObject({ extra: { round: 2 } });
    receiver.answer = withJson({ allow: false, message: "Not \u201ctoday\u201d" });
    const third = await refresh(service, application, second.json["refresh_token"] as string);
    expect(third.json).toEqual({
      error: "access_denied",
      error_description: "a hook of the organization refused: Not ?today?",
    });
    expect(receiver.calls.map(({ body }) => body.data["grant"])).toEqual([
      "authorization_code",
      "refresh_token",
      "refresh_token",
    ]);
    receiver.answer = silent; // the refused refresh has used nothing up
    expect(await refresh(service, application, second.json["refresh_token"] as string)).toMatchObject({
      status: 200,
    });
  });

  test("refuses with its words on a page, and by an event", async () => {
    const ground = await layGround();
    const { application, browser } = ground;
    receiver.answer = withJson({ allow: false, message: `No <b>entry</b>\u202e\n${"x".repeat(300)}` });
    const page = await authorize(service, application, { browser });
    expect(page).toMatchObject({ status: 403, back: {} });
    expect(page.text).toContain(`No &lt;b&gt;entry&lt;/b&gt; ${"x".repeat(184)}</blockquote>`.slice(0, 60));
    expect(page.text).not.toContain("x".repeat(200));
    const about = { user_id: browser.userId, application_id: application.clientId };
    expect(await refusalsOf(ground)).toEqual([{ cause: "refused", ...about }]);
    const none = await authorize(service, application, { browser, parameters: { prompt: "none" } });
    expect(none.back).toMatchObject({ error: "access_denied" });
    expect(await refusalsOf(ground)).toHaveLength(2);
  });

  test("does not refuse a holder of a role on the instance, unless it is of the instance", async () => {
    const { application, browser, organizationId } = await layGround();
    const role = {
      userId: browser.userId,
      roles: ["INSTANCE_VIEWER"],
      scope: { case: "instance" as const, value: true },
    };
    await service.call(MembershipService.method.addMembership, role);
    receiver.answer = withJson({ allow: false });
    expect((await authorize(service, application, { browser })).back).toHaveProperty("code");
    const added = await createCaller(service, organizationId)(addHook, {
      name: uniqueName("Hook"),
      kind: HookKind.BEFORE_TOKEN,
      url: receiver.url,
      instance: true,
    });
    expect(await authorize(service, application, { browser })).toMatchObject({ status: 403 });
    await service.call(removeHook, { hookId: idOf(added, "hookId") });
  });

  test("is asked neither about the console nor about clients that nobody has created", async () => {
    const { application, browser, organizationId } = await layGround({ failClosed: true });
    const settings = { name: uniqueName("Hook"), kind: HookKind.BEFORE_TOKEN, url: receiver.url };
    const added = await service.call(addHook, { ...settings, failClosed: true, instance: true });
    receiver.answer = withJson({ allow: false });
    const redirectUri = `http://localhost:${service.port}/console/callback`;
    const consoleClient = { clientId: "gatehouse-console", secret: "", projectId: "", redirectUri };
    await getTokens(service, consoleClient, { browser });
    await createCaller(service, organizationId)(ApplicationService.method.updateExternalClientSettings, {
      kinds: [ExternalClientKind.METADATA_DOCUMENT],
      projectId: application.projectId,
    });
    const host = await openDocumentHost();
    const stranger = { ...consoleClient, clientId: host.put("/agent"), redirectUri: documentRedirect };
    const { back } = await authorizeAndConfirm(service, stranger, { browser });
    const { status } = await askForTokens(service, redemption(stranger, back["code"] ?? ""));
    host.stop();
    await service.call(removeHook, { hookId: idOf(added, "hookId") });
    expect([status, receiver.calls]).toEqual([200, []]);
  });

  test("adds an attribute to assertions, and refuses them with a page", async () => {
    const place = await createWorld(service);
    const party = await addScriptedParty(service, place);
    const inside = createCaller(service, place.organizationId);
    const settings = {
      name: uniqueName("Hook"),
      kind: HookKind.BEFORE_TOKEN,
      url: receiver.url,
      timeoutMs: 2000,
    };
    await inside(addHook, settings);
    await inside(setHookClaim, { projectId: place.projectId, appId: party.appId, claim: "extra" });
    const { userId } = await createPerson(service, place.organizationId);
    receiver.answer = withJson({ claims: { tier: "<gold>" } });
    const answer = party.read(await party.ask(await openSignedIn(service, userId)));
    expect(answer.assertion?.attributes).toMatchObject({ UserID: [userId], extra: ['{"tier":"<gold>"}'] });
    const [call] = receiver.calls;
    expect(call?.body.data).toMatchObject({ protocol: "saml", attributes: { UserID: [userId] } });
    receiver.answer = withJson({ allow: false, message: "Closed" });
    const refused = await party.ask(await openSignedIn(service, userId));
    expect(refused.page?.text).toContain("Closed");
  });
});

describe("a hook that fails", () => {
  const more = '"claims":{"tier":"gold"}';
  const failures = {
    "answers with an error": (response) => response.writeHead(500).end(`{${more}}`),
    "answers with a redirect": (response) => response.writeHead(302, { location: "/other" }).end(`{${more}}`),
    "answers with something else than JSON": (response) => response.writeHead(200).end("<html>"),
    "answers with too much": (response) =>
      response.writeHead(200).end(`{${more},"a":"${"x".repeat(20_000)}"}`),
    "adds too many claims": withJson({ claims: { a: "x".repeat(5000) } }),
    "adds what is too deep": (response) =>
      response.writeHead(200).end(`{"claims":{"a":${"[".repeat(100)}${"]".repeat(100)}}}`),
    "closes the connection": (response) => response.socket?.destroy(),
    "says neither yes nor no": (response) => response.writeHead(200).end(`{${more},"allow":"no"}`),
  } satisfies Record<string, typeof receiver.answer>;

  test.each(Object.entries(failures))("and %s is left out", async (_name, answer) => {
    const { application, browser } = await layGround();
    receiver.answer = answer;
    const { idToken } = await getTokens(service, application, { browser, scope: "openid" });
    expect(decodeJwt(idToken)).not.toHaveProperty("extra");
  });

  test("refuses everybody if it says so, and is left alone for 30 seconds after five times", async () => {
    const ground = await layGround({ failClosed: true, timeoutMs: 300 });
    const { application, browser } = ground;
    receiver.answer = () => {}; // never
    for (let count = 0; count < 7; count += 1)
      expect(await authorize(service, application, { browser })).toMatchObject({ status: 503, back: {} });
    expect(receiver.calls).toHaveLength(5);
    const about = { user_id: browser.userId, application_id: application.clientId };
    expect((await refusalsOf(ground)).at(-1)).toEqual({ cause: "failed", ...about });
    receiver.answer = silent;
    service.clock.turn(30_000);
    expect((await authorize(service, application, { browser })).back).toHaveProperty("code");
    expect(receiver.calls).toHaveLength(6);
    const metrics = await service.http.send({ method: "GET", path: "/metrics", headers: {} });
    expect(metrics.text).toContain(
      'gatehouse_hook_call_seconds_count{kind="BEFORE_TOKEN",outcome="skipped"} 2',
    );
  });
});

test("a trial run says what a login would make of the answer, and counts for nothing", async () => {
  const { organizationId, hookId } = await layGround();
  const tryOut = () => createCaller(service, organizationId)(HookService.method.trialRunHook, { hookId });
  receiver.answer = withJson({ claims: { tier: "gold" } });
  expect(await tryOut()).toMatchObject({
    verdict: "HOOK_VERDICT_ALLOWED",
    status: 200,
    additions: '{"claims":{"tier":"gold"}}',
  });
  expect(receiver.calls[0]?.body.data).toMatchObject({ trial: true, organization_id: organizationId });
  receiver.answer = withJson({ allow: false, message: "Never" });
  expect(await tryOut()).toMatchObject({ verdict: "HOOK_VERDICT_REFUSED", message: "Never" });
  receiver.answer = withJson({}, 418);
  expect(await tryOut()).toMatchObject({
    verdict: "HOOK_VERDICT_FAILED",
    failure: "HOOK_FAILURE_STATUS",
    status: 418,
  });
});
