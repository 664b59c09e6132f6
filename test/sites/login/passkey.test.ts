import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { makeKeyPair } from "../../support/software-authenticator.ts";
import type { BrowserPage, PageBrowser } from "./support/browser.ts";
import { done, logIn, type Person, startLoginStage } from "./support/login-stage.ts";
import { addPasskeyOwner, type PasskeyChoices } from "./support/passkey.ts";
import { giveKey, optionsOf } from "./support/security-key.ts";

const stage = await startLoginStage();
afterAll(() => stage.stop());

const methods = () => stage.ended.at(-1)?.methods;

const addOwner = (of = stage.owner, choices: Partial<PasskeyChoices> = {}) =>
  addPasskeyOwner(stage, of, choices);

/** Goes from the page of the password to that of passkeys. */
async function openPasskeys(browser: PageBrowser, request = {}): Promise<BrowserPage> {
  const page = await browser.open(stage.path(request));
  const [, path] = /href="(\/login\/\d+\/passkey)"/.exec(page.text) ?? [];
  if (path === undefined) throw new Error(`no passkeys are offered on the page ${page.title}`);
  return await browser.open(path);
}

const begin = async (request = {}) => {
  const browser = stage.browser();
  return { browser, page: await openPasskeys(browser, request) };
};

const eventsOf = async (person: Person) =>
  (await stage.fixture.events(person.id)).map(({ type, payload }) => ({ type, payload }));

describe("a passkey", () => {
  test("logs its user in without a name or a password, and is two factors", async () => {
    const { person, passkey } = await addOwner();
    const { browser, page } = await begin({ wantsMfa: true });
    expect([page.status, page.title]).toEqual([200, "Sign in with a passkey"]);
    expect(optionsOf(page)).toEqual({
      challenge: expect.stringMatching(/^[\w-]{43}$/),
      timeout: 300_000,
      rpId: "login.example",
      allowCredentials: [],
      userVerification: "required",
    });
    expect(page.headers.get("content-security-policy")).toContain("script-src 'self'");
    const end = await page.submit({ credential: passkey.answer(page) });
    expect([end.status, end.location, methods()]).toEqual([303, done, ["PASSKEY"]]);
    expect(stage.ended.at(-1)?.userId).toBe(person.id);
    expect((await browser.open(stage.path({ prompts: ["none"] }))).location).toBe(done);
    const [added, checked] = await stage.fixture.events(stage.ended.at(-1)?.sessionId ?? "");
    expect(added).toMatchObject({ type: "session.added", editor: person.id });
    expect(checked?.payload).toEqual({ method: "PASSKEY", factor_id: passkey.id, counter: "0" });
  });

  test("is enough for a user with a security key, and where two factors are forced", async () => {
    const of = await stage.addOrganizationWith({ forceMfa: true });
    const { person, passkey } = await addOwner(of);
    await giveKey(stage, person);
    const { application } = await stage.addApplication(of);
    const { page } = await begin({ applicationId: application });
    expect((await page.submit({ credential: passkey.answer(page) })).location).toBe(done);
  });

  test("is remembered with its copies, and only when that changes", async () => {
    const { person, passkey } = await addOwner();
    for (const flags of [0x0d, 0x1d, 0x1d]) {
      const { page } = await begin();
      expect((await page.submit({ credential: passkey.answer(page, { flags }) })).location).toBe(done);
    }
    const changed = (await eventsOf(person)).filter(({ type }) => type === "user.passkey.backup.changed");
    expect(changed.map(({ payload }) => payload)).toEqual([{ passkey_id: passkey.id, backed_up: true }]);
  });
});

describe("the page is shown again, with one text, one status and another challenge,", () => {
  let owner: Awaited<ReturnType<typeof addOwner>>;
  beforeAll(async () => {
    owner = await addOwner();
  });

  async function expectWrong(credential: (page: BrowserPage) => string, request = {}): Promise<void> {
    const { page } = await begin(request);
    const ended = stage.ended.length;
    const again = await page.submit({ credential: credential(page) });
    expect([again.status, again.title, again.problem]).toEqual([
      200,
      "Sign in with a passkey",
      "The passkey was not accepted. Try another one, or sign in another way.",
    ]);
    expect(optionsOf(again)).not.toEqual(optionsOf(page));
    expect(stage.ended).toHaveLength(ended);
  }

  test.each<[string, (page: BrowserPage) => string]>([
    ["without an answer", () => ""],
    ["for one that is no JSON", () => "{"],
    ["without user verification", (page) => owner.passkey.answer(page, { flags: 0x09 })],
    ["if nobody was there", (page) => owner.passkey.answer(page, { flags: 0x0c })],
    ["for another relying party", (page) => owner.passkey.answer(page, { rpId: "evil.example" })],
    [
      "for the page of another origin",
      (page) => owner.passkey.answer(page, { origin: "https://evil.example" }),
    ],
    ["for a subdomain", (page) => owner.passkey.answer(page, { origin: "https://a.login.example" })],
    [
      "for another challenge",
      (page) =>
        owner.passkey.answer(page, { clientData: { challenge: Buffer.alloc(32).toString("base64url") } }),
    ],
    ["for a signature of another key", (page) => owner.passkey.answer(page, { keys: makeKeyPair() })],
    ["for an answer that names nobody", (page) => owner.passkey.answer(page, { userHandle: null })],
    [
      "for an answer that names somebody else",
      (page) => owner.passkey.answer(page, { userHandle: Buffer.from("1").toString("base64url") }),
    ],
    [
      "for a credential that nobody has registered",
      (page) => owner.passkey.answer(page, { credentialId: new Uint8Array(16) }),
    ],
    ["for a passkey that may not be copied any more", (page) => owner.passkey.answer(page, { flags: 0x05 })],
  ])("%s", async (_name, credential) => {
    await expectWrong(credential);
  });

  test("for the answer of somebody else's key in the name of the user", async () => {
    const other = await addOwner();
    const userHandle = Buffer.from(owner.person.id).toString("base64url");
    await expectWrong((page) => other.passkey.answer(page, { userHandle }));
  });

  test("for a security key, which is no passkey", async () => {
    const { person } = owner;
    const key = await giveKey(stage, person);
    const userHandle = Buffer.from(person.id).toString("base64url");
    await expectWrong((page) => key.answer(page, { userHandle, flags: 0x05 }));
  });

  test("for a passkey of other pages", async () => {
    const { passkey } = await addOwner(stage.owner, { domain: "other.example" });
    await expectWrong((page) => passkey.answer(page));
  });

  test("for one that was removed", async () => {
    const { person, passkey } = await addOwner();
    await stage.event("user.passkey.removed", person, { passkey_id: passkey.id });
    await expectWrong((page) => passkey.answer(page));
  });

  test.each(["user.locked", "user.deactivated"] as const)("for a user after %s", async (type) => {
    const { person, passkey } = await addOwner();
    await stage.event(type, person);
    await expectWrong((page) => passkey.answer(page));
  });

  test("for a user of another organization than the one that is asked for", async () => {
    const of = await stage.addOrganization();
    await expectWrong((page) => owner.passkey.answer(page), { organizationId: of });
    const member = await addOwner(of);
    const { page } = await begin({ organizationId: of });
    const end = await page.submit({ credential: member.passkey.answer(page) });
    expect(end.title).toBe("Continue to Demo <App>?".replaceAll("<", "&lt;").replaceAll(">", "&gt;"));
  });

  test("for a user whose organization allows no passkeys", async () => {
    const of = await stage.addOrganizationWith({ allowPasskeys: false });
    const { passkey } = await addOwner(of);
    await expectWrong((page) => passkey.answer(page));
  });

  test("for a counter that does not rise, which is recorded", async () => {
    const { person, passkey } = await addOwner(stage.owner, { counter: 7 });
    await expectWrong((page) => passkey.answer(page, { counter: 7 }));
    await expectWrong((page) => passkey.answer(page, { counter: 0 }));
    const { page } = await begin();
    expect((await page.submit({ credential: passkey.answer(page, { counter: 8 }) })).location).toBe(done);
    await expectWrong((again) => passkey.answer(again, { counter: 8 }));
    const regressed = (await eventsOf(person)).filter(
      ({ type }) => type === "user.passkey.counter.regressed",
    );
    expect(regressed.map(({ payload }) => payload)).toEqual(
      [
        ["7", "7"],
        ["7", "0"],
        ["8", "8"],
      ].map(([last, counter]) => ({ passkey_id: passkey.id, last_counter: last, counter })),
    );
  });

  test("for a counter of a bad answer, which is not recorded: anybody could accuse a passkey", async () => {
    const { person, passkey } = await addOwner(stage.owner, { counter: 7 });
    await expectWrong((page) => passkey.answer(page, { counter: 7, hasWrongSignature: true }));
    expect((await eventsOf(person)).map(({ type }) => type)).not.toContain("user.passkey.counter.regressed");
  });
});

describe("an answer", () => {
  test("is good once, for its own login, within five minutes", async () => {
    const { passkey } = await addOwner();
    const [{ page }, { page: other }] = [await begin(), await begin()];
    const credential = passkey.answer(page);
    expect((await other.submit({ credential })).problem).toContain("not accepted");
    const both = await Promise.all([page.submit({ credential }), page.submit({ credential })]);
    expect(both.filter(({ location }) => location === done)).toHaveLength(1);
    const { page: late } = await begin();
    const lateAnswer = passkey.answer(late);
    stage.fixture.clock.turn(300_000);
    expect((await late.submit({ credential: lateAnswer })).problem).toContain("not accepted");
  });

  test("of a copy of the passkey counts once, if two logins come with one counter at once", async () => {
    const { person, passkey } = await addOwner(stage.owner, { counter: 7 });
    const [{ page }, { page: other }] = [await begin(), await begin()];
    const ended = stage.ended.length;
    const both = await Promise.all(
      [page, other].map((each) => each.submit({ credential: passkey.answer(each, { counter: 8 }) })),
    );
    expect(both.filter(({ location }) => location === done)).toHaveLength(1);
    expect(stage.ended).toHaveLength(ended + 1);
    const [last, ...more] = (await eventsOf(person)).filter(
      ({ type }) => type === "user.passkey.counter.regressed",
    );
    expect([last?.payload, more]).toEqual([{ passkey_id: passkey.id, last_counter: "8", counter: "8" }, []]);
  });

  test("counts for nothing if the passkey is removed before the login has ended", async () => {
    const of = await stage.addOrganization();
    const { person, passkey } = await addOwner(of);
    const { browser, page } = await begin();
    const confirm = await page.submit({ credential: passkey.answer(page) });
    expect(confirm.title).toContain("Continue to");
    await stage.event("user.passkey.removed", person, { passkey_id: passkey.id });
    expect((await browser.open(confirm.path)).title).toBe("Sign in");
  });

  test("is compared a hundred times for an address, then after a while, and no right one counts", async () => {
    const { passkey } = await addOwner();
    const headers = { "x-forwarded-for": "203.0.113.77" };
    const browser = stage.browser();
    let page = await openPasskeys(browser);
    for (let tries = 0; tries < 100; tries += 1)
      page = await page.submit({ credential: passkey.answer(page, { flags: 0x09 }) }, { headers });
    expect(page.status).toBe(200);
    const paused = await page.submit({ credential: passkey.answer(page) }, { headers });
    expect([paused.status, paused.headers.get("retry-after")]).toEqual([429, "900"]);
    expect(paused.problem).toContain("too many tries");
    const elsewhere = { "x-forwarded-for": "203.0.113.78" };
    const end = await paused.submit({ credential: passkey.answer(paused) }, { headers: elsewhere });
    expect(end.location).toBe(done);
    stage.fixture.clock.turn(900_000);
    for (let logins = 0; logins < 3; logins += 1) {
      const { page: again } = await begin();
      const right = await again.submit({ credential: passkey.answer(again) }, { headers });
      expect(right.location).toBe(done);
    }
  });
});

describe("where passkeys are not allowed", () => {
  test("nothing offers them, and nothing is at their path", async () => {
    const of = await stage.addOrganizationWith({ allowPasskeys: false });
    const { application } = await stage.addApplication(of);
    const browser = stage.browser();
    const page = await browser.open(stage.path({ applicationId: application }));
    expect(page.text).not.toContain("/passkey");
    expect((await browser.open(`${page.path}/passkey`)).status).toBe(404);
    const [, token = ""] = /name="form_token" value="([^"]*)"/.exec(page.text) ?? [];
    const sent = await browser.send({
      method: "POST",
      url: `${page.path}/passkey`,
      form: { form_token: token, credential: "{}" },
    });
    expect(sent.status).toBe(404);
  });

  test("a session that was begun with one does not count", async () => {
    const { passkey } = await addOwner();
    const { browser, page } = await begin();
    await page.submit({ credential: passkey.answer(page) });
    const of = await stage.addOrganizationWith({ allowPasskeys: false });
    const { application } = await stage.addApplication(of);
    expect((await browser.open(stage.path({ applicationId: application }))).title).toBe("Sign in");
  });
});

describe("a passkey that others have registered for a user who has gained roles", () => {
  const question = async (person: Person, passkey: { readonly id: string }) =>
    await stage.event("user.passkey.questioned", person, { passkey_id: passkey.id });

  test("logs nobody in until the user, who has logged in otherwise, keeps it", async () => {
    const { person, passkey } = await addOwner();
    await question(person, passkey);
    const { page: tried } = await begin();
    const refused = await tried.submit({ credential: passkey.answer(tried) });
    expect(refused.problem).toContain("not accepted");
    const review = await logIn(stage, stage.browser(), person);
    expect([review.title, review.text]).toEqual(["Are these yours?", expect.stringContaining("Phone")]);
    expect((await review.submit({ [`factor-${passkey.id}`]: "keep" })).location).toBe(done);
    const { page } = await begin();
    expect((await page.submit({ credential: passkey.answer(page) })).location).toBe(done);
    expect((await eventsOf(person)).at(-1)).toEqual({
      type: "user.passkey.kept",
      payload: { passkey_id: passkey.id },
    });
  });

  test("is gone if the user removes it", async () => {
    const { person, passkey } = await addOwner();
    await question(person, passkey);
    const review = await logIn(stage, stage.browser(), person);
    expect((await review.submit({ [`factor-${passkey.id}`]: "remove" })).location).toBe(done);
    expect((await eventsOf(person)).at(-1)?.type).toBe("user.passkey.removed");
  });

  test("decides about nothing in a login that it has begun, nor in a session", async () => {
    const of = await stage.addOrganization();
    const { person, passkey } = await addOwner(of);
    const { browser, page } = await begin();
    const confirm = await page.submit({ credential: passkey.answer(page) });
    expect(confirm.title).toContain("Continue to");
    const own = await stage.addApplication(of);
    const { browser: inside, page: again } = await begin({ applicationId: own.application });
    expect((await again.submit({ credential: passkey.answer(again) })).location).toBe(done);
    await question(person, passkey);
    expect((await browser.open(confirm.path)).title).toBe("Sign in");
    expect((await inside.open(stage.path({ applicationId: own.application }))).title).toBe("Sign in");
  });
});
