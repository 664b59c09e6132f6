// What people do for themselves on the pages of their account.
import { afterAll, describe, expect, test } from "@jest/globals";
import { CustomTextService } from "../../../gen/gatehouse/v1/custom_text_service_pb.ts";
import { IdentityProviderService } from "../../../gen/gatehouse/v1/identity_provider_service_pb.ts";
import { UserService } from "../../../gen/gatehouse/v1/user_service_pb.ts";
import { addOrganization, password } from "../login/support/people.ts";
import {
  authorize,
  authorizeAndConfirm,
  browse,
  getTokens,
  refresh,
  signIn,
  type TestBrowser,
} from "../oidc/support/signed-in.ts";
import { createCaller, createProject, idOf, jwtConfig } from "../../support/world.ts";
import { createApplication, type TestApplication } from "../oidc/support/application.ts";
import { canaries } from "../../support/canaries.ts";
import { formWith, logInAt, startAccountPlace } from "./support/account-place.ts";

const place = await startAccountPlace();
afterAll(() => place.stop());

const chosen = "a password of my own";
canaries.add("password", chosen);
const minuteMs = 60_000;

describe("the account", () => {
  test("asks for a login, and goes on to the page that was opened", async () => {
    const person = await place.addPerson();
    const browser = place.browser();
    const asked = await browser.open("/account/sessions?page=x&done=y");
    expect([asked.title, asked.path]).toEqual(["Sign in", expect.stringMatching(/^\/login\/[0-9]+$/)]);
    expect(asked.text).toContain("to continue to Gatehouse");
    const page = await logInAt(asked, person);
    expect([page.status, page.path, page.title]).toEqual([200, "/account/sessions", "Sessions"]);
    const first = await browser.open("/account");
    expect(first.text).toContain(`You are signed in as ${person.username}.`);
    for (const name of [
      "profile",
      "email",
      "phone",
      "recovery-codes",
      "password",
      "factors",
      "sessions",
      "applications",
      "tokens",
    ])
      expect(first.text).toContain(`href="/account/${name}"`);
  });

  test("keeps to itself: no frame, no cache, no opener, and no script but its own", async () => {
    const { page } = await place.open("/account", await place.addPerson());
    expect(Object.fromEntries(page.headers)).toMatchObject({
      "cache-control": "no-store",
      "cross-origin-opener-policy": "same-origin",
      "referrer-policy": "no-referrer",
      "x-frame-options": "DENY",
      "content-security-policy": expect.stringContaining("default-src 'none'; script-src 'self';"),
    });
  });

  test("speaks German, too", async () => {
    const { browser } = await place.open("/account", await place.addPerson());
    const page = await browser.open("/account", { "accept-language": "de-CH" });
    expect(page.text).toContain('<html lang="de">');
    expect(page.title).toBe("Ihr Konto");
  });

  test("says what the organization of the user wants, else what the instance wants", async () => {
    const { setDefaultCustomTexts, setCustomTexts, resetCustomTexts } = CustomTextService.method;
    const inside = createCaller(place.service, place.organizationId);
    const title = (text: string) => [{ key: "account.title", text }];
    const language = "it";
    const { browser } = await place.open("/account", await place.addPerson());
    const open = async (path: string) => (await browser.open(path, { "accept-language": language })).title;
    await place.service.call(setDefaultCustomTexts, { language, texts: title("Il mio profilo") });
    expect(await open("/account")).toBe("Il mio profilo");
    await inside(setCustomTexts, { language, texts: title("Profilo & lampade") });
    expect(await open("/account")).toBe("Profilo &amp; lampade");
    await inside(resetCustomTexts, { language });
    await place.service.call(setDefaultCustomTexts, { language });
    expect(await open("/account")).toBe("Il tuo account");
  });

  test("says what the instance wants on pages that know no organization", async () => {
    const { setDefaultCustomTexts } = CustomTextService.method;
    const pages = [
      { path: "/device", key: "login.device.codeTitle" },
      { path: "/device/allowed", key: "login.device.ends.allowed.title" },
      { path: "/oidc/v1/end_session", key: "login.logout.done.title" },
      { path: "/login/nowhere", key: "login.errors.not-found.title" },
      { path: "/account/refused", key: "account.refused.title" },
      { path: "/account/signed-out", key: "login.logout.done.title" },
    ];
    const texts = [...new Set(pages.map(({ key }) => key))].map((key) => ({
      key,
      text: `Testo ${key}`.replaceAll(".", " "),
    }));
    const language = "it";
    await place.service.call(setDefaultCustomTexts, { language, texts });
    for (const { path, key } of pages) {
      const { title } = await place.browser().open(path, { "accept-language": language });
      expect([path, title]).toEqual([path, `Testo ${key}`.replaceAll(".", " ")]);
    }
    await place.service.call(setDefaultCustomTexts, { language });
  });

  test("shows what is stored about the user", async () => {
    const person = await place.addPerson();
    const { page } = await place.open("/account/profile", person);
    for (const text of [person.username, "Ada Lovelace", "ada@example.com (not verified)", "Lamp Works"])
      expect(page.text).toContain(text);
  });

  test("ends the session of the browser, whose cookie goes", async () => {
    const { page, browser } = await place.open("/account", await place.addPerson());
    const value = browser.cookies.get("gh_session") ?? "";
    const end = await page.submit();
    expect([end.status, end.title]).toEqual([200, "You are signed out"]);
    expect(browser.cookies.has("gh_session")).toBe(false);
    browser.cookies.set("gh_session", value);
    expect((await browser.open("/account")).title).toBe("Sign in");
  });
});

describe("the password", () => {
  test("is changed by who knows the former one, and ends all other sessions", async () => {
    const person = await place.addPerson();
    const other = await place.open("/account", person);
    const { page, browser } = await place.open("/account/password", person);
    const done = await page.submit({ current: password, password: chosen, repeated: chosen });
    expect([done.status, done.path]).toEqual([200, "/account/password"]);
    expect(done.text).toContain('<p class="done" role="status">Your password was changed.</p>');
    expect((await browser.open("/account")).title).toBe("Your account");
    expect((await other.browser.open("/account")).title).toBe("Sign in");
    const again = await place.browser().open("/account");
    expect((await again.submit({ username: person.username, password: chosen })).title).toBe("Your account");
  });

  test.each([
    ["a wrong former one", { current: "not it" }, "The current password is wrong."],
    ["another one the second time", { repeated: "not it" }, "The two new passwords are not the same."],
    ["the former one", { password, repeated: password }, "The new password is the current one."],
    ["a short one", { password: "short", repeated: "short" }, "at least 10 characters"],
  ])("stays for %s", async (_name, fields, problem) => {
    const person = await place.addPerson();
    const { page } = await place.open("/account/password", person);
    const typed = { current: password, password: chosen, repeated: chosen, ...fields };
    const shown = await page.submit(typed);
    expect([shown.status, shown.text]).toEqual([200, expect.stringContaining(problem)]);
    const again = await place.browser().open("/account");
    expect((await logInAt(again, person)).title).toBe("Your account");
  });

  test("is guarded against whoever guesses the former one in a session that was left open", async () => {
    const { page } = await place.open("/account/password", await place.addPerson());
    const typed = { current: "not it", password: chosen, repeated: chosen };
    let shown = await page.submit(typed);
    for (let tries = 1; tries < 30 && shown.status === 200; tries++) shown = await page.submit(typed);
    expect(shown.status).toBe(429);
    expect(Number(shown.headers.get("retry-after"))).toBeGreaterThan(0);
  });
});

describe("a recent login", () => {
  test.each(["password", "factors/new", "factors/new-app", "recovery-codes"])(
    "is asked for by %s, of the same user, and leads back",
    async (name) => {
      const person = await place.addPerson();
      const { browser } = await place.open("/account", person);
      const before = browser.cookies.get("gh_session");
      place.service.clock.turn(10 * minuteMs);
      expect((await browser.open("/account")).title).toBe("Your account");
      const asked = await browser.open(`/account/${name}`);
      expect(asked.title).toBe("Sign in");
      expect(asked.text).toContain(`value="${person.username}"`);
      const page = await logInAt(asked, person);
      expect([page.status, page.path]).toEqual([200, `/account/${name}`]);
      expect(browser.cookies.get("gh_session")).not.toBe(before);
    },
  );

  test("lets nobody else in, whose session does not begin", async () => {
    const person = await place.addPerson();
    const { browser } = await place.open("/account", person);
    place.service.clock.turn(10 * minuteMs);
    const asked = await browser.open("/account/password");
    const refused = await logInAt(asked, await place.addPerson());
    expect([refused.status, refused.path]).toEqual([200, "/account/refused"]);
    expect(refused.title).toBe("You have not signed in");
    expect((await browser.open("/account")).text).toContain(person.username);
  });

  test("is asked for by a form that comes too late, which changes nothing", async () => {
    const person = await place.addPerson();
    const { page } = await place.open("/account/password", person);
    place.service.clock.turn(10 * minuteMs);
    const late = await page.submit({ current: password, password: chosen, repeated: chosen });
    expect(late.title).toBe("Sign in");
    expect((await logInAt(late, person)).path).toBe("/account/password");
  });
});

describe("sessions", () => {
  test("are shown with what is known of them, and end one by one", async () => {
    const person = await place.addPerson();
    const other = place.browser();
    const agent = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
    const asked = await other.open("/account", { "user-agent": agent });
    await asked.submit({ username: person.username, password }, { headers: { "user-agent": agent } });
    const { page } = await place.open("/account/sessions", person);
    expect(page.text).toContain("<strong>Firefox on Linux</strong>");
    expect(page.text).toContain("This session");
    const [, id = ""] = /name="session" value="([0-9]+)"/.exec(page.text) ?? [];
    const ended = await page.submit({}, { index: formWith(page, id) });
    expect(ended.text).toContain("The session was ended.");
    expect(ended.text).not.toContain("Firefox");
    expect((await other.open("/account")).title).toBe("Sign in");
  });

  test("end all at once but for that of the browser", async () => {
    const person = await place.addPerson();
    const others = [await place.open("/account", person), await place.open("/account", person)];
    const { page, browser } = await place.open("/account/sessions", person);
    const ended = await page.submit({}, { index: formWith(page, "others") });
    expect(ended.text).toContain("All other sessions were ended.");
    expect((await browser.open("/account")).title).toBe("Your account");
    for (const other of others) expect((await other.browser.open("/account")).title).toBe("Sign in");
  });
});

test("personal access tokens are shown and removed", async () => {
  const person = await place.addPerson();
  const { service } = place;
  const made = await service.call(UserService.method.addPersonalAccessToken, { userId: person.id });
  const { page } = await place.open("/account/tokens", person);
  expect(page.text).toContain(`Token ${idOf(made, "tokenId")}`);
  expect(page.text).toContain("Never expires");
  const removed = await page.submit();
  expect(removed.text).toContain("You have no personal access token.");
});

describe("applications", () => {
  /** An application of an organization, with a user's browser. */
  const addApplication = async (organizationId: string, name: string) => {
    const projectId = await createProject(place.service, organizationId);
    return await createApplication(place.service, { organizationId, projectId }, { name });
  };
  const userinfoStatus = async (accessToken: string) =>
    (await browse(place.service, "/oidc/v1/userinfo", { authorization: `Bearer ${accessToken}` })).status;
  const consentRequired = async (application: TestApplication, browser: TestBrowser) => {
    const parameters = { prompt: "none" };
    return (await authorize(place.service, application, { browser, parameters })).back["error"];
  };

  test("that stay signed in are shown once, and lose their access everywhere", async () => {
    const person = await place.addPerson();
    const { service } = place;
    const application = await addApplication(place.organizationId, "Time <Sheets>");
    const browser = await signIn(service, person.id);
    const tokens = [
      await getTokens(service, application, { browser }),
      await getTokens(service, application, { browser: await signIn(service, person.id) }),
    ];
    const { page } = await place.open("/account/applications", person);
    expect(page.text.match(/<strong>.*<\/strong>/g)).toEqual(["<strong>Time &lt;Sheets&gt;</strong>"]);
    expect(page.text).toContain("Can act for you while you are away, since ");
    const removed = await page.submit();
    expect(removed.text).toContain("The access of the application was removed.");
    expect(removed.text).toContain("You have not allowed any application to act for you.");
    for (const { refreshToken, accessToken } of tokens) {
      const refreshed = await refresh(service, application, refreshToken);
      expect(refreshed.json).toMatchObject({ error: "invalid_grant" });
      expect(await userinfoStatus(accessToken)).toBe(401);
    }
  });

  test("that were allowed on a page without lasting access are shown, and have to ask again", async () => {
    const person = await place.addPerson();
    const { service } = place;
    const application = await addApplication(await addOrganization(service, "Elsewhere"), "Foreign");
    const other = await addApplication(await addOrganization(service, "Far away"), "Kept");
    const browser = await signIn(service, person.id);
    await authorizeAndConfirm(service, other, { browser });
    const { accessToken } = await getTokens(service, application, { browser, scope: "openid" });
    expect(await consentRequired(application, browser)).toBeUndefined();
    const { page } = await place.open("/account/applications", person);
    expect(page.text).toContain("Sees your details when you sign in there");
    const removed = await page.submit({}, { index: formWith(page, application.clientId) });
    expect(removed.text.match(/<strong>.*<\/strong>/g)).toEqual(["<strong>Kept</strong>"]);
    expect(await consentRequired(application, browser)).toBe("consent_required");
    expect(await userinfoStatus(accessToken)).toBe(401);
    expect(await consentRequired(other, browser)).toBeUndefined();
  });
});

test("accounts elsewhere are shown and removed, and only those of one's own", async () => {
  const [person, other] = [await place.addPerson(), await place.addPerson()];
  const { service, organizationId } = place;
  const inside = createCaller(service, organizationId);
  const made = await inside(IdentityProviderService.method.createIdentityProvider, {
    name: "Lamp <Works>",
    config: { case: "jwt", value: jwtConfig },
  });
  const idpId = idOf(made, "idpId");
  for (const { id } of [person, other]) {
    const link = { userId: id, idpId, externalUserId: `subject of ${id}`, externalUsername: `user-${id}` };
    await inside(UserService.method.addIdpLink, link);
  }
  const { page } = await place.open("/account/links", person);
  expect(page.text).toContain("<strong>Lamp &lt;Works&gt;</strong>");
  expect(page.text).not.toContain(`user-${other.id}`);
  expect((await page.submit({ identity: `subject of ${other.id}` })).status).toBe(404);
  const removed = await page.submit();
  expect(removed.text).toContain("The account is no longer linked.");
  expect(removed.text).toContain("You have no account elsewhere");
});
