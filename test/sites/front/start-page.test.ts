import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "@jest/globals";
import { issuerOf } from "../oidc/support/machine.ts";
import { browse } from "../oidc/support/signed-in.ts";
import { startService } from "../../support/service.ts";

const browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

const service = await startService();
afterAll(() => service.stop());

const open = (headers: Readonly<Record<string, string>> = {}, method = "GET") =>
  service.http.send({ method, path: "/", headers: { host: new URL(issuerOf(service)).host, ...headers } });

describe("the start page", () => {
  test("tells a browser where to go, in its language", async () => {
    const { status, headers, text } = await open({ accept: browser });
    expect([status, headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
    expect(text).toContain('<html lang="en">');
    expect(text).toContain(`<a class="button" href="${issuerOf(service)}/console/">Open the console</a>`);
    for (const path of ["/account", "/openapi.json"]) expect(text).toContain(`href="${path}"`);
    const german = await open({ accept: browser, "accept-language": "de-AT,de;q=0.9" });
    expect(german.text).toContain('<html lang="de">');
    expect(german.text).toContain(">Konsole öffnen</a>");
  });

  test("has the headers of the pages of signing in", async () => {
    const { headers } = await open({ accept: browser });
    expect(headers.get("content-security-policy")).toContain("default-src 'none'; script-src 'self'");
    expect(Object.fromEntries(headers)).toMatchObject({
      "cache-control": "no-store",
      "x-frame-options": "DENY",
      "x-content-type-options": "nosniff",
      "cross-origin-opener-policy": "same-origin",
      vary: "accept, accept-language",
    });
    const { text } = await open({ accept: browser });
    const paths = [...text.matchAll(/(?:href|src)="(\/login\/assets\/[^"]+)"/g)].map(([, path = ""]) => path);
    expect(paths).toHaveLength(2);
    for (const path of paths) expect([path, (await browse(service, path)).status]).toEqual([path, 200]);
    expect(text).not.toMatch(/<script|<style|style=/);
  });

  test("says in local mode where the first administrator's link is, and never the link", async () => {
    const { text } = await open({ accept: browser });
    const file = join(service.dataFolder, "admin.link");
    expect(text).toContain(`<code>${file}</code>`);
    expect(text).toContain("<code>npm run gatehouse -- setup link</code>");
    expect(existsSync(file)).toBe(true);
    expect(text).not.toContain(new URL(readFileSync(file, "utf8").trim()).pathname);
  });

  test("sends a browser at another name of this machine to the one where it can sign in", async () => {
    const { status, headers } = await open({ accept: browser, host: `127.0.0.1:${service.port}` });
    expect([status, headers.get("location")]).toEqual([303, `${issuerOf(service)}/`]);
  });

  test("answers HEAD as GET", async () => {
    const [got, head] = await Promise.all([open({ accept: browser }), open({ accept: browser }, "HEAD")]);
    expect([head.status, head.text]).toEqual([200, ""]);
    expect(head.headers.get("content-length")).toBe(got.headers.get("content-length"));
  });
});

describe("a program gets", () => {
  test.each<Readonly<Record<string, string>>>([
    {},
    { accept: "*/*" },
    { accept: "application/json" },
    { accept: "application/json, text/html;q=0.9" },
  ])("the problem of an unknown path for %j", async (accept) => {
    const { status, headers, text } = await open(accept);
    expect([status, headers.get("content-type")]).toEqual([404, "application/json"]);
    expect(text).toContain("ROUTE_NOT_FOUND");
    expect(headers.get("vary")).toBe("accept, accept-language");
  });

  test("what it got before for any other verb, though it takes pages", async () => {
    for (const method of ["POST", "PUT", "DELETE"]) {
      const [root, other] = await Promise.all([
        open({ accept: browser }, method),
        service.http.send({ method, path: "/nowhere", headers: { accept: browser } }),
      ]);
      expect([method, root.status, root.text]).toEqual([method, other.status, other.text]);
    }
  });
});

test("it says nothing about files outside of local mode", async () => {
  const other = await startService({ issuer: "https://id.example.com" });
  try {
    const { status, text } = await other.http.send({
      method: "GET",
      path: "/",
      headers: { accept: browser },
    });
    expect(status).toBe(200);
    expect(text).toContain('href="https://id.example.com/console/"');
    expect(text).not.toMatch(/admin\.link|setup link/);
  } finally {
    await other.stop();
  }
});
