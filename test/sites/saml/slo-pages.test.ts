// Logouts that begin at pages of ours (SAML Profiles §4.4.3.1).
import { afterAll, beforeEach, describe, expect, test } from "@jest/globals";
import { SessionService } from "../../../gen/gatehouse/v1/session_service_pb.ts";
import { afterLogout, createApplication } from "../oidc/support/application.ts";
import { getTokens } from "../oidc/support/signed-in.ts";
import { type SignedInBrowser, startLogoutStage } from "./support/logout-stage.ts";

const stage = await startLogoutStage();
const application = await createApplication(stage.service, stage.world);
const first = await stage.addParty();
const second = await stage.addParty({ services: [{ binding: "post" }] });
afterAll(() => stage.stop());

let browser: SignedInBrowser;
beforeEach(async () => {
  browser = await stage.signIn();
  for (const party of [first, second]) await party.takePart(browser.session.sessionId);
});

/** Makes the URL with which the application logs its user out. */
async function endSessionUrl(parameters: Readonly<Record<string, string>> = {}): Promise<string> {
  const { idToken } = await getTokens(stage.service, application, { browser: browser.session });
  const sent = new URLSearchParams({ id_token_hint: idToken, ...parameters });
  return `${stage.issuer}/oidc/v1/end_session?${sent.toString()}`;
}

const get = async (url: string) => await stage.follow(browser, await browser.send({ method: "GET", url }));

/** Follows the browser to both service providers, which answer: the first by that status. Returns what comes then. */
async function visitBoth(answer: Awaited<ReturnType<typeof get>>, status = "Success") {
  const toFirst = stage.read(await stage.follow(browser, answer));
  expect([toFirst.kind, toFirst.to]).toEqual(["SAMLRequest", first.slo]);
  expect(await stage.isOver(browser)).toBe(true);
  expect(browser.cookies.has("gh_session")).toBe(false);
  const answered = await browser.send(first.respond(toFirst.id, { status }));
  const toSecond = stage.read(await stage.follow(browser, answered));
  expect([toSecond.kind, toSecond.to]).toEqual(["SAMLRequest", second.slo]);
  return await stage.follow(browser, await browser.send(second.respond(toSecond.id)));
}

describe("end_session goes through the applications of SAML, and then", () => {
  test("to where the application of OpenID Connect wants it", async () => {
    const url = await endSessionUrl({ post_logout_redirect_uri: afterLogout, state: "a b" });
    const answer = await visitBoth(await browser.send({ method: "GET", url }));
    expect([answer.status, answer.headers.get("location")]).toEqual([303, `${afterLogout}?state=a+b`]);
    expect(await stage.endsOf(browser)).toEqual(["logout"]);
    expect(browser.cookies.size).toBe(0);
  });

  test("to its own page, in the language that was asked for", async () => {
    const url = await endSessionUrl({ ui_locales: "de" });
    const page = await visitBoth(await browser.send({ method: "GET", url }));
    expect([page.status, page.text]).toEqual([200, expect.stringContaining("Sie sind abgemeldet")]);
  });

  test("to its own page, which says so when an application may not have heard of it", async () => {
    const url = await endSessionUrl({ ui_locales: "en" });
    const page = await visitBoth(await browser.send({ method: "GET", url }), "Responder");
    expect([page.status, page.text]).toEqual([200, expect.stringContaining("You are signed out here")]);
    expect(page.text).toContain("You may still be signed in to some applications.");
  });

  test("to where the application of OpenID Connect wants it, also when another may not have heard of it", async () => {
    const url = await endSessionUrl({ post_logout_redirect_uri: afterLogout });
    const answer = await visitBoth(await browser.send({ method: "GET", url }), "Responder");
    expect([answer.status, answer.headers.get("location")]).toEqual([303, afterLogout]);
  });

  test("with the question before it where nothing proves whose session it is", async () => {
    const page = await browser.open("/oidc/v1/end_session");
    expect(page.title).toBe("Sign out?");
    expect(await stage.isOver(browser)).toBe(false);
    const token = /name="form_token" value="([^"]+)"/.exec(page.text)?.[1] ?? "";
    const form = { form_token: token };
    const headers = { "sec-fetch-site": "same-origin" };
    const answer = await visitBoth(await browser.send({ method: "POST", url: page.path, form, headers }));
    expect([answer.status, answer.text]).toEqual([200, expect.stringContaining("You are signed out")]);
  });

  test("leaves alone a session that has begun meanwhile", async () => {
    const url = await endSessionUrl({ post_logout_redirect_uri: afterLogout });
    const toFirst = stage.read(await get(url));
    const later = await stage.signIn(browser.session.userId);
    for (const [name, value] of later.cookies) browser.cookies.set(name, value);
    const toSecond = stage.read(await stage.follow(browser, await browser.send(first.respond(toFirst.id))));
    const answer = await stage.follow(browser, await browser.send(second.respond(toSecond.id)));
    expect([answer.status, answer.headers.get("location")]).toEqual([303, afterLogout]);
    expect(await stage.isOver(later)).toBe(false);
    expect(browser.cookies.has("gh_session")).toBe(true);
  });

  test("not at all where nobody took part", async () => {
    browser = await stage.signIn();
    const url = await endSessionUrl({ post_logout_redirect_uri: afterLogout });
    const answer = await browser.send({ method: "GET", url });
    expect([answer.status, answer.headers.get("location")]).toEqual([303, afterLogout]);
  });
});

describe("signing out at the account goes through them, and then", () => {
  const signOut = async () => {
    const page = await browser.open("/account/sign-out");
    const token = /name="form_token" value="([^"]+)"/.exec(page.text)?.[1] ?? "";
    const headers = { "sec-fetch-site": "same-origin" };
    return await browser.send({ method: "POST", url: page.path, form: { form_token: token }, headers });
  };

  test("to a page that says so, and leads to a login of the same organization", async () => {
    const page = await visitBoth(await signOut());
    expect([page.status, page.headers.get("location")]).toEqual([200, null]);
    expect(page.text).toContain("You are signed out");
    expect(page.text).toContain(`href="/account?organization=${stage.world.organizationId}"`);
  });

  test("to a page that says that an application may not have heard of it", async () => {
    const page = await visitBoth(await signOut(), "Responder");
    expect([page.status, page.text]).toEqual([200, expect.stringContaining("You are signed out here")]);
    expect(page.text).toContain(`href="/account?organization=${stage.world.organizationId}"`);
  });

  test("which says so to nobody with a session", async () => {
    const answer = await browser.send({ method: "GET", url: "/account/signed-out" });
    expect([answer.status, answer.headers.get("location")]).toEqual([303, `${stage.issuer}/account`]);
    expect((await stage.open().open("/account/signed-out?organization=1")).status).toBe(200);
  });
});

test("without a browser sessions only end, and a browser that goes on later finds no way", async () => {
  const { sessionId } = browser.session;
  await first.call(SessionService.method.terminateSession, { sessionId });
  expect(await stage.isOver(browser)).toBe(true);
  const page = await get(`${stage.issuer}/oidc/v1/end_session`);
  expect([page.status, page.text]).toEqual([200, expect.stringContaining("You are signed out")]);
});
