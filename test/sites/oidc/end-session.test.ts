import { afterAll, describe, expect, test } from "@jest/globals";
import { ApplicationService } from "../../../gen/gatehouse/v1/application_service_pb.ts";
import { SigningKeyService } from "../../../gen/gatehouse/v1/signing_key_service_pb.ts";
import { canaries } from "../../support/canaries.ts";
import { startService } from "../../support/service.ts";
import { createCaller, createHumanUser, createWorld } from "../../support/world.ts";
import { afterLogout, createApplication } from "./support/application.ts";
import {
  authorize,
  browse,
  getCode,
  getTokens,
  redemption,
  refresh,
  signIn,
  type TestBrowser,
} from "./support/signed-in.ts";
import { askForTokens, issuerOf, postForm } from "./support/machine.ts";

const service = await startService();
const world = await createWorld(service);
const application = await createApplication(service, world);
const userId = await createHumanUser(service, world.organizationId);
afterAll(() => service.stop());

type Parameters = Readonly<Record<string, string>>;

const endSession = (parameters: Parameters, browser?: Pick<TestBrowser, "cookie">) =>
  browse(service, `/oidc/v1/end_session?${new URLSearchParams(parameters).toString()}`, {
    cookie: browser?.cookie,
  });

async function isSignedIn(browser: TestBrowser): Promise<boolean> {
  const { back } = await authorize(service, application, { browser, parameters: { prompt: "none" } });
  return back["code"] !== undefined;
}

/** Makes a browser with a session, and tokens of it. */
async function begin() {
  const browser = await signIn(service, userId);
  return { browser, ...(await getTokens(service, application, { browser })) };
}

/** Follows the redirect to the page that asks, with the cookies that came with it. */
async function openPage(answer: Awaited<ReturnType<typeof browse>>, browser?: TestBrowser) {
  expect(answer.status).toBe(303);
  const location = answer.headers.get("location") ?? "";
  expect(location.startsWith(`${issuerOf(service)}/oidc/v1/end_session/`)).toBe(true);
  const own = (answer.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
  canaries.add("cookie", own.split("=")[1] ?? "");
  const cookie = [own, browser?.cookie].filter((each) => each !== undefined).join("; ");
  const path = new URL(location).pathname;
  const page = await browse(service, path, { cookie });
  const token = /name="form_token" value="([^"]+)"/.exec(page.text)?.[1] ?? "";
  return { path, cookie, page, token };
}

test("there are no other paths below it", async () => {
  for (const rest of ["", "/", "/x/1", "/1/"]) {
    const { status, headers } = await browse(service, `/oidc/v1/end_session/${rest}`);
    expect([status, headers.get("content-type")]).toEqual([404, "text/html; charset=utf-8"]);
  }
});

const submit = (path: string, cookie: string, form: Parameters, headers: Parameters = {}) =>
  postForm(service, path, form, { host: `localhost:${service.port}`, cookie, ...headers });

describe("a logout with an ID token of this browser's session", () => {
  test("ends the session at once, and goes where the application has registered, with state", async () => {
    const { browser, idToken, accessToken, refreshToken } = await begin();
    const sent = { id_token_hint: idToken, post_logout_redirect_uri: afterLogout, state: "a b" };
    service.clock.turn(3_700_000); // the ID token has expired
    const { status, headers } = await endSession(sent, browser);
    expect([status, headers.get("location")]).toEqual([303, `${afterLogout}?state=a+b`]);
    expect(headers.get("set-cookie")).toMatch(/^gh_session=; Path=\/; Max-Age=0/);
    expect(await isSignedIn(browser)).toBe(false);
    const userinfo = await browse(service, "/oidc/v1/userinfo", { authorization: `Bearer ${accessToken}` });
    expect(userinfo.status).toBe(401);
    expect((await refresh(service, application, refreshToken)).status).toBe(200);
  });

  test("is the same with a key that is gone, and by POST, which comes without the session", async () => {
    const { browser, idToken } = await begin();
    await service.call(SigningKeyService.method.rotateSigningKeys, { revokeOld: true });
    const form = { id_token_hint: idToken, post_logout_redirect_uri: afterLogout };
    const posted = await postForm(service, "/oidc/v1/end_session", form);
    const { page } = await openPage(posted, browser);
    expect([page.status, page.headers.get("location")]).toEqual([303, afterLogout]);
    expect(await isSignedIn(browser)).toBe(false);
  });

  test("that is gone goes straight to the application", async () => {
    const { browser, idToken } = await begin();
    const sent = { id_token_hint: idToken, post_logout_redirect_uri: afterLogout };
    for (const by of [browser, browser, undefined])
      expect((await endSession(sent, by)).headers.get("location")).toBe(afterLogout);
  });

  test("ends codes of the session that nobody has redeemed", async () => {
    const { browser, idToken } = await begin();
    const code = await getCode(service, application, { browser });
    await endSession({ id_token_hint: idToken }, browser);
    const { status, json } = await askForTokens(service, redemption(application, code));
    expect(json).toEqual({
      error: "invalid_grant",
      error_description: expect.stringContaining("the code is"),
    });
    expect(status).toBe(400);
  });
});

describe("without one a page asks first", () => {
  test("and the answer is taken only from our form in this browser", async () => {
    const { browser } = await begin();
    const asked = await endSession(
      { client_id: application.clientId, post_logout_redirect_uri: afterLogout, ui_locales: "de" },
      browser,
    );
    const { path, cookie, page, token } = await openPage(asked, browser);
    expect(page.status).toBe(200);
    expect(page.text).toContain('lang="de"');
    expect(page.headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
    expect((await submit(path, cookie, {})).status).toBe(403);
    expect(
      (await submit(path, cookie, { form_token: token }, { "sec-fetch-site": "cross-site" })).status,
    ).toBe(403);
    expect((await submit(path, browser.cookie, { form_token: token })).status).toBe(400);
    expect(await isSignedIn(browser)).toBe(true);
    const done = await submit(path, cookie, { form_token: token });
    expect([done.status, done.headers.get("location")]).toEqual([303, afterLogout]);
    expect(await isSignedIn(browser)).toBe(false);
    expect((await submit(path, cookie, { form_token: token })).status).toBe(400);
  });

  test.each(["another session", "a forged token"])("with the hint of %s", async (what) => {
    const { browser } = await begin();
    const other = await begin();
    const hints: Readonly<Record<string, string>> = {
      "another session": other.idToken,
      "a forged token": `${other.idToken}x`,
    };
    const { page } = await openPage(await endSession({ id_token_hint: hints[what] ?? "" }, browser), browser);
    expect(page.status).toBe(200);
    expect(await isSignedIn(browser)).toBe(true);
  });
});

describe("where a logout leads", () => {
  test.each<readonly [string, Parameters]>([
    ["nothing", {}],
    ["a URI without an application", { post_logout_redirect_uri: afterLogout }],
    ["another URI", { client_id: "APP", post_logout_redirect_uri: "https://evil.example/" }],
    [
      "a redirect URI for codes",
      { client_id: "APP", post_logout_redirect_uri: "https://app.example/callback?from=gatehouse" },
    ],
    ["a URI with one more slash", { client_id: "APP", post_logout_redirect_uri: `${afterLogout}/` }],
  ])("with %s: to a page", async (_name, parameters) => {
    const sent = new Map(Object.entries({ ...parameters, state: "evil" }));
    if (sent.has("client_id")) sent.set("client_id", application.clientId);
    const { status, headers, text } = await endSession(Object.fromEntries(sent));
    expect([status, headers.get("location")]).toEqual([200, null]);
    expect(text).not.toContain("evil");
  });

  test.each(["loses the URI", "is switched off"])(
    "with a URI whose application %s meanwhile: to a page",
    async (what) => {
      const { browser } = await begin();
      const leaving = await createApplication(service, world);
      const sent = { client_id: leaving.clientId, post_logout_redirect_uri: afterLogout };
      const { path, cookie, token } = await openPage(await endSession(sent, browser), browser);
      const asked = { projectId: world.projectId, appId: leaving.clientId };
      const inside = createCaller(service, world.organizationId);
      if (what === "is switched off") await inside(ApplicationService.method.deactivateApplication, asked);
      else
        await inside(ApplicationService.method.updateOidcConfig, {
          ...asked,
          redirectUris: [leaving.redirectUri],
          postLogoutRedirectUris: [],
        });
      const done = await submit(path, cookie, { form_token: token });
      expect([done.status, done.headers.get("location")]).toEqual([200, null]);
      expect(await isSignedIn(browser)).toBe(false);
    },
  );

  test("client_id must be the client of the hint", async () => {
    const { browser, idToken } = await begin();
    const other = await createApplication(service, world);
    const { status, headers } = await endSession(
      { id_token_hint: idToken, client_id: other.clientId },
      browser,
    );
    expect([status, headers.get("location")]).toEqual([400, null]);
    expect(await isSignedIn(browser)).toBe(true);
  });
});
