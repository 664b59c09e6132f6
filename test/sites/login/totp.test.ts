import { afterAll, describe, expect, test } from "@jest/globals";
import type { OrganizationId } from "../../../src/kernel/base/ids.ts";
import { makeApp } from "../../support/totp.ts";
import { giveAppOn, giveCodesOn } from "./support/app-owner.ts";
import type { BrowserPage } from "./support/browser.ts";
import { done, logIn, password, type Person, startLoginStage } from "./support/login-stage.ts";
import { giveKey } from "./support/security-key.ts";

const stage = await startLoginStage();
afterAll(() => stage.stop());

const minute = 60_000;
const methods = () => stage.ended.at(-1)?.methods;
const now = () => stage.fixture.clock.nowMs();
const linksOf = (page: BrowserPage) =>
  [...page.text.matchAll(/<a class="button second" href="([^"]*)">([^<]*)</g)].map(
    ([, path = "", text = ""]) => ({
      path,
      text,
    }),
  );

const giveApp = (person: Person, of = stage.owner) => giveAppOn(stage, person, of);
const giveCodes = (person: Person, of = stage.owner) => giveCodesOn(stage, person, of);

async function begin(person: Person, of: OrganizationId = stage.owner, request = {}) {
  const application = of === stage.owner ? stage.application : (await stage.addApplication(of)).application;
  const browser = stage.browser();
  const page = await logIn(stage, browser, person, { applicationId: application, ...request });
  return { browser, page };
}

describe("a user with an authenticator app", () => {
  test("needs its code after the password, and has no session before", async () => {
    const person = await stage.addPerson(stage.owner);
    const { code } = await giveApp(person);
    const { browser, page } = await begin(person);
    expect([page.status, page.title, linksOf(page)]).toEqual([200, "Enter your code", []]);
    expect([...browser.cookies.keys()]).toEqual([expect.stringMatching(/^__Host-gh_login_/)]);
    expect(page.text).toMatch(/<input id="code"[^>]* inputmode="numeric" autocomplete="one-time-code"/);
    expect(page.text).not.toContain("<script");
    const wrong = await page.submit({ code: "00000" });
    expect([wrong.status, wrong.title, wrong.problem]).toEqual([
      200,
      "Enter your code",
      expect.stringContaining("The code is wrong"),
    ]);
    const end = await wrong.submit({ code: code(now()) });
    expect([end.location, methods()]).toEqual([done, ["PASSWORD", "TOTP"]]);
    expect((await browser.open(stage.path({ wantsMfa: true, prompts: ["none"] }))).location).toBe(done);
    const { page: replayed } = await begin(person);
    expect((await replayed.submit({ code: code(now()) })).problem).toContain("The code is wrong");
  });

  test("waits after ten wrong codes in a row", async () => {
    const person = await stage.addPerson(stage.owner);
    const { code } = await giveApp(person);
    let { page } = await begin(person);
    for (let tries = 0; tries < 10; tries += 1) page = await page.submit({ code: "wrong" });
    const paused = await page.submit({ code: code(now()) });
    expect([paused.status, paused.headers.get("retry-after")]).toEqual([429, "900"]);
    expect(paused.problem).toContain("Wait 15 minutes");
    stage.fixture.clock.turn(15 * minute);
    const { page: late } = await begin(person);
    expect((await late.submit({ code: code(now()) })).location).toBe(done);
  });

  test("chooses between the app, a key and a recovery code", async () => {
    const person = await stage.addPerson(stage.owner);
    const { code } = await giveApp(person);
    await giveKey(stage, person);
    const { codes } = await giveCodes(person);
    const { browser, page } = await begin(person);
    expect([page.title, linksOf(page).map(({ text }) => text)]).toEqual([
      "Use your security key",
      ["Use an authenticator app instead", "Use a recovery code"],
    ]);
    const [app = { path: "" }, recovery = { path: "" }] = linksOf(page);
    const asked = await browser.open(app.path);
    expect([asked.title, linksOf(asked).map(({ text }) => text)]).toEqual([
      "Enter your code",
      ["Use a security key instead", "Use a recovery code"],
    ]);
    const last = await browser.open(recovery.path);
    expect([last.title, linksOf(last).map(({ path }) => path)]).toEqual([
      "Use a recovery code",
      [page.path, app.path],
    ]);
    const wrong = await last.submit({ code: code(now()) });
    expect(wrong.problem).toContain("The recovery code is wrong");
    expect((await wrong.submit({ code: codes[0] ?? "" })).location).toBe(done);
    expect(methods()).toEqual(["PASSWORD", "RECOVERY_CODE"]);
    const { page: again, browser: other } = await begin(person);
    const form = await other.open(linksOf(again)[1]?.path ?? "");
    expect((await form.submit({ code: codes[0] ?? "" })).problem).toContain("used before");
    const end = await (await other.open(linksOf(again)[0]?.path ?? "")).submit({ code: code(now()) });
    expect([end.location, methods()]).toEqual([done, ["PASSWORD", "TOTP"]]);
  });

  test("is not asked for it where the organization allows keys alone, and cannot use it there", async () => {
    const organization = await stage.addOrganizationWith({ secondFactors: ["U2F"] });
    const person = await stage.addPerson(organization);
    const { code } = await giveApp(person, organization);
    expect((await begin(person, organization)).page.location).toBe(done);
    await giveKey(stage, person);
    const { browser, page } = await begin(person, organization);
    expect([page.title, linksOf(page)]).toEqual(["Use your security key", []]);
    for (const name of ["totp", "recovery-code"]) {
      const url = `${page.path}/${name}`;
      expect((await browser.open(url)).title).toBe("Use your security key");
      const [, token = ""] = /name="form_token" value="([^"]*)"/.exec(page.text) ?? [];
      const sent = await browser.send({
        method: "POST",
        url,
        form: { form_token: token, code: code(now()) },
      });
      expect([name, sent.status, sent.headers.get("location")]).toEqual([
        name,
        303,
        `${stage.issuer}${page.path}`,
      ]);
    }
    expect(browser.cookies.has("__Host-gh_session")).toBe(false);
  });

  test("is asked for the app where the organization allows apps alone, and a key proves nothing there", async () => {
    const organization = await stage.addOrganizationWith({ secondFactors: ["TOTP"] });
    const person = await stage.addPerson(organization);
    await giveApp(person, organization);
    await giveKey(stage, person);
    const { browser, page } = await begin(person, organization);
    expect([page.title, linksOf(page)]).toEqual(["Enter your code", []]);
    const [, token = ""] = /name="form_token" value="([^"]*)"/.exec(page.text) ?? [];
    const url = `${page.path}/second-factor`;
    const sent = await browser.send({ method: "POST", url, form: { form_token: token, credential: "{}" } });
    expect(sent.status).toBe(303);
  });

  test("who has recovery codes alone is not asked for any", async () => {
    const person = await stage.addPerson(stage.owner);
    await giveCodes(person);
    expect((await begin(person)).page.location).toBe(done);
  });
});

describe("where two factors are forced", () => {
  const offered = (page: BrowserPage) => /<p class="secret">([^<]*)</.exec(page.text)?.[1] ?? "";

  test("a user without one sets up an app in place of a key before the login ends", async () => {
    const organization = await stage.addOrganizationWith({ forceMfa: true });
    const person = await stage.addPerson(organization);
    const { browser, page } = await begin(person, organization);
    expect([page.title, linksOf(page).map(({ text }) => text)]).toEqual([
      "Add a security key",
      ["Use an authenticator app instead"],
    ]);
    const form = await browser.open(linksOf(page)[0]?.path ?? "");
    expect([form.title, linksOf(form).map(({ path }) => path)]).toEqual([
      "Add an authenticator app",
      [page.path],
    ]);
    expect(form.text).toMatch(
      /<div class="qr"><svg viewBox="0 0 \d+ \d+" role="img" aria-label="QR code for your auth/,
    );
    expect(offered(form)).toMatch(/^(?:[A-Z2-7]{4} ){7}[A-Z2-7]{4}$/);
    const wrong = await form.submit({ code: "000000" });
    expect([wrong.title, wrong.problem, offered(wrong)]).toEqual([
      "Add an authenticator app",
      expect.stringContaining("The code is wrong"),
      offered(form),
    ]);
    const changed = await form.submit({ code: "000000", offer: "x.AAAA" });
    expect([changed.problem, offered(changed) === offered(form)]).toEqual([
      expect.stringContaining("took too long"),
      false,
    ]);
    expect(browser.cookies.has("__Host-gh_session")).toBe(false);
    const app = makeApp(offered(form));
    const end = await wrong.submit({ code: app.code(now()) });
    expect([end.location, methods()]).toEqual([done, ["PASSWORD", "TOTP"]]);
    stage.fixture.clock.turn(30_000);
    const { page: next } = await begin(person, organization);
    expect(next.title).toBe("Enter your code");
    expect((await next.submit({ code: app.code(now()) })).location).toBe(done);
  });

  test("the page offers the kinds that the organization of the user allows, and takes no other", async () => {
    const apps = await stage.addOrganizationWith({ forceMfa: true, secondFactors: ["TOTP"] });
    const { page } = await begin(await stage.addPerson(apps), apps);
    expect([page.title, linksOf(page)]).toEqual(["Add an authenticator app", []]);
    const keys = await stage.addOrganizationWith({ forceMfa: true, secondFactors: ["U2F"] });
    const { page: shown, browser } = await begin(await stage.addPerson(keys), keys);
    expect([shown.title, linksOf(shown)]).toEqual(["Add a security key", []]);
    const url = `${shown.path}/new-totp`;
    expect((await browser.open(url)).title).toBe("Add a security key");
  });

  test("an offer of one login is none of another", async () => {
    const organization = await stage.addOrganizationWith({ forceMfa: true, secondFactors: ["TOTP"] });
    const { page } = await begin(await stage.addPerson(organization), organization);
    const { page: other } = await begin(await stage.addPerson(organization), organization);
    const [, offer = ""] = /name="offer" value="([^"]*)"/.exec(page.text) ?? [];
    const foreign = await other.submit({ offer, code: makeApp(offered(page)).code(now()) });
    expect(foreign.problem).toContain("took too long");
  });

  test("for local logins alone, a user with a password needs two", async () => {
    const organization = await stage.addOrganizationWith({ forceMfaLocalOnly: true });
    const { page } = await begin(await stage.addPerson(organization), organization);
    expect(page.title).toBe("Add a security key");
  });
});

describe("a user who has gained roles", () => {
  test("decides about the app and the codes that others know, which then prove nothing", async () => {
    const person = await stage.addPerson(stage.owner);
    const app = await giveApp(person);
    const { id, codes } = await giveCodes(person);
    const about = { aggregateId: person.id, resourceOwner: stage.owner };
    await stage.fixture.record(
      { ...app.about, type: "user.totp.questioned" },
      { ...about, type: "user.recovery_codes.questioned", payload: { codes_id: id } },
    );
    const { browser, page } = await begin(person);
    const form = await browser.open(linksOf(page)[0]?.path ?? "");
    const asked = await form.submit({ code: codes[0] ?? "" });
    expect([asked.title, asked.text.match(/<legend>[^<]*/g)]).toEqual([
      "Are these yours?",
      ["<legend>Authenticator app", "<legend>Recovery codes"],
    ]);
    const next = await asked.submit({ [`factor-${app.id}`]: "keep", [`factor-${id}`]: "remove" });
    expect(next.title).toBe("Enter your code"); // the code was one of those that were removed
    const types = (await stage.fixture.events(person.id)).map(({ type }) => type);
    expect(types.slice(-2)).toEqual(["user.totp.kept", "user.recovery_codes.removed"]);
    expect(linksOf(next)).toEqual([]);
    expect((await next.submit({ code: app.code(now()) })).location).toBe(done);
    const again = stage.browser();
    const last = await (await again.open(stage.path())).submit({ username: person.username, password });
    expect(last.title).toBe("Enter your code");
  });

  test("and removes the app, has no second factor any more", async () => {
    const person = await stage.addPerson(stage.owner);
    const app = await giveApp(person);
    await stage.fixture.record({ ...app.about, type: "user.totp.questioned" });
    const { page } = await begin(person);
    const asked = await page.submit({ code: app.code(now()) });
    expect(asked.title).toBe("Are these yours?");
    expect((await asked.submit({ [`factor-${app.id}`]: "remove" })).location).toBe(done);
    expect(methods()).toEqual(["PASSWORD"]);
  });
});
