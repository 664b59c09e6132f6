// What others may try with the pages of somebody's account.
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { LoginPolicyService } from "../../../gen/gatehouse/v1/login_policy_service_pb.ts";
import { UserService } from "../../../gen/gatehouse/v1/user_service_pb.ts";
import { SessionService } from "../../../gen/gatehouse/v1/session_service_pb.ts";
import { findSession, listActiveSessions } from "../../../src/identity/logins/sessions/repository.ts";
import { addOrganization, addPerson, password, type ServicePerson } from "../login/support/people.ts";
import { formsOf } from "../login/support/browser.ts";
import { createApplication } from "../oidc/support/application.ts";
import { getTokens, signIn } from "../oidc/support/signed-in.ts";
import { registerTotp } from "../../support/totp.ts";
import { createCaller, createProject, idOf } from "../../support/world.ts";
import { formWith, logInAt, startAccountPlace } from "./support/account-place.ts";

const place = await startAccountPlace();
const victim = await place.addPerson();
afterAll(() => place.stop());

const changed = { current: password, password: "another password", repeated: "another password" };
const listSessions = ({ id }: ServicePerson) =>
  place.service.context.database.read((tx) => listActiveSessions(tx, id));

const policy = { allowPassword: true, allowExternalIdps: true, allowPasskeys: true };

async function addHome(name: string) {
  const id = await addOrganization(place.service, name);
  return { id, person: await addPerson(place.service, id) };
}

/** Says whether the user can still log in with the password of everybody. */
async function hasPassword(person: ServicePerson): Promise<boolean> {
  return (await logInAt(await place.browser().open("/account"), person)).title === "Your account";
}

describe("a session that no login would rest on any more", () => {
  test("shows and changes nothing once the user has a second factor, until that was proved", async () => {
    const person = await place.addPerson();
    const { page, browser } = await place.open("/account/phone", person);
    const { code } = await registerTotp(place.service, person.id);
    expect((await page.submit({ phone: "+41791234567" })).title).toBe("Enter your code");
    const user = await place.service.call(UserService.method.getUser, { userId: person.id });
    expect(JSON.stringify(user)).not.toContain("+41791234567");
    place.service.clock.turn(30_000); // the first code is used up
    const asked = await browser.open("/account/phone");
    const proved = await asked.submit({ code: code(place.service.clock.nowMs()) });
    expect(proved.path).toBe("/account/phone");
  });

  test("shows nothing once the policy asks for two factors", async () => {
    const { id: ownerId, person } = await addHome("Two Factors");
    const { browser } = await place.open("/account", person);
    await createCaller(place.service, ownerId)(LoginPolicyService.method.updateLoginPolicy, {
      ...policy,
      forceMfa: true,
    });
    expect((await browser.open("/account")).title).not.toBe("Your account");
  });

  test("shows nothing once the policy takes no passwords", async () => {
    const { id: ownerId, person } = await addHome("No Passwords");
    const { browser } = await place.open("/account", person);
    await createCaller(place.service, ownerId)(LoginPolicyService.method.updateLoginPolicy, {
      ...policy,
      allowPassword: false,
    });
    expect((await browser.open("/account")).title).toBe("Sign in");
  });

  test("can be ended", async () => {
    const person = await place.addPerson();
    const { browser } = await place.open("/account", person);
    await registerTotp(place.service, person.id);
    await (await browser.open("/account/sign-out")).submit({});
    expect(await listSessions(person)).toEqual([]);
  });
});

describe("a form of another site", () => {
  test.each([
    ["without a token", { form_token: "" }, {}],
    ["with a token that is none", { form_token: "AAAA" }, {}],
    ["that the browser says is of another site", {}, { "sec-fetch-site": "cross-site" }],
    ["that the browser says is of a sibling", {}, { "sec-fetch-site": "same-site" }],
  ])("changes nothing: %s", async (_name, fields, headers) => {
    const person = await place.addPerson();
    const { page } = await place.open("/account/password", person);
    const refused = await page.submit({ ...changed, ...fields }, { headers });
    expect([refused.status, refused.title]).toEqual([403, "This page was out of date"]);
    expect(await hasPassword(person)).toBe(true);
  });

  test("changes nothing with the token of another session, and without the cookie", async () => {
    const { page: own } = await place.open("/account/password", await place.addPerson());
    const token = formsOf(own.text)[0]?.fields["form_token"] ?? "";
    const { page, browser } = await place.open("/account/password", victim);
    const refused = await page.submit({ ...changed, form_token: token });
    expect(refused.status).toBe(403);
    browser.cookies.delete("gh_session");
    expect((await page.submit(changed)).title).toBe("Sign in");
    expect(await hasPassword(victim)).toBe(true);
  });

  test("of before another login in the same browser is out of date", async () => {
    const { page, browser } = await place.open("/account/password", victim);
    place.service.clock.turn(600_000);
    await logInAt(await browser.open("/account/password"), victim);
    expect((await page.submit(changed)).status).toBe(403);
    expect(await hasPassword(victim)).toBe(true);
  });

  test.each(["text/plain", "application/json", "multipart/form-data; boundary=x"])(
    "is no form: %s",
    async (type) => {
      const { browser } = await place.open("/account", victim);
      const headers = { "content-type": type };
      const sent = await browser.send({ method: "POST", url: "/account/sign-out", form: {}, headers });
      expect([sent.status, (await browser.open("/account")).title]).toEqual([400, "Your account"]);
    },
  );

  test("that was sent before does no more than the first time", async () => {
    const person = await place.addPerson();
    const { page } = await place.open("/account/password", person);
    expect((await page.submit(changed)).text).toContain("Your password was changed.");
    expect((await page.submit(changed)).text).toContain("The current password is wrong.");
  });
});

describe("what belongs to others", () => {
  /** An owner of the instance, who may do all of this by calls. */
  let owner: ServicePerson;
  beforeAll(async () => {
    owner = await place.addPerson();
    await place.makeInstanceOwner(owner);
  });

  test("is no session to end", async () => {
    const other = await place.open("/account", victim);
    const [session] = await listSessions(victim);
    await place.open("/account", owner);
    const { page } = await place.open("/account/sessions", owner);
    const refused = await page.submit({ session: session?.id ?? "" }, { index: formWith(page, "others") });
    expect(refused.status).toBe(404);
    await page.submit({}, { index: formWith(page, "others") });
    expect((await other.browser.open("/account")).title).toBe("Your account");
    for (const id of ["", "0", "x", "9".repeat(40), "../1"])
      expect((await page.submit({ session: id }, { index: formWith(page, "others") })).status).toBe(404);
  });

  test("is no factor, token or application to remove, or to look at", async () => {
    const { service, organizationId } = place;
    const { registerU2f, addPersonalAccessToken } = UserService.method;
    const u2fId = idOf(await service.call(registerU2f, { userId: victim.id }), "u2fId");
    const tokenId = idOf(await service.call(addPersonalAccessToken, { userId: victim.id }), "tokenId");
    const projectId = await createProject(service, organizationId);
    const application = await createApplication(service, { organizationId, projectId });
    await getTokens(service, application, { browser: await signIn(service, victim.id) });
    await service.call(UserService.method.addPersonalAccessToken, { userId: owner.id });
    const { page, browser } = await place.open("/account/tokens", owner);
    expect((await browser.open(`/account/factors/${u2fId}`)).status).toBe(404);
    const { form_token: token = "" } = formsOf(page.text)[0]?.fields ?? {};
    const sent = (url: string, form = {}) =>
      browser.send({ method: "POST", url, form: { form_token: token, ...form } });
    expect((await sent(`/account/factors/${u2fId}`)).status).toBe(404);
    expect((await sent("/account/tokens", { token: tokenId })).status).toBe(404);
    expect((await sent("/account/applications", { application: application.clientId })).status).toBe(404);
    const left = await service.call(UserService.method.listPersonalAccessTokens, { userId: victim.id });
    expect(left["personalAccessTokens"]).toHaveLength(1);
    const refresh = await service.call(UserService.method.listRefreshTokens, { userId: victim.id });
    expect(refresh["refreshTokens"]).toHaveLength(1);
  });
});

describe("a session that has ended elsewhere", () => {
  test("changes nothing any more, and asks for a login", async () => {
    const person = await place.addPerson();
    const { page } = await place.open("/account/password", person);
    await createCaller(place.service, place.organizationId)(SessionService.method.terminateUserSessions, {
      userId: person.id,
    });
    expect((await page.submit(changed)).title).toBe("Sign in");
    expect(await hasPassword(person)).toBe(true);
  });

  test("as the user was locked, lets nobody in", async () => {
    const person = await place.addPerson();
    const { page, browser } = await place.open("/account/phone", person);
    await place.service.call(UserService.method.lockUser, { userId: person.id });
    const asked = await page.submit({ phone: "+41 44 668 18 02" });
    expect(asked.title).toBe("Sign in");
    expect((await logInAt(asked, person)).text).toContain("The name or the password is wrong.");
    expect((await browser.open("/account/phone")).title).toBe("Sign in");
  });

  test("as the user was removed, leaves nothing", async () => {
    const person = await place.addPerson();
    const { browser } = await place.open("/account", person);
    const [session] = await listSessions(person);
    await place.service.call(UserService.method.removeUser, { userId: person.id });
    expect((await browser.open("/account")).title).toBe("Sign in");
    const found = await place.service.context.database.read((tx) => findSession(tx, session?.id ?? ""));
    expect(found).toBeUndefined();
  });
});

describe("a path", () => {
  test.each([
    "/account/",
    "/account//evil.example",
    "/account/sessions/1",
    "/account/factors/0",
    "/account/factors/1/2",
    "/account/factors/x",
    "/account/%73essions",
    "/account/Sessions",
  ])("is unknown: %s", async (path) => {
    const { browser } = await place.open("/account", victim);
    const answer = await browser.send({ method: "GET", url: `${place.issuer}${path}` });
    expect(answer.status).toBe(404);
    expect(answer.headers.get("cross-origin-opener-policy")).toBe("same-origin");
    expect((await place.browser().send({ method: "GET", url: `${place.issuer}${path}` })).status).toBe(404);
  });

  test("of a page without a form takes none, and no page takes other verbs", async () => {
    const { browser } = await place.open("/account", victim);
    const posted = await browser.send({ method: "POST", url: "/account/profile", form: {} });
    expect([posted.status, posted.headers.get("allow")]).toEqual([405, "GET"]);
    const put = await browser.send({ method: "PUT", url: "/account/phone" });
    expect([put.status, put.headers.get("allow")]).toEqual([405, "GET, POST"]);
  });

  test("leads nowhere else after a login, whatever its query says", async () => {
    const query =
      "?return=https://evil.example&path=//evil.example&done=password-set&to=%0d%0aset-cookie:x=1";
    const { page } = await place.open(`/account/phone${query}`, victim);
    expect([page.status, page.path]).toEqual([200, "/account/phone"]);
    expect(page.text).not.toContain("evil.example");
  });

  test("says that something was done only where the browser comes from a page of ours", async () => {
    const { browser } = await place.open("/account", victim);
    const done = "Your password was changed.";
    const open = async (query: string, site: string) =>
      (await browser.open(`/account/phone?done=${query}`, { "sec-fetch-site": site })).text;
    expect(await open("password-set", "same-origin")).toContain(done);
    for (const site of ["cross-site", "same-site", "none"])
      expect(await open("password-set", site)).not.toContain(done);
    expect(await open("<script>", "same-origin")).not.toContain("script>");
    expect(await open("toString", "same-origin")).not.toContain('class="done"');
  });

  test("with a part of a list that there is not is a bad request", async () => {
    const { browser } = await place.open("/account", victim);
    expect((await browser.open("/account/sessions?page=x")).status).toBe(400);
  });
});
