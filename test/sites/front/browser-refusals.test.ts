import { afterAll, describe, expect, test } from "@jest/globals";
import { fillPlaces } from "../../kernel/http/support/full-places.ts";
import { issuerOf } from "../oidc/support/machine.ts";
import { startService } from "../../support/service.ts";

const browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

const places = 4;

const service = await startService({ "max-calls": String(places) });
afterAll(() => service.stop());

const ask = (path: string, headers: Readonly<Record<string, string>> = {}, method = "GET") =>
  service.http.send({
    method,
    path,
    headers: { host: new URL(issuerOf(service)).host, accept: browser, ...headers },
  });

describe("a path that there is not", () => {
  test("is a page for a browser, in its language, with a link to the start page", async () => {
    const { status, headers, text } = await ask("/nowhere?next=//evil.example");
    expect([status, headers.get("content-type")]).toEqual([404, "text/html; charset=utf-8"]);
    expect(text).toContain("<h1>There is nothing here</h1>");
    expect(text).toContain('<a href="/">Go to the start page</a>');
    expect(text).not.toMatch(/evil|Try again</);
    expect(Object.fromEntries(headers)).toMatchObject({
      "cache-control": "no-store",
      "x-frame-options": "DENY",
      "cross-origin-opener-policy": "same-origin",
      "content-security-policy":
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; frame-ancestors 'none'",
    });
    const german = await ask("/nowhere", { "accept-language": "de" });
    expect(german.text).toContain('<a href="/">Zur Startseite</a>');
  });

  test("is a page, too, where the host repeats itself in the path", async () => {
    const { status, text } = await ask("//evil.example/login");
    expect([status, text.includes("evil")]).toEqual([404, false]);
  });

  test.each([
    ["a program", "/nowhere", "*/*"],
    ["a program that takes pages, too", "/nowhere", "application/json, text/html;q=0.9"],
    ["REST", "/v1/nowhere", browser],
    ["an rpc", "/gatehouse.v1.ProjectService/No", browser],
  ])("is told in JSON to %s", async (_, path, accept) => {
    const { status, headers, text } = await ask(path, { accept });
    expect([status, headers.get("content-type")]).toEqual([404, "application/json"]);
    expect(text).toContain("ROUTE_NOT_FOUND");
  });
});

test("a path of nothing but dots is told as quickly as another one", async () => {
  const startedMs = performance.now();
  for (let count = 0; count < 5; count++) expect((await ask(`/${".".repeat(15_000)}`)).status).toBe(404);
  expect(performance.now() - startedMs).toBeLessThan(1000); // 4 s when each dot is tried with every later one
});

test("what is no way to use a path of the console is a page for a browser", async () => {
  const { status, headers, text } = await ask("/console/", {}, "POST");
  expect([status, headers.get("allow"), headers.get("content-type")]).toEqual([
    405,
    "GET, HEAD",
    "text/html; charset=utf-8",
  ]);
  expect(text).toContain("Go back and try again.");
});

test("when all places are taken, a browser gets a page with a way back, and a program JSON", async () => {
  const giveBack = await fillPlaces(service, places);
  try {
    for (const path of ["/", "/console/users?q=1", "/nowhere"]) {
      const { status, headers, text } = await ask(path);
      expect([path, status, headers.get("retry-after")]).toEqual([path, 429, "1"]);
      expect(text).toContain(`<a href="${path}">Try again</a>`);
      expect(text).toContain("in 1 second");
    }
    const away = await ask("//evil.example/login");
    expect([away.status, away.text.includes("evil")]).toEqual([429, false]);
    for (const path of ["/", "/console/", "/nowhere"]) {
      const { status, headers } = await ask(path, { accept: "*/*" });
      expect([path, status, headers.get("content-type")]).toEqual([path, 429, "application/json"]);
    }
    const call = await ask("/v1/projects");
    expect([call.status, call.headers.get("content-type")]).toEqual([429, "application/json"]);
  } finally {
    await giveBack();
  }
});
