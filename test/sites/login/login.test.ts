import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { addLabelPolicy, defaultLabel, toLabelPayload } from "../../../src/identity/branding/label-policy.ts";
import type { InstanceId } from "../../../src/kernel/base/ids.ts";
import { putInstanceId } from "../../../src/identity/instance/repository.ts";
import { terminateSession } from "../../../src/identity/logins/sessions/session.ts";
import { getSession, listActiveSessions } from "../../../src/identity/logins/sessions/repository.ts";
import { findUserById } from "../../../src/identity/people/user/repository.ts";
import { changeUserState } from "../../../src/identity/people/user/user.ts";
import { callback, done, logIn, password, startLoginStage } from "./support/login-stage.ts";

const stage = await startLoginStage();
afterAll(() => stage.stop());

const session = "__Host-gh_session";

describe("a login", () => {
  test("by name and password ends at the application, with a session in the browser", async () => {
    const person = await stage.addPerson(stage.owner);
    const browser = stage.browser();
    const page = await browser.open(stage.path());
    expect([page.status, page.title]).toEqual([200, "Sign in"]);
    expect(browser.cookies.size).toBe(1);
    const end = await page.submit({ username: person.username.toUpperCase(), password });
    expect([end.status, end.location]).toEqual([303, done]);
    expect([...browser.cookies.keys()].toSorted()).toEqual(["__Host-gh_known", session]);
    const [login] = stage.ended.slice(-1);
    expect(login).toMatchObject({ userId: person.id, methods: ["PASSWORD"] });
    const stored = await stage.fixture.database.read((tx) =>
      getSession(tx, stage.owner, login?.sessionId ?? ""),
    );
    expect(stored).toMatchObject({ userId: person.id, state: "ACTIVE", checks: [{ method: "PASSWORD" }] });
    const editors = (await stage.fixture.events(stored.id)).map(({ type, editor }) => [type, editor]);
    expect(editors).toEqual([["session.added", person.id]]);
  });

  test("by another name looks for verified users of the organization that logs in, then for addresses that were proved", async () => {
    const person = await stage.addPerson(stage.owner);
    const stranger = await stage.addPerson(await stage.addOrganization());
    const emailOf = ({ username }: { readonly username: string }) => `${username}@example.test`;
    const logInAs = async (who: { readonly username: string }) => {
      const first = await stage.browser().open(stage.path());
      const { title, location } = await first.submit({ username: emailOf(who), password });
      return location ?? title;
    };
    for (const who of [person, stranger]) {
      expect(await logInAs(who)).toBe("Sign in");
      await stage.event("user.email.verified", who);
    }
    expect([await logInAs(person), await logInAs(stranger)]).toEqual([done, "Sign in"]);
    await stage.event("user.email.verified", stranger, { by: "sent_code" });
    expect(await logInAs(stranger)).toMatch(/^Continue to /);
  });

  test.each([
    [
      ["USERNAME", "EMAIL", "PHONE"],
      "Username, email address or phone",
      "Benutzername, E\u2011Mail-Adresse oder Telefonnummer",
    ],
    [["EMAIL", "PHONE"], "Email address or phone", "E\u2011Mail-Adresse oder Telefonnummer"],
    [["PHONE"], "Phone", "Telefonnummer"],
  ] as const)("where %j may be typed says so: %s", async (loginNames, english, german) => {
    const owner = await stage.addOrganizationWith({ loginNames });
    const { application } = await stage.addApplication(owner);
    for (const [locale, label] of [
      ["en", english],
      ["de", german],
    ] as const) {
      const path = stage.path({ applicationId: application, uiLocales: [locale] });
      const page = await stage.browser().open(path);
      expect(page.text).toContain(`<label for="username">${label}</label>`);
    }
  });

  test("needs no page while the session holds, and touches no cookie of it", async () => {
    const person = await stage.addPerson(stage.owner);
    const browser = stage.browser();
    await logIn(stage, browser, person);
    const value = browser.cookies.get(session);
    expect((await browser.open(stage.path())).location).toBe(done);
    expect((await browser.open(stage.path({ prompts: ["none"] }))).location).toBe(done);
    expect(browser.cookies.get(session)).toBe(value);
    const [first, second] = stage.ended.slice(-2);
    expect(second?.sessionId).toBe(first?.sessionId);
  });

  test("by a request that came by POST, without the session cookie, looks at the session afterwards", async () => {
    const person = await stage.addPerson(stage.owner);
    const browser = stage.browser();
    await logIn(stage, browser, person);
    const cookie = browser.cookies.get(session) ?? "";
    browser.cookies.delete(session);
    const posted = await browser.send({ method: "POST", url: stage.path(), form: {} });
    expect([posted.status, posted.headers.get("location")]).toEqual([
      303,
      expect.stringMatching(/^https:\/\/login\.example\/login\/[0-9]+\/continue$/),
    ]);
    browser.cookies.set(session, cookie);
    expect((await browser.open(posted.headers.get("location") ?? "")).location).toBe(done);
  });

  test("without a session and without a page is refused", async () => {
    const browser = stage.browser();
    const page = await browser.open(stage.path({ prompts: ["none"] }));
    expect([page.location, browser.cookies.size]).toEqual([`${callback}?error=login_required`, 0]);
  });
});

describe("a session", () => {
  test("of another user than the one that is asked for, or of another organization, does not count", async () => {
    const person = await stage.addPerson(stage.owner);
    const other = await stage.addPerson(stage.owner);
    const elsewhere = await stage.addOrganization();
    const browser = stage.browser();
    await logIn(stage, browser, person);
    const none = { prompts: ["none"] } as const;
    const refused = `${callback}?error=login_required`;
    expect((await browser.open(stage.path({ ...none, subject: person.id }))).location).toBe(done);
    expect((await browser.open(stage.path({ ...none, subject: other.id }))).location).toBe(refused);
    expect((await browser.open(stage.path({ ...none, organizationId: stage.owner }))).location).toBe(done);
    expect((await browser.open(stage.path({ ...none, organizationId: elsewhere }))).location).toBe(refused);
    const page = await browser.open(stage.path({ subject: other.id }));
    expect(page.title).toBe("Sign in");
    expect((await page.submit({ username: person.username, password })).location).toBe(refused);
  });

  test("that is too old for the application, or a demand for a new login, asks for the password", async () => {
    const person = await stage.addPerson(stage.owner);
    const browser = stage.browser();
    await logIn(stage, browser, person);
    const value = browser.cookies.get(session);
    stage.fixture.clock.turn(61_000);
    expect((await browser.open(stage.path({ maxAgeSeconds: 61 }))).location).toBe(done);
    expect((await browser.open(stage.path({ maxAgeSeconds: 60, prompts: ["none"] }))).location).toContain(
      "error",
    );
    expect((await browser.open(stage.path({ maxAgeSeconds: 60 }))).title).toBe("Sign in");
    expect((await logIn(stage, browser, person, { prompts: ["login"] })).location).toBe(done);
    const [before, after] = stage.ended.slice(-2);
    expect(after?.sessionId).toBe(before?.sessionId);
    expect((after?.authTimeMs ?? 0) - (before?.authTimeMs ?? 0)).toBe(61_000);
    expect(browser.cookies.get(session)).not.toBe(value);
    browser.cookies.set(session, value ?? "");
    const old = await browser.open(stage.path({ prompts: ["none"] }));
    expect(old.location).toBe(`${callback}?error=login_required`);
  });

  test("of one user ends when another one logs in in the browser", async () => {
    const [first, second] = [await stage.addPerson(stage.owner), await stage.addPerson(stage.owner)];
    const browser = stage.browser();
    await logIn(stage, browser, first);
    expect((await logIn(stage, browser, second, { prompts: ["login"] })).location).toBe(done);
    const list = (id: string) => stage.fixture.database.read((tx) => listActiveSessions(tx, id));
    expect([(await list(first.id)).length, (await list(second.id)).length]).toEqual([0, 1]);
  });

  test("that has ended, or whose user was locked, is worth nothing", async () => {
    const person = await stage.addPerson(stage.owner);
    const browser = stage.browser();
    const none = stage.path({ prompts: ["none"] });
    await logIn(stage, browser, person);
    const { sessionId } = stage.ended.at(-1) ?? {};
    const stored = await stage.fixture.database.read((tx) => getSession(tx, stage.owner, sessionId ?? ""));
    await stage.fixture.record(terminateSession(stored, "terminated"));
    expect((await browser.open(none)).location).toContain("login_required");
    await logIn(stage, browser, person);
    expect((await browser.open(none)).location).toBe(done);
    await change(person.id, "lock");
    expect((await browser.open(none)).location).toContain("login_required");
  });
});

describe("the choice of an account", () => {
  test("goes on with the session, or with another account, which then has the browser", async () => {
    const [first, second] = [await stage.addPerson(stage.owner), await stage.addPerson(stage.owner)];
    const browser = stage.browser();
    const request = { prompts: ["select_account"] } as const;
    await logIn(stage, browser, first);
    const page = await browser.open(stage.path(request));
    expect([page.title, page.text]).toEqual(["Choose an account", expect.stringContaining(first.username)]);
    expect((await page.submit({}, { index: 0 })).location).toBe(done);
    expect(stage.ended.at(-1)?.userId).toBe(first.id);
    const other = await (await browser.open(stage.path(request))).submit({}, { index: 1 });
    expect(other.title).toBe("Sign in");
    expect((await browser.open(stage.path({ prompts: ["none"] }))).location).toBe(done); // the session goes on until then
    expect((await other.submit({ username: second.username, password })).location).toBe(done);
    expect(stage.ended.at(-1)?.userId).toBe(second.id);
  });

  test("is made between the accounts that were shown: a session that has changed since is shown again", async () => {
    const [first, second] = [await stage.addPerson(stage.owner), await stage.addPerson(stage.owner)];
    const browser = stage.browser();
    await logIn(stage, browser, first);
    const page = await browser.open(stage.path({ prompts: ["select_account"] }));
    await logIn(stage, browser, second, { prompts: ["login"] });
    const again = await page.submit({}, { index: 0 });
    expect([again.title, again.text]).toEqual([
      "Choose an account",
      expect.stringContaining(second.username),
    ]);
  });
});

describe("an application of another organization", () => {
  test("is confirmed once by its user, and knows nothing of who cancels", async () => {
    const home = await stage.addOrganization();
    const person = await stage.addPerson(home);
    const browser = stage.browser();
    const page = await logIn(stage, browser, person);
    expect(page.title).toBe("Continue to Demo &lt;App&gt;?");
    expect(page.text).toContain("Owner &amp; Sons");
    expect(page.text).toContain("your email address");
    expect(page.text).not.toContain("your phone number");
    expect(browser.cookies.has(session)).toBe(false);
    const logins = stage.ended.length;
    const cookies = new Map(browser.cookies);
    expect((await page.submit({ choice: "cancel" })).location).toBe(`${callback}?error=access_denied`);
    expect([stage.ended.length, browser.cookies.has(session)]).toEqual([logins, false]);
    for (const [name, value] of cookies) browser.cookies.set(name, value); // as in a browser that has not seen the answer
    for (const choice of ["cancel", "continue"]) {
      const again = await page.submit({ choice });
      expect([again.status, again.title]).toEqual([200, "You have not signed in"]);
      expect(again.text).toContain(`<a href="${callback}?back">Back to the application</a>`);
    }
    expect([stage.ended.length, browser.cookies.has(session)]).toEqual([logins, false]);
    const confirmed = await (await logIn(stage, browser, person)).submit({ choice: "continue" });
    expect([confirmed.location, browser.cookies.has(session)]).toEqual([done, true]);
    expect((await browser.open(stage.path({ prompts: ["none"] }))).location).toBe(done);
    const { application } = await stage.addApplication(stage.owner);
    const none = stage.path({ applicationId: application, prompts: ["none"] });
    expect((await browser.open(none)).location).toBe(`${callback}?error=consent_required`);
  });

  test("is confirmed by the session that the browser has, as long as it holds", async () => {
    const home = await stage.addOrganization();
    const person = await stage.addPerson(home);
    const browser = stage.browser();
    await (await logIn(stage, browser, person)).submit({ choice: "continue" });
    const { sessionId } = stage.ended.at(-1) ?? {};
    const { application } = await stage.addApplication(stage.owner);
    const page = await browser.open(stage.path({ applicationId: application }));
    expect(page.title).toBe("Continue to Demo &lt;App&gt;?");
    const found = await stage.fixture.database.read((tx) => getSession(tx, home, sessionId ?? ""));
    await stage.fixture.record(terminateSession(found, "terminated"));
    const count = stage.ended.length;
    expect((await page.submit({ choice: "continue" })).title).toBe("Sign in");
    expect(stage.ended.length).toBe(count);
  });

  test("asks again for what it did not show before, and says what is new; nothing of it twice", async () => {
    const home = await stage.addOrganization();
    const person = await stage.addPerson(home);
    const browser = stage.browser();
    await (await logIn(stage, browser, person, { scopes: ["openid", "email"] })).submit({
      choice: "continue",
    });
    const none = async (...scopes: string[]) =>
      (await browser.open(stage.path({ scopes, prompts: ["none"] }))).location;
    expect([await none("openid"), await none("openid", "email")]).toEqual([done, done]);
    const required = `${callback}?error=consent_required`;
    expect(await none("openid", "profile")).toBe(required);
    expect(await none("openid", "email", "offline_access")).toBe(required);
    const page = await browser.open(stage.path({ scopes: ["openid", "email", "profile"] }));
    expect(page.text).toContain("This application asks for more than you have allowed before.");
    expect([...page.text.matchAll(/<li>(.*?)<\/li>/g)].map(([, text]) => text)).toEqual([
      "your username, and an identifier of your account",
      "<strong>New:</strong> your name",
      "your email address",
    ]);
    await page.submit({ choice: "continue" });
    expect(await none("openid", "email", "profile")).toBe(done);
  });

  test("is shown always to whom the application wants to be asked, also in their own organization", async () => {
    for (const where of [stage.owner, await stage.addOrganization()]) {
      const browser = stage.browser();
      const person = await stage.addPerson(where);
      for (let times = 0; times < 2; times++) {
        const page = await logIn(stage, browser, person, { prompts: ["consent", "login"] });
        expect(page.title).toBe("Continue to Demo &lt;App&gt;?");
        expect((await page.submit({ choice: "continue" })).location).toBe(done);
      }
    }
  });

  test("confirms nothing that the page did not show", async () => {
    const home = await stage.addOrganization();
    const page = await logIn(stage, stage.browser(), await stage.addPerson(home), { scopes: ["openid"] });
    const again = await page.submit({ choice: "continue", shown: "something else" });
    expect(again.title).toBe("Continue to Demo &lt;App&gt;?");
    expect((await again.submit({ choice: "continue" })).location).toBe(done);
  });

  test("learns nothing once the password was changed while the page was open", async () => {
    const home = await stage.addOrganization();
    const person = await stage.addPerson(home);
    const browser = stage.browser();
    const page = await logIn(stage, browser, person);
    await stage.event("user.password.set", person, { change_required: false, by: person.id });
    const end = await page.submit({ choice: "continue" });
    expect([end.status, end.title, browser.cookies.has(session)]).toEqual([400, "Please begin again", false]);
  });

  test("learns nothing of a user who is deactivated while the page is open", async () => {
    const home = await stage.addOrganization();
    const person = await stage.addPerson(home);
    const browser = stage.browser();
    const page = await logIn(stage, browser, person);
    await change(person.id, "deactivate");
    const end = await page.submit({ choice: "continue" });
    expect([end.title, browser.cookies.has(session)]).toEqual(["Sign in", false]);
  });
});

describe("the name and the look that pages show", () => {
  const enforce = "PRIVATE_LABELING_SETTING_ENFORCE_PROJECT_RESOURCE_OWNER_POLICY";
  const allow = "PRIVATE_LABELING_SETTING_ALLOW_LOGIN_USER_RESOURCE_OWNER_POLICY";
  const unspecified = "PRIVATE_LABELING_SETTING_UNSPECIFIED";
  const colors = { owner: "#111111", user: "#222222", instance: "#333333" };

  async function brand(resourceOwner: string, primary: string): Promise<void> {
    const draft = { ...defaultLabel, light: { ...defaultLabel.light, primary } };
    const { ids } = stage.fixture.context;
    const added = addLabelPolicy({ id: ids.next(), resourceOwner, draft });
    await stage.fixture.record(added, {
      ...added,
      type: "label_policy.activated",
      payload: toLabelPayload(draft),
    });
  }
  beforeAll(async () => {
    await brand(stage.owner, colors.owner);
    const instance = stage.fixture.context.ids.next<InstanceId>();
    await stage.fixture.database.write((tx) => putInstanceId(tx, instance));
    await brand(instance, colors.instance);
  });

  test.each([
    [enforce, "owner", "owner", "owner"],
    [allow, "owner", "user", "user"],
    [unspecified, "instance", "instance", "user"],
  ] as const)("follows the setting %s", async (privateLabelingSetting, before, after, asked) => {
    const home = await stage.addOrganization(`Home of ${privateLabelingSetting}`);
    await brand(home, colors.user);
    const person = await stage.addPerson(home);
    const { application } = await stage.addApplication(stage.owner, { privateLabelingSetting });
    const request = { applicationId: application };
    const first = await stage.browser().open(stage.path(request));
    const second = await logIn(stage, stage.browser(), person, request);
    const third = await stage.browser().open(stage.path({ ...request, organizationId: home }));
    const bodies = { owner: stage.owner, user: home, instance: undefined };
    const named = [first, second, third].map(
      ({ text }) => /<body(?: data-organization="(\d+)")?>/.exec(text)?.[1],
    );
    expect(named).toEqual([before, after, asked].map((name) => bodies[name]));
    const names = {
      owner: "Owner &amp; Sons",
      user: `Home of ${privateLabelingSetting}`,
      instance: "Gatehouse",
    };
    const shown = [first, second, third].map(({ text }) => /<p class="name">(.*?)<\/p>/.exec(text)?.[1]);
    // The second page asks what the application may learn: there the name of the product stands, too.
    const trusted = after === "instance" ? names.instance : `${names[after]} · Gatehouse`;
    expect(shown).toEqual([names[before], trusted, names[asked]]);
    const accents = [first, second, third].map(
      ({ text }) => /--accent:light-dark\((#\w{6}),/.exec(text)?.[1],
    );
    expect(accents).toEqual([before, after, asked].map((name) => colors[name]));
  });

  test("is that of the instance for organizations without one of their own", async () => {
    const home = await stage.addOrganization("Without a look");
    const page = await stage.browser().open(stage.path({ organizationId: home }));
    expect(page.text).toContain(`--accent:light-dark(${colors.instance},`);
    expect(page.text).toContain('<p class="name">Without a look</p>');
  });
});

async function change(userId: string, action: "lock" | "deactivate"): Promise<void> {
  const user = await stage.fixture.database.read((tx) => findUserById(tx, userId));
  if (user === undefined) throw new Error("there is no such user");
  await stage.fixture.record(...changeUserState(user, action));
}
