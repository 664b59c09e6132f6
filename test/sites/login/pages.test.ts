import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { logIn, type LoginStage, password, startLoginStage } from "./support/login-stage.ts";
import type { BrowserPage, PageBrowser } from "./support/browser.ts";

const stage = await startLoginStage();
afterAll(() => stage.stop());

const nobody = "Nobody";

async function open(browser: PageBrowser, request = {}): Promise<BrowserPage> {
  return await browser.open(stage.path(request));
}

describe("every page", () => {
  const policy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; frame-ancestors 'none'";

  test("has the headers that keep it to itself", async () => {
    const browser = stage.browser();
    const page = await open(browser);
    const wrong = await page.submit({ username: nobody, password });
    const pages = [page, wrong, await browser.open("/login/1"), await browser.open("/login/nothing")];
    for (const { headers, text } of pages) {
      expect(Object.fromEntries(headers)).toMatchObject({
        "content-type": "text/html; charset=utf-8",
        "content-security-policy": policy,
        "x-frame-options": "DENY",
        "referrer-policy": "no-referrer",
        "cache-control": "no-store",
        "x-content-type-options": "nosniff",
      });
      expect(headers.has("cross-origin-opener-policy")).toBe(false);
      expect(text).not.toMatch(/<style|style=|<script(?! src)|onclick/);
    }
  });

  test("escapes what applications and people have written", async () => {
    const mean = `"><script>alert('1')</script>`;
    const page = await open(stage.browser(), { loginHint: mean });
    expect(page.html).toContain("to continue to <bdi>Demo &lt;App&gt;</bdi>");
    expect(page.text).toContain('value="&quot;&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;"');
    const wrong = await page.submit({ username: mean, password });
    expect(wrong.text).not.toContain("<script>");
  });

  test("never shows the password, and the log has neither it nor the name", async () => {
    const page = await open(stage.browser());
    const wrong = await page.submit({ username: nobody, password: "a password that is wrong" });
    expect(wrong.text).not.toContain("a password that is wrong");
    expect(stage.log()).not.toMatch(/a password that is wrong|Nobody/);
  });

  test.each([
    [{}, "de-AT, en;q=0.5", "de"],
    [{}, "en;q=0.5, de;q=0.4", "en"],
    [{}, "nl, de;q=0", "en"],
    [{}, "", "en"],
    [{ uiLocales: ["nl", "de"] }, "en", "de"],
    [{ uiLocales: ["nl"] }, "de", "de"],
  ])("is in the language of %p and %s", async (request, acceptLanguage, language) => {
    const headers = { "accept-language": acceptLanguage };
    const browser = stage.browser();
    const begun = await browser.send({ method: "GET", url: stage.path(request) });
    const page = await browser.open(begun.headers.get("location") ?? "", headers);
    expect(page.text).toContain(`<html lang="${language}">`);
    expect(page.title).toBe(language === "de" ? "Anmelden" : "Sign in");
  });
});

test("a page in Arabic goes from right to left", async () => {
  const browser = stage.browser();
  const begun = await browser.send({ method: "GET", url: stage.path({}) });
  const page = await browser.open(begun.headers.get("location") ?? "", { "accept-language": "ar-EG" });
  expect(page.text).toContain('<html lang="ar" dir="rtl">');
  expect(page.title).toBe("تسجيل الدخول");
});

describe("paths", () => {
  test.each([
    ["GET", "/login/", 404],
    ["GET", "/login/nothing", 404],
    ["GET", "/login/0", 404],
    ["GET", "/login/1/", 404],
    ["GET", "/login/1/nothing", 404],
    ["POST", "/login/1/nothing", 404],
    ["GET", "/login/1/password/more", 404],
    ["GET", "/login/assets/login.css", 404],
    ["GET", "/login/1%2fpassword", 404],
    ["GET", "/login/1", 400],
    ["HEAD", "/login/nothing", 404],
    ["GET", "/login/1/continue", 400],
    ["POST", "/login/1/password", 400],
  ])("%s %s is %d, as a page", async (method, url, status) => {
    const answer = await stage.browser().send({ method, url, ...(method === "POST" ? { form: {} } : {}) });
    expect([answer.status, answer.headers.get("content-type")]).toEqual([status, "text/html; charset=utf-8"]);
    expect(answer.text === "").toBe(method === "HEAD");
  });

  test.each([
    ["POST", "/login/1", "GET"],
    ["PUT", "/login/1/password", "GET, POST"],
    ["POST", "/login/1/continue", "GET"],
    ["OPTIONS", "/login/1", "GET"],
  ])("%s %s is a wrong verb", async (method, url, allow) => {
    const answer = await stage.browser().send({ method, url });
    expect([answer.status, answer.headers.get("allow")]).toEqual([405, allow]);
    expect(answer.text).toContain("cannot be used in that way");
    expect([...answer.headers.keys()].filter((name) => name.startsWith("access-control"))).toEqual([]);
  });

  test("of files name their content, and may be kept for ever", async () => {
    const page = await open(stage.browser());
    const files = [...page.text.matchAll(/"(\/login\/assets\/[^"]+)"/g)].map(([, path = ""]) => path);
    expect(files).toHaveLength(2);
    for (const url of files) {
      const file = await stage.browser().send({ method: "GET", url });
      expect([file.status, file.headers.get("cache-control")]).toEqual([
        200,
        "public, max-age=31536000, immutable",
      ]);
    }
  });
});

test("the user's interactions and browsers go with the user", async () => {
  const home = await stage.addOrganization();
  const person = await stage.addPerson(home);
  await (await logIn(stage, stage.browser(), person)).submit({ choice: "continue" });
  await logIn(stage, stage.browser(), person, {
    applicationId: (await stage.addApplication(stage.owner)).application,
  });
  const count = () =>
    stage.fixture.database.read(async (tx) => {
      const tables = ["interactions", "known_browsers"];
      const rows = tables.map((table) =>
        tx.all<{ user_id: string }>(`SELECT user_id FROM ${table} WHERE user_id = ?`, [person.id]),
      );
      return (await Promise.all(rows)).map(({ length }) => length);
    });
  expect(await count()).toEqual([2, 1]); // one has ended
  await stage.event("user.removed", person);
  expect(await count()).toEqual([0, 0]);
});

describe("on the machine of a developer", () => {
  let local: LoginStage;
  beforeAll(async () => {
    local = await startLoginStage("local");
  });
  afterAll(() => local.stop());

  test("cookies have no prefix and are sent without TLS", async () => {
    const answer = await local.browser().send({ method: "GET", url: local.path() });
    expect(answer.headers.getSetCookie()[0]).toMatch(
      /^gh_login_\d+=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/,
    );
  });

  test("a browser that comes to the address is sent to the name that cookies and keys are of", async () => {
    const { port } = new URL(local.url);
    const browser = local.browser();
    for (const host of [`127.0.0.1:${port}`, `[::1]:${port}`]) {
      const begun = await browser.send({ method: "GET", url: local.path(), headers: { host } });
      expect([begun.status, begun.headers.get("location")]).toEqual([303, `${local.issuer}${local.path()}`]);
      const page = await browser.send({ method: "GET", url: "/login/1", headers: { host } });
      expect([page.status, page.headers.get("location")]).toEqual([303, `${local.issuer}/login/1`]);
    }
    const other = await browser.send({ method: "GET", url: "/login/1", headers: { host: "127.0.0.1:1" } });
    expect(other.status).toBe(400);
  });
});
