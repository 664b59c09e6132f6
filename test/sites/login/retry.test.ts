import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { Problem, type ProblemInit } from "../../../src/kernel/base/problem.ts";
import { noBrands } from "../../../src/identity/branding/brands.ts";
import { createLayout } from "../../../src/sites/login/layout.ts";
import { pageOfProblem } from "../../../src/sites/login/problem-page.ts";
import { sendBy, ways } from "../../kernel/http/support/ways.ts";
import { type LoginStage, startLoginStage } from "./support/login-stage.ts";

const { renderError } = createLayout(noBrands);

const tooMany: ProblemInit = { kind: "exhausted", reason: "TOO_MANY_CALLS", message: "too many calls" };
const overload: ProblemInit = {
  kind: "unavailable",
  reason: "OVERLOADED",
  message: "the service is stopping",
};

/** Renders the page of a problem for a request. */
function show(
  init: ProblemInit,
  {
    verb = "GET",
    path = "/login/1",
    query,
    language = "en",
  }: Readonly<Partial<Record<"verb" | "path" | "query" | "language", string>>> = {},
): string {
  const exchange = { requestId: "0", verb, path, query, header: () => language };
  return String(renderError(exchange, ...pageOfProblem(new Problem(init))).body);
}

describe("the page of a request that was refused for now", () => {
  test.each([
    [1000, "in 1 second", "in 1 Sekunde"],
    [29_001, "in 30 seconds", "in 30 Sekunden"],
    [90_000, "in 90 seconds", "in 90 Sekunden"],
    [90_001, "in 2 minutes", "in 2 Minuten"],
    [900_000, "in 15 minutes", "in 15 Minuten"],
    [5_400_001, "in 2 hours", "in 2 Stunden"],
  ])("says after %d ms when to try again: %s, %s", (retryAfterMs, english, german) => {
    for (const init of [tooMany, overload]) {
      expect(show({ ...init, retryAfterMs })).toContain(`Please try again ${english}.`);
      expect(show({ ...init, retryAfterMs }, { language: "de-AT,de;q=0.9" })).toContain(
        `Bitte ${german} noch einmal versuchen.`,
      );
    }
  });

  test("says to wait a moment where nobody knows how long", () => {
    for (const init of [tooMany, overload]) {
      expect(show(init)).toContain("Wait a moment, then try again.");
      expect(show(init)).not.toContain("Please try again");
    }
  });

  test("leads to the same path and query, escaped", () => {
    const query = `state="><script>alert(1)</script>&nonce='x'`;
    const text = show(tooMany, { path: "/oauth/v2/authorize", query });
    expect(text).toContain(
      '<a href="/oauth/v2/authorize?state=&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;&amp;nonce=&#39;x&#39;">Try again</a>',
    );
    expect(text).not.toContain("<script");
    expect(show(overload, { language: "de" })).toContain('<a href="/login/1">Noch einmal versuchen</a>');
  });

  test.each([
    ["a form", { verb: "POST" }],
    ["what may lead elsewhere", { path: "//evil.example/login" }],
    ["what is too long", { query: "a".repeat(8001) }],
  ])("says to go back, without a link, for %s", (_, request) => {
    for (const init of [tooMany, overload]) {
      const text = show(init, request);
      expect(text).toContain("To try again, go back in your browser and repeat the last step.");
      expect(text).not.toMatch(/<a |evil/);
      expect(show(init, { ...request, language: "de" })).toContain("Gehen Sie dazu in Ihrem Browser zurück");
    }
  });

  test("stands alone: what another try does not help against has no such link", () => {
    const large: ProblemInit = { kind: "exhausted", reason: "MESSAGE_TOO_LARGE", message: "too large" };
    const invalid: ProblemInit = { kind: "invalid", reason: "INVALID_REQUEST", message: "wrong" };
    for (const init of [large, invalid])
      expect(show({ ...init, retryAfterMs: 1000 })).not.toMatch(/<a |in 1 second/);
  });
});

describe("when all places are taken", () => {
  let full: LoginStage;
  beforeAll(async () => {
    full = await startLoginStage("https", { maxCalls: 0 });
  });
  afterAll(() => full.stop());

  test.each(ways.filter((way) => !way.endsWith("TLS")))("the page has a way back, by %s", async (way) => {
    const asked = (path: string, verb = "GET") =>
      sendBy(way, full.url, { verb, path, headers: way === "HTTP/2" ? {} : { host: "localhost" } });
    const page = await asked("/login/1/password?a=%22");
    expect([page.status, page.headers["retry-after"]]).toEqual([429, "1"]);
    expect(page.text).toContain('<a href="/login/1/password?a=%22">Try again</a>');
    expect(page.text).toContain("Please try again in 1 second. Nothing was done.");
    expect(page.headers["content-security-policy"]).toMatch(
      /^default-src 'none'; script-src 'self'; style-src 'self'; /,
    );
    const form = await asked("/login/1/password", "POST");
    expect(form.status).toBe(429);
    expect(form.text).toContain("go back in your browser");
    expect(form.text).not.toContain("<a ");
  });

  test("its style is served, and nothing else below the same path", async () => {
    const browser = full.browser();
    const { text } = await browser.open("/login/1");
    const paths = [...text.matchAll(/(?:href|src)="(\/login\/assets\/[^"]+)"/g)].map(([, path = ""]) => path);
    expect(paths).toHaveLength(2);
    for (const path of paths) expect([path, (await browser.open(path)).status]).toEqual([path, 200]);
    for (const path of ["none.css", "login-000000000000.css", ""])
      expect([path, (await browser.open(`/login/assets/${path}`)).status]).toEqual([path, 429]);
  });
});
