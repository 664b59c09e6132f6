import { afterAll, describe, expect, test } from "@jest/globals";
import type { OrganizationId } from "../../../src/kernel/base/ids.ts";
import { callback, done, logIn, password, type Person, startLoginStage } from "./support/login-stage.ts";
import { giveKey, makeSecurityKey, optionsOf } from "./support/security-key.ts";

const stage = await startLoginStage();
afterAll(() => stage.stop());

const domain = "login.example";
const minute = 60_000;
const methods = () => stage.ended.at(-1)?.methods;

/** A person with a key, in an organization of its own unless one is given. */
async function addKeyOwner(of = stage.owner, registeredFor = domain) {
  const person = await stage.addPerson(of);
  const key = makeSecurityKey(stage);
  await stage.fixture.record(...key.registered(person.id, of, registeredFor));
  return { person, key };
}

/** Logs in to an application of the person's own organization, up to the page after the password. */
async function begin(person: Person, of: OrganizationId = stage.owner, request = {}) {
  const application = of === stage.owner ? stage.application : (await stage.addApplication(of)).application;
  const browser = stage.browser();
  const page = await logIn(stage, browser, person, { applicationId: application, ...request });
  return { browser, page, application };
}

describe("a user with a security key", () => {
  test("needs it after the password, and has no session before", async () => {
    const { person, key } = await addKeyOwner();
    const { browser, page } = await begin(person);
    expect([page.status, page.title]).toEqual([200, "Use your security key"]);
    expect([...browser.cookies.keys()]).toEqual([expect.stringMatching(/^__Host-gh_login_/)]);
    expect(optionsOf(page)).toMatchObject({
      rpId: domain,
      userVerification: "discouraged",
      timeout: 300_000,
    });
    expect(page.headers.get("content-security-policy")).toContain("script-src 'self'");
    expect(page.text).toMatch(/<script src="\/login\/assets\/webauthn-[0-9a-f]{12}\.js" defer><\/script>/);
    expect(page.text).toContain("<noscript>");
    expect((await browser.open(stage.path({ prompts: ["none"] }))).location).toBe(
      `${callback}?error=login_required`,
    );
    const end = await page.submit({ credential: key.answer(page) });
    expect([end.status, end.location, methods()]).toEqual([303, done, ["PASSWORD", "U2F"]]);
    expect((await browser.open(stage.path({ prompts: ["none"] }))).location).toBe(done);
    const types = (await stage.fixture.events(stage.ended.at(-1)?.sessionId ?? "")).map(({ type }) => type);
    expect(types).toEqual(["session.added", "session.checked"]);
  });

  test("sees the page again with a new challenge after anything but the right answer", async () => {
    const { person, key } = await addKeyOwner();
    const stranger = makeSecurityKey(stage);
    const { page } = await begin(person);
    const answers = [
      () => ({}),
      () => ({ credential: "{" }),
      () => ({ credential: stranger.answer(page) }),
      () => ({ credential: key.answer(page, { clientData: { challenge: "AAAA" } }) }),
      () => ({ credential: key.answer(page, { origin: "https://evil.example" }) }),
    ];
    const ended = stage.ended.length;
    for (const wrong of answers) {
      const again = await page.submit(wrong());
      expect([again.status, again.title, again.problem]).toEqual([
        200,
        "Use your security key",
        expect.stringContaining("was not accepted"),
      ]);
      expect(optionsOf(again)).not.toEqual(optionsOf(page));
    }
    expect(stage.ended).toHaveLength(ended);
    const last = await page.submit({ credential: key.answer(page) });
    expect(last.problem).toContain("was not accepted"); // its challenge was replaced by later ones
    expect((await last.submit({ credential: key.answer(last) })).location).toBe(done);
  });

  test("cannot use one answer for two logins, or the answer of another login", async () => {
    const { person, key } = await addKeyOwner();
    const { page } = await begin(person);
    const { page: other } = await begin(person);
    const credential = key.answer(page);
    expect((await other.submit({ credential })).problem).toContain("was not accepted");
    const both = await Promise.all([page.submit({ credential }), page.submit({ credential })]);
    expect(both.filter(({ location }) => location === done)).toHaveLength(1);
  });

  test("is asked for it, too, where the session was begun before the key was registered", async () => {
    const person = await stage.addPerson(stage.owner);
    const { browser } = await begin(person);
    const before = browser.cookies.get("__Host-gh_session");
    const key = await giveKey(stage, person);
    const page = await browser.open(stage.path());
    expect(page.title).toBe("Use your security key");
    expect((await page.submit({ credential: key.answer(page) })).location).toBe(done);
    expect(methods()).toEqual(["PASSWORD", "U2F"]);
    expect(browser.cookies.get("__Host-gh_session")).not.toBe(before);
    const thief = stage.browser();
    thief.cookies.set("__Host-gh_session", before ?? "");
    expect((await thief.open(stage.path())).title).toBe("Sign in");
  });
});

describe("a user who has gained roles", () => {
  /** A user with a key of their own and one that was questioned. */
  async function addQuestioned() {
    const { person, key } = await addKeyOwner();
    const other = makeSecurityKey(stage);
    const events = other.registered(person.id, stage.owner, domain);
    await stage.fixture.record(...events);
    const payload = { u2f_id: other.id };
    const about = { aggregateId: person.id, resourceOwner: stage.owner, payload };
    await stage.fixture.record({ ...about, type: "user.u2f.questioned" });
    return { person, key, other };
  }
  const typesOf = async (person: Person) => (await stage.fixture.events(person.id)).map(({ type }) => type);

  test("decides about each key that others registered, after the second factor and before the login ends", async () => {
    const { person, key, other } = await addQuestioned();
    const { browser, page } = await begin(person);
    expect(page.title).toBe("Use your security key");
    const asked = await page.submit({ credential: key.answer(page) });
    expect([asked.status, asked.title]).toEqual([200, "Are these yours?"]);
    expect(asked.text.match(/<legend>/g)).toHaveLength(1);
    expect(browser.cookies.has("__Host-gh_session")).toBe(false);
    for (const choice of ["", "both"]) {
      const again = await asked.submit({ [`factor-${other.id}`]: choice });
      expect([again.status, again.problem]).toEqual([200, expect.stringContaining("Choose for each")]);
    }
    const end = await asked.submit({ [`factor-${other.id}`]: "keep" });
    expect([end.location, methods()]).toEqual([done, ["PASSWORD", "U2F"]]);
    expect((await typesOf(person)).at(-1)).toBe("user.u2f.kept");
    expect((await browser.open(stage.path({ prompts: ["none"] }))).location).toBe(done);
  });

  test("who removes the key that was just used has proved nothing by it", async () => {
    const { person, key, other } = await addQuestioned();
    const { page } = await begin(person);
    const asked = await page.submit({ credential: other.answer(page) });
    const again = await asked.submit({ [`factor-${other.id}`]: "remove" });
    expect(again.title).toBe("Use your security key");
    expect((await typesOf(person)).at(-1)).toBe("user.u2f.removed");
    expect((await again.submit({ credential: other.answer(again) })).problem).toContain("was not accepted");
    const { page: next } = await begin(person);
    expect((await next.submit({ credential: key.answer(next) })).location).toBe(done);
  });

  test("and removes the key elsewhere before the end, starts over", async () => {
    const { person, key } = await addKeyOwner();
    const payload = { u2f_id: key.id };
    await stage.event("user.u2f.questioned", person, payload);
    const { page } = await begin(person);
    const asked = await page.submit({ credential: key.answer(page) });
    expect(asked.title).toBe("Are these yours?");
    await stage.event("user.u2f.removed", person, payload);
    expect((await asked.submit({ [`factor-${key.id}`]: "keep" })).title).toBe("Sign in");
  });

  test("has to log in anew for it: no session counts until then", async () => {
    const { person, key } = await addKeyOwner();
    const { browser, page } = await begin(person);
    expect((await page.submit({ credential: key.answer(page) })).location).toBe(done);
    await stage.event("user.u2f.questioned", person, { u2f_id: key.id });
    expect((await browser.open(stage.path({ prompts: ["none"] }))).location).toBe(
      `${callback}?error=login_required`,
    );
    const chosen = await browser.open(stage.path({ prompts: ["select_account"] }));
    expect((await chosen.submit({}, { index: 0 })).title).toBe("Sign in");
    expect((await browser.open(stage.path())).title).toBe("Sign in");
  });
});

describe("where two factors are forced", () => {
  test("a user without one registers a key before the login ends", async () => {
    const organization = await stage.addOrganizationWith({ forceMfa: true });
    const person = await stage.addPerson(organization);
    const key = makeSecurityKey(stage);
    const { browser, page, application } = await begin(person, organization);
    expect([page.status, page.title]).toEqual([200, "Add a security key"]);
    expect(browser.cookies.has("__Host-gh_session")).toBe(false);
    const foreign = await page.submit({ credential: key.register(page, { origin: "https://evil.example" }) });
    expect(foreign.problem).toContain("was not accepted");
    const end = await foreign.submit({ credential: key.register(foreign), name: "My key" });
    expect([end.location, methods()]).toEqual([done, ["PASSWORD", "U2F"]]);
    const { page: next } = await begin(person, organization, { applicationId: application });
    expect(next.title).toBe("Use your security key");
    expect((await next.submit({ credential: key.answer(next) })).location).toBe(done);
    const { page: other } = await begin(await stage.addPerson(organization), organization);
    expect((await other.submit({ credential: key.register(other) })).problem).toContain("already registered");
  });

  test("by the organization of the application alone, its users of elsewhere need two as well", async () => {
    const owner = await stage.addOrganizationWith({ forceMfa: true });
    const person = await stage.addPerson(stage.owner);
    const { page } = await begin(person, owner);
    expect(page.title).toBe("Add a security key");
  });

  test("a key of another relying party id does not count", async () => {
    const organization = await stage.addOrganizationWith({ forceMfa: true });
    const { person } = await addKeyOwner(organization, "example");
    expect((await begin(person, organization)).page.title).toBe("Add a security key");
  });

  test("no session is enough that has only one", async () => {
    const person = await stage.addPerson(stage.owner);
    const { browser } = await begin(person);
    expect((await browser.open(stage.path({ wantsMfa: true }))).title).toBe("Add a security key");
    const silent = await browser.open(stage.path({ wantsMfa: true, prompts: ["none"] }));
    expect(silent.location).toBe(`${callback}?error=interaction_required`);
  });

  test("a key is registered only after a login of a moment ago, also where a session would do", async () => {
    const person = await stage.addPerson(stage.owner);
    const { browser } = await begin(person);
    const key = makeSecurityKey(stage);
    const shown = await browser.open(stage.path({ wantsMfa: true }));
    stage.fixture.clock.turn(11 * minute);
    expect((await shown.submit({ credential: key.register(shown) })).title).toBe("Sign in");
    const silent = await browser.open(stage.path({ wantsMfa: true, prompts: ["none"] }));
    expect(silent.location).toBe(`${callback}?error=login_required`);
    const again = await browser.open(stage.path({ wantsMfa: true }));
    const page = await again.submit({ username: person.username, password });
    expect((await page.submit({ credential: key.register(page) })).location).toBe(done);
  });

  test("a form of the next step does not get past this one", async () => {
    const organization = await stage.addOrganizationWith({ forceMfa: true });
    const person = await stage.addPerson(organization);
    const { browser, page } = await begin(person, organization);
    const [, token = ""] = /name="form_token" value="([^"]*)"/.exec(page.text) ?? [];
    const id = page.path.split("/")[2] ?? "";
    for (const name of [
      "confirm",
      "account",
      "second-factor",
      "review-factors",
      "new-password",
      "password",
    ]) {
      const form = { form_token: token, choice: "continue" };
      const answer = await browser.send({ method: "POST", url: `/login/${id}/${name}`, form });
      expect([name, answer.status, answer.headers.get("location")]).toEqual([
        name,
        303,
        `${stage.issuer}/login/${id}`,
      ]);
    }
    const continued = await browser.open(`/login/${id}/continue`);
    expect(continued.title).toBe("Add a security key");
  });
});
