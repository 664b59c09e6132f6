import { afterAll, describe, expect, test } from "@jest/globals";
import { findUserById } from "../../../src/identity/people/user/repository.ts";
import { changeUserState } from "../../../src/identity/people/user/user.ts";
import { sweepLogins } from "../../../src/sites/login/sweep.ts";
import type { BrowserPage, PageBrowser } from "./support/browser.ts";
import { callback, done, logIn, password, startLoginStage } from "./support/login-stage.ts";

const stage = await startLoginStage();
afterAll(() => stage.stop());

const session = "__Host-gh_session";
const nobody = "Nobody";

/** What a page shows, but for what differs from one interaction to another. */
function withoutTokens({ text }: BrowserPage): string {
  return text.replaceAll(/value="[A-Za-z0-9_-]{43}"|\/login\/\d+/g, "");
}

async function open(browser: PageBrowser, request = {}): Promise<BrowserPage> {
  return await browser.open(stage.path(request));
}

describe("a wrong login", () => {
  test("looks the same for unknown, locked and inactive users, and for those of another organization", async () => {
    const people = [await stage.addPerson(stage.owner), await stage.addPerson(stage.owner)];
    const right = await stage.addPerson(stage.owner);
    const [locked, inactive] = people;
    await stage.fixture.record(
      ...changeUserState(await userOf(locked?.id), "lock"),
      ...changeUserState(await userOf(inactive?.id), "deactivate"),
    );
    const elsewhere = await stage.addOrganization();
    const tries = [
      { username: nobody, password },
      { username: right.username, password: "wrong password" },
      { username: locked?.username ?? "", password },
      { username: inactive?.username ?? "", password },
      { username: right.username, password, organizationId: elsewhere },
    ];
    const pages: BrowserPage[] = [];
    for (const { organizationId, ...typed } of tries) {
      const page = await open(stage.browser(), organizationId === undefined ? {} : { organizationId });
      pages.push(await page.submit(typed));
    }
    const shown = pages.map((page, index) =>
      withoutTokens(page)
        .replaceAll(tries[index]?.username ?? "", nobody)
        .replaceAll(/ data-organization="\d+"|Organization \d+/g, ""),
    );
    expect(pages.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect(shown[0]).toContain("The name or the password is wrong.");
    expect(new Set(shown.slice(0, 4)).size).toBe(1);
    expect(shown[4]?.replaceAll("Gatehouse", "")).toBe(shown[0]?.replaceAll("Gatehouse", ""));
    expect(pages.flatMap(({ headers }) => headers.getSetCookie())).toEqual([]);
  });

  test("again and again is paused, with the same page, for names that exist and for others", async () => {
    const person = await stage.addPerson(stage.owner);
    for (const username of [person.username, `${nobody} else`]) {
      let page = await open(stage.browser());
      for (let index = 0; index < 5; index++) page = await page.submit({ username, password: "wrong" });
      const paused = await page.submit({ username, password });
      expect([paused.status, paused.headers.get("retry-after")]).toEqual([429, "1"]);
      expect(paused.text).toContain("There were too many tries.");
      expect(paused.text).toContain('action="/login/');
    }
    const known = stage.browser();
    stage.fixture.clock.turn(1000);
    expect((await logIn(stage, known, person)).location).toBe(done);
  });

  test("of others does not keep out a browser in which the user has logged in before", async () => {
    const person = await stage.addPerson(stage.owner);
    const [own, foreign] = [stage.browser(), stage.browser()];
    await logIn(stage, own, person);
    let page = await open(foreign);
    for (let index = 0; index < 5; index++)
      page = await page.submit({ username: person.username, password: "wrong" });
    expect((await page.submit({ username: person.username, password })).status).toBe(429);
    expect((await logIn(stage, own, person, { prompts: ["login"] })).location).toBe(done);
    own.cookies.set("__Host-gh_known", "A".repeat(43));
    expect((await logIn(stage, own, person, { prompts: ["login"] })).status).toBe(429);
  });

  test("in such a browser goes on with its count after somebody else has logged in there", async () => {
    const [person, other] = [await stage.addPerson(stage.owner), await stage.addPerson(stage.owner)];
    const shared = stage.browser();
    const again = { prompts: ["login"] };
    await logIn(stage, shared, person);
    const guess = async () =>
      await (await open(shared, again)).submit({ username: person.username, password: "wrong" });
    for (let index = 0; index < 4; index++) expect((await guess()).status).toBe(200);
    expect((await logIn(stage, shared, other, again)).location).toBe(done);
    expect((await guess()).status).toBe(200);
    expect((await logIn(stage, shared, other, again)).location).toBe(done);
    expect((await guess()).status).toBe(429);
    expect((await logIn(stage, stage.browser(), person)).location).toBe(done);
  });
});

describe("an interaction", () => {
  test("is of the browser that has its cookie, and of nobody else", async () => {
    const [own, foreign] = [stage.browser(), stage.browser()];
    const page = await open(own);
    const other = await open(foreign);
    const refused = await foreign.open(page.path);
    expect([refused.status, refused.title]).toEqual([400, "Please begin again"]);
    expect(refused.text).toMatch(/<footer>Request [0-9a-f]{32}<\/footer>/);
    const [mine] = own.cookies.keys();
    foreign.cookies.set(mine ?? "", foreign.cookies.get(`__Host-gh_login_${other.path.slice(7)}`) ?? "");
    expect((await foreign.open(page.path)).status).toBe(400);
    const form = Object.fromEntries(tokenOf(other)); // good for the cookie that is sent
    const posted = await foreign.send({ method: "POST", url: `${page.path}/password`, form });
    expect(posted.status).toBe(400);
  });

  test("ends once when its last form is sent twice at once; the other answer leads back to the application", async () => {
    const person = await stage.addPerson(stage.owner);
    const page = await open(stage.browser(), { uiLocales: ["de"] });
    const count = stage.ended.length;
    const form = { username: person.username, password };
    const answers = await Promise.all([page.submit(form), page.submit(form)]);
    expect(answers.filter(({ location }) => location === done)).toHaveLength(1);
    const other = answers.find(({ location }) => location === undefined);
    expect([other?.status, other?.title]).toEqual([200, "Sie haben sich angemeldet"]);
    expect(other?.text).toContain(`<a href="${callback}?back">Zurück zur Anwendung</a>`);
    expect(stage.ended).toHaveLength(count + 1);
  });

  test("names the way back on pages of errors to the browser that has its cookie alone", async () => {
    const browser = stage.browser();
    const page = await open(browser);
    const foreign = await page.submit({ form_token: "" });
    expect([foreign.status, foreign.title]).toEqual([403, "This did not work"]);
    expect(foreign.text).toContain(`<a href="${callback}?back">Back to the application</a>`);
    // A way on, which says nothing about the login: the same as for one that there never was.
    const linksAt = async (path: string) =>
      [...(await stage.browser().open(path)).text.matchAll(/<a href="([^"]*)"/g)].map(([, href]) => href);
    expect(await linksAt(page.path)).toEqual([`${stage.issuer}/console/`]);
    expect(await linksAt("/login/4711")).toEqual(await linksAt(page.path));
  });

  test("ends after 15 minutes, and is swept away", async () => {
    const browser = stage.browser();
    const page = await open(browser);
    stage.fixture.clock.turn(899_999);
    expect((await browser.open(page.path)).status).toBe(200);
    stage.fixture.clock.turn(1);
    expect((await browser.open(page.path)).title).toBe("Please begin again");
    await sweepLogins(stage.fixture.context);
    const rows = await stage.fixture.database.read((tx) => tx.all("SELECT id FROM interactions"));
    expect(rows).toEqual([]);
  });

  test("takes one form of a step, however often it is sent, and no form of another step", async () => {
    const person = await stage.addPerson(stage.owner);
    const browser = stage.browser();
    const page = await open(browser);
    const cookies = new Map(browser.cookies);
    await page.submit({ username: person.username, password });
    const count = stage.ended.length;
    for (const [name, value] of cookies) browser.cookies.set(name, value);
    const again = await page.submit({ username: person.username, password });
    expect([again.status, again.title, stage.ended.length]).toEqual([200, "You have signed in", count]);
    expect(again.headers.getSetCookie()).toEqual([]);
    for (const path of [page.path, `${page.path}/continue`])
      expect((await browser.open(path)).title).toBe("You have signed in");
    const next = await open(stage.browser(), { prompts: ["login"] });
    const browserOfNext = stage.browser();
    const fresh = await open(browserOfNext);
    const early = await browserOfNext.send({
      method: "POST",
      url: `${fresh.path}/confirm`,
      form: { ...Object.fromEntries(tokenOf(fresh)), choice: "continue" },
    });
    expect([early.status, early.headers.get("location")]).toEqual([303, `${stage.issuer}${fresh.path}`]);
    expect([next.status, stage.ended.length]).toEqual([200, count]);
  });

  test("does not disturb another one in the same browser, whichever ends first", async () => {
    const person = await stage.addPerson(stage.owner);
    const browser = stage.browser();
    const [first, second] = [await open(browser), await open(browser)];
    expect((await second.submit({ username: person.username, password })).location).toBe(done);
    expect((await first.submit({ username: person.username, password })).location).toBe(done);
    expect(browser.cookies.size).toBe(2);
  });

  test("is one of 20 in a browser: the oldest goes", async () => {
    const browser = stage.browser();
    const pages: BrowserPage[] = [];
    for (let index = 0; index < 22; index++) {
      pages.push(await open(browser));
      stage.fixture.clock.turn(1);
    }
    const names = [...browser.cookies.keys()];
    expect(names).toEqual(pages.slice(2).map(({ path }) => `__Host-gh_login_${path.slice(7)}`));
  });

  test("is stored without anything that the application has sent in clear", async () => {
    await open(stage.browser(), { loginHint: "hint of the application" });
    const rows = await stage.fixture.database.read((tx) =>
      tx.all<{ content: Uint8Array; cookie_hash: string }>("SELECT * FROM interactions"),
    );
    expect(rows.length).toBeGreaterThan(0);
    for (const row of rows) expect(Buffer.from(row.content).toString("latin1")).not.toContain("application");
  });
});

function tokenOf(page: BrowserPage) {
  return [...page.text.matchAll(/name="(form_token)" value="([^"]*)"/g)].map(
    ([, name = "", value = ""]) => [name, value] as const,
  );
}

describe("a form", () => {
  test.each([
    ["from another site", {}, { "sec-fetch-site": "cross-site" }, 403],
    ["from another host of the site", {}, { "sec-fetch-site": "same-site" }, 403],
    ["without its token", { form_token: "" }, {}, 403],
    ["with another token", { form_token: "A".repeat(43) }, {}, 403],
    ["of a browser that says nothing of where it is from", {}, {}, 303],
    ["that a person has typed in", {}, { "sec-fetch-site": "none" }, 303],
  ])("%s", async (_name, fields, headers, status) => {
    const person = await stage.addPerson(stage.owner);
    const browser = stage.browser();
    const page = await open(browser);
    const end = await page.submit({ username: person.username, password, ...fields }, { headers });
    expect([end.status, browser.cookies.has(session)]).toEqual([status, status === 303]);
  });

  test("with the token of another interaction is refused", async () => {
    const [first, second] = [stage.browser(), stage.browser()];
    const foreign = Object.fromEntries(tokenOf(await open(second)));
    const page = await open(first);
    expect((await page.submit({ username: nobody, password, ...foreign })).status).toBe(403);
  });

  test.each([
    ["application/json", "{}"],
    ["multipart/form-data; boundary=a", "--a--"],
    ["application/x-www-form-urlencoded", "username=%zz"],
    ["application/x-www-form-urlencoded", "username=%ff"],
    ["application/x-www-form-urlencoded", "username=a&username=b"],
    ["application/x-www-form-urlencoded; charset=ISO-8859-1", "username=%fc"],
  ])("that is %s %s is refused as unreadable", async (type, body) => {
    const browser = stage.browser();
    const { path } = await open(browser);
    const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const response = await fetch(`${stage.url}${path}/password`, {
      method: "POST",
      headers: { "content-type": type, cookie },
      body,
    });
    expect([response.status, response.headers.get("content-type")]).toEqual([
      400,
      "text/html; charset=utf-8",
    ]);
    expect(await response.text()).toContain("cannot be read");
  });

  test("of more than 64 KiB is refused", async () => {
    const browser = stage.browser();
    const page = await open(browser);
    expect((await page.submit({ username: "a".repeat(65_536), password })).status).toBe(413);
  });
});

describe("a session cookie", () => {
  test("that an attacker has put into the browser is worth nothing after the login", async () => {
    const person = await stage.addPerson(stage.owner);
    const [victim, attacker] = [stage.browser(), stage.browser()];
    const planted = "B".repeat(43);
    for (const browser of [victim, attacker]) browser.cookies.set(session, planted);
    await logIn(stage, victim, person);
    expect(victim.cookies.get(session)).not.toBe(planted);
    const { location } = await attacker.open(stage.path({ prompts: ["none"] }));
    expect(location).toContain("login_required");
  });

  test("is ignored when the browser sends two of them", async () => {
    const person = await stage.addPerson(stage.owner);
    const browser = stage.browser();
    await logIn(stage, browser, person);
    const value = browser.cookies.get(session) ?? "";
    const cookie = `${session}=${value}; ${session}=${"C".repeat(43)}`;
    const answer = await browser.send({
      method: "GET",
      url: stage.path({ prompts: ["none"] }),
      headers: { cookie },
    });
    expect(answer.headers.get("location")).toContain("login_required");
  });

  test("and all others keep to the browser, the host and https, and only as long as they must", async () => {
    const person = await stage.addPerson(stage.owner);
    const browser = stage.browser();
    const begun = await browser.send({ method: "GET", url: stage.path() });
    const page = await browser.open(begun.headers.get("location") ?? "");
    const sent = await browser.send({
      method: "POST",
      url: `${page.path}/password`,
      form: { ...Object.fromEntries(tokenOf(page)), username: person.username, password },
    });
    const headers = [...begun.headers.getSetCookie(), ...sent.headers.getSetCookie()];
    const shown = headers.map((header) =>
      header.replace(/_\d+=/, "_N=").replace(/=[A-Za-z0-9_-]{43};/, "=V;"),
    );
    const common = "HttpOnly; SameSite=Lax; Secure";
    expect(shown).toEqual([
      `__Host-gh_login_N=V; Path=/; ${common}`,
      `__Host-gh_login_N=; Path=/; Max-Age=0; ${common}`,
      `${session}=V; Path=/; Max-Age=864000; ${common}`,
      `__Host-gh_known=V; Path=/; Max-Age=7776000; ${common}`,
    ]);
  });
});

describe("whatever the request says of hosts", () => {
  test("redirects, cookies and pages follow the issuer", async () => {
    const browser = stage.browser();
    const headers = {
      host: "evil.example",
      forwarded: "host=evil.example;proto=http",
      "x-forwarded-host": "evil.example",
      "x-forwarded-proto": "http",
    };
    const answer = await browser.send({ method: "GET", url: stage.path(), headers });
    const location = answer.headers.get("location") ?? "";
    expect(location).toMatch(/^https:\/\/login\.example\/login\/\d+$/);
    expect(answer.headers.getSetCookie()[0]).toMatch(/^__Host-.*; Secure$/);
    const page = await browser.send({ method: "GET", url: location, headers });
    expect(page.text).not.toContain("evil");
  });
});

async function userOf(id = "") {
  const user = await stage.fixture.database.read((tx) => findUserById(tx, id));
  if (user === undefined) throw new Error("there is no such user");
  return user;
}
