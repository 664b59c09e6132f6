import { addLabelPolicy, defaultLabel, toLabelPayload } from "../../../src/identity/branding/label-policy.ts";
import type { LabelPolicyId } from "../../../src/kernel/base/ids.ts";
import { afterAll, describe, expect, test } from "@jest/globals";
import type { OrganizationId } from "../../../src/kernel/base/ids.ts";
import { findUserById } from "../../../src/identity/people/user/repository.ts";
import { changeUserState } from "../../../src/identity/people/user/user.ts";
import { removePasswordHash } from "../../../src/identity/people/passwords/repository.ts";
import type { BrowserPage, PageBrowser } from "./support/browser.ts";
import { callback, logIn, type Person, startLoginStage } from "./support/login-stage.ts";
import { giveKey } from "./support/security-key.ts";

const stage = await startLoginStage();
afterAll(() => stage.stop());

const chosen = "a password of my own";
const linkOf = (page: BrowserPage) => /href="(\/login\/\d+\/forgotten-password)"/.exec(page.text)?.[1] ?? "";

/** Opens the page by its link on the first page of a login. */
async function openPage(browser: PageBrowser = stage.browser(), request = {}) {
  const first = await browser.open(stage.path(request));
  return await browser.open(linkOf(first));
}
async function ask(username: string, request = {}) {
  return await (await openPage(stage.browser(), request)).submit({ username });
}
/** What was mailed since, once all is delivered. */
async function mailsTo(person: Person) {
  await stage.mailer.idle();
  return stage.mails.filter(({ to }) => to === `${person.username}@example.test`);
}
const mailedPath = async (person: Person) =>
  /https:\/\/login\.example(\/login\/password\/\S+)/.exec((await mailsTo(person)).at(-1)?.text ?? "")?.[1] ??
  "";

async function addVerified(organizationId = stage.owner) {
  const person = await stage.addPerson(organizationId);
  await stage.event("user.email.verified", person);
  return person;
}

const forbidPasswords = (organizationId: OrganizationId) =>
  stage.setPolicy(organizationId, { allowPassword: false });

test("the mail wears the branding of the organization of the user", async () => {
  const home = await stage.addOrganization("Lamp Works");
  const person = await addVerified(home);
  const draft = { ...defaultLabel, light: { ...defaultLabel.light, primary: "#123123" } };
  const id = stage.fixture.context.ids.next<LabelPolicyId>();
  const added = addLabelPolicy({ id, resourceOwner: home, draft });
  await stage.fixture.record(added, {
    ...added,
    type: "label_policy.activated",
    payload: toLabelPayload(draft),
  });
  await ask(person.username);
  const [mail] = await mailsTo(person);
  expect(mail?.text).toMatch(/\n-- \n\u2068Lamp Works\u2069\nGatehouse\n$/);
  expect(mail?.html).toContain("background:#123123");
});

describe("who forgot their password", () => {
  test("gets a link, sets another one, and comes back to the application", async () => {
    const home = "https://application.example/home";
    const { application } = await stage.addApplication(stage.owner, {}, { postLogoutRedirectUris: [home] });
    const person = await addVerified();
    const page = await openPage(stage.browser(), { applicationId: application, loginHint: person.username });
    expect([page.status, page.title]).toEqual([200, "Forgot your password?"]);
    expect(page.text).toContain(`value="${person.username}"`);
    const sent = await page.submit({ username: person.username.toUpperCase() });
    expect([sent.status, sent.title]).toEqual([200, "Check your email"]);
    expect(sent.text).not.toContain(person.username);
    const path = await mailedPath(person);
    expect(path).toMatch(
      new RegExp(`^/login/password/${person.id}\\?code=[A-Z2-7]{20}&client_id=${application}$`),
    );
    const reset = await stage.browser().open(path);
    const end = await reset.submit({ password: chosen, repeated: chosen });
    expect([end.status, end.location]).toEqual([303, home]);
    const login = await stage.browser().open(stage.path());
    expect((await login.submit({ username: person.username, password: chosen })).location).toBe(
      `${callback}?code=1`,
    );
    expect(stage.log()).not.toContain(/code=([A-Z2-7]{20})/.exec(path)?.[1]);
  });

  test("gets it for the address too, written as it is stored", async () => {
    const person = await addVerified();
    await ask(`${person.username}@EXAMPLE.test`);
    expect(await mailsTo(person)).toHaveLength(1);
    await stage.setPolicy(stage.owner, { loginNames: ["USERNAME"] });
    stage.fixture.clock.turn(30_000);
    await ask(`${person.username}@example.test`);
    await stage.setPolicy(stage.owner, {});
    expect(await mailsTo(person)).toHaveLength(1);
  });

  test("gets one in 30 seconds, and only the last one counts", async () => {
    const person = await addVerified();
    expect((await ask(person.username)).status).toBe(200);
    expect((await ask(person.username)).status).toBe(200);
    expect(await mailsTo(person)).toHaveLength(1);
    const path = await mailedPath(person);
    stage.fixture.clock.turn(30_000);
    await ask(person.username);
    expect(await mailsTo(person)).toHaveLength(2);
    expect(await mailedPath(person)).not.toBe(path);
    const former = await stage.browser().open(path);
    expect((await former.submit({ password: chosen, repeated: chosen })).problem).toContain(
      "was already used",
    );
  });

  test("keeps their second factor", async () => {
    const person = await addVerified();
    await giveKey(stage, person);
    await ask(person.username);
    const reset = await stage.browser().open(await mailedPath(person));
    await reset.submit({ password: chosen, repeated: chosen });
    const login = await stage.browser().open(stage.path());
    const next = await login.submit({ username: person.username, password: chosen });
    expect(next.title).toBe("Use your security key");
  });

  test("may have no password yet", async () => {
    const person = await addVerified();
    await stage.fixture.database.write((tx) => removePasswordHash(tx, person.id));
    await stage.event("user.password.removed", person);
    await ask(person.username);
    expect(await mailsTo(person)).toHaveLength(1);
  });

  test("is recorded, but not the mail nor its code", async () => {
    const person = await addVerified();
    await ask(person.username);
    const events = await stage.fixture.events(person.id);
    expect(events.at(-1)).toMatchObject({ type: "user.password.reset.requested", payload: {} });
    const code = /code=([A-Z2-7]{20})/.exec(await mailedPath(person))?.[1] ?? "";
    expect((await stage.fixture.place.bytes()).includes(code)).toBe(false);
  });
});

describe("nobody learns who exists", () => {
  const shownOf = ({ text, status, headers }: BrowserPage) => ({
    status,
    retryAfter: headers.get("retry-after"),
    text: text.replaceAll(/value="[^"]*"|\/login\/\d+/g, "").replaceAll(/Request \S+/g, ""),
  });
  const kinds: Readonly<Record<string, () => Promise<Person>>> = {
    "is not verified": () => stage.addPerson(stage.owner),
    "is locked": () => change("lock"),
    "is deactivated": () => change("deactivate"),
    "is of nobody": async () => ({
      id: "0" as never,
      organization: stage.owner,
      username: `nobody-${stage.fixture.context.ids.next()}`,
    }),
    "is of an organization without passwords": withoutPasswords,
  };
  async function change(action: "lock" | "deactivate") {
    const person = await addVerified();
    const user = await stage.fixture.database.read((tx) => findUserById(tx, person.id));
    if (user !== undefined) await stage.fixture.record(...changeUserState(user, action));
    return person;
  }
  async function withoutPasswords() {
    const organizationId = await stage.addOrganization();
    await forbidPasswords(organizationId);
    return await addVerified(organizationId);
  }

  test.each(Object.entries(kinds))("a name that %s looks the same, and gets nothing", async (_kind, make) => {
    const good = await addVerified();
    const person = await make();
    const expected = shownOf(await ask(good.username));
    expect(shownOf(await ask(person.username))).toEqual(expected);
    expect(await mailsTo(person)).toEqual([]);
    expect(await mailsTo(good)).toHaveLength(1);
  });

  test("users of another organization get nothing where only one may log in", async () => {
    const other = await addVerified(await stage.addOrganization());
    await ask(other.username, { organizationId: stage.owner });
    expect(await mailsTo(other)).toEqual([]);
    await ask(other.username, {});
    expect(await mailsTo(other)).toHaveLength(1);
  });

  test("names pause alike after five requests, however they are written", async () => {
    const good = await addVerified();
    const answers: unknown[] = [];
    for (const name of [good.username, `nobody-${good.id}`]) {
      const page = await openPage();
      for (let times = 0; times < 5; times += 1)
        expect((await page.submit({ username: name })).status).toBe(200);
      answers.push(shownOf(await page.submit({ username: name.toUpperCase() })));
    }
    expect(answers[0]).toEqual(answers[1]);
    expect(answers[0]).toMatchObject({ status: 429, retryAfter: "1" });
    stage.fixture.clock.turn(900_000);
  });

  test("requests at once are counted one by one: no more go on than may", async () => {
    const good = await addVerified();
    const page = await openPage();
    const answers = await Promise.all(
      Array.from({ length: 12 }, () => page.submit({ username: good.username })),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(5);
    expect(await mailsTo(good)).toHaveLength(1);
    stage.fixture.clock.turn(900_000);
  });

  test("strangers who use up the requests of a name leave those of a browser in which its user has logged in", async () => {
    const [good, other] = [await addVerified(), await addVerified()];
    const [own, foreign] = [stage.browser(), stage.browser()];
    expect((await logIn(stage, own, good)).location).toContain("code=");
    expect((await logIn(stage, foreign, other)).location).toContain("code=");
    const again = { prompts: ["login"] };
    const pages = [await openPage(own, again), await openPage(foreign, again), await openPage()];
    const statusOf = async (page: BrowserPage | undefined) =>
      (await page?.submit({ username: good.username }))?.status;
    for (let times = 0; times < 5; times += 1) expect(await statusOf(pages[2])).toBe(200);
    expect([await statusOf(pages[1]), await statusOf(pages[2])]).toEqual([429, 429]);
    for (let times = 0; times < 5; times += 1) expect(await statusOf(pages[0])).toBe(200);
    expect(await statusOf(pages[0])).toBe(429); // it has no more than anybody
    expect((await logIn(stage, own, other, again)).location).toContain("code=");
    expect(await statusOf(await openPage(own, again))).toBe(429);
    stage.fixture.clock.turn(900_000);
  });

  test("a password that is set begins anew", async () => {
    const good = await addVerified();
    const page = await openPage();
    for (let times = 0; times < 5; times += 1) await page.submit({ username: good.username });
    expect((await page.submit({ username: good.username })).status).toBe(429);
    const reset = await stage.browser().open(await mailedPath(good));
    await reset.submit({ password: chosen, repeated: chosen });
    expect((await page.submit({ username: good.username })).status).toBe(200);
    stage.fixture.clock.turn(900_000);
  });
});

describe("the page", () => {
  test("takes its form only from this browser, while nobody has proved anything", async () => {
    const person = await addVerified();
    const page = await openPage();
    const forged = await page.submit({ username: person.username, form_token: "x".repeat(43) });
    expect(forged.status).toBe(403);
    expect(await mailsTo(person)).toEqual([]);
    const browser = stage.browser();
    await giveKey(stage, person);
    const next = await logIn(stage, browser, person);
    const id = /\/login\/(\d+)\//.exec(next.text)?.[1] ?? "";
    const late = await browser.open(`/login/${id}/forgotten-password`);
    expect(late.title).toBe("Use your security key");
  });

  test("is not there where the policy has no passwords", async () => {
    const organizationId = await stage.addOrganization();
    const path = linkOf(await stage.browser().open(stage.path()));
    expect(path).not.toBe("");
    const browser = stage.browser();
    const page = await openPage(browser, { organizationId });
    await forbidPasswords(organizationId);
    expect((await page.submit({ username: "ada" })).status).toBe(404);
    const first = await browser.open(stage.path({ organizationId }));
    expect(linkOf(first)).toBe("");
  });

  test("is not there where nothing can be mailed", async () => {
    const silent = await startLoginStage("https", {}, undefined, { hasMail: false });
    try {
      const browser = silent.browser();
      const first = await browser.open(silent.path());
      expect([first.title, linkOf(first)]).toEqual(["Sign in", ""]);
      const id = /action="\/login\/(\d+)\//.exec(first.text)?.[1] ?? "";
      expect((await browser.open(`/login/${id}/forgotten-password`)).status).toBe(404);
    } finally {
      await silent.stop();
    }
  });
});
