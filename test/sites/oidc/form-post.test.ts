// OAuth 2.0 Form Post Response Mode.
import { afterAll, describe, expect, test } from "@jest/globals";
import { createHash } from "node:crypto";
import { startService } from "../../support/service.ts";
import { createHumanUser } from "../../support/world.ts";
import { createApplication } from "./support/application.ts";
import { createLoginPlace, createPerson } from "./support/login-place.ts";
import { authorizePath, browse, redemption, signIn } from "./support/signed-in.ts";
import { askForTokens, issuerOf } from "./support/machine.ts";
import { broughtPath, push } from "./support/pushed.ts";
import { endLogin, openUserAgent } from "./support/user-agent.ts";

// In HTML the second parameter is a sign, unless it is escaped.
const redirectUri = "https://app.example/callback?a=1&copy=2";

const service = await startService();
const place = await createLoginPlace(service);
const application = await createApplication(service, place, { redirectUris: [redirectUri] });
const browser = await signIn(service, await createHumanUser(service, place.organizationId));
afterAll(() => service.stop());

const openAgent = () =>
  openUserAgent({ origin: issuerOf(service), send: (request) => service.http.send(request) });

const pathOf = (parameters: Readonly<Record<string, string>> = {}) =>
  authorizePath(application, { response_mode: "form_post", ...parameters });

/** Asks with the session, and reads the form that comes back. */
async function ask(parameters: Readonly<Record<string, string>> = {}, cookie = browser.cookie) {
  const agent = openAgent();
  const [name = "", value = ""] = cookie.split("=");
  if (name !== "") agent.cookies.set(name, value);
  const { url, posted = [] } = await agent.open(`${issuerOf(service)}${pathOf(parameters)}`);
  return { url: url.href, fields: Object.fromEntries(posted) };
}

describe("a code that was asked for with form_post", () => {
  test("comes in a form for the redirect URI as registered, and can be redeemed (§2)", async () => {
    const { url, fields } = await ask({ prompt: "none" });
    expect(url).toBe(redirectUri);
    expect(fields).toEqual({
      code: expect.stringMatching(/^[\w-]{43}$/),
      state: "the state of a request",
      iss: issuerOf(service),
    });
    expect((await askForTokens(service, redemption(application, fields["code"] ?? ""))).status).toBe(200);
  });

  test("comes on a page on which its own script may run, known by its hash, and nothing else", async () => {
    const { status, headers, text } = await browse(service, pathOf(), { cookie: browser.cookie });
    expect(status).toBe(200);
    expect(headers.get("location")).toBeNull();
    const scripts = [...text.matchAll(/<script[^>]*>([^<]*)<\/script>/g)].map(([, inside = ""]) => inside);
    expect(scripts).toHaveLength(1);
    const hash = createHash("sha256")
      .update(scripts[0] ?? "")
      .digest("base64");
    expect(headers.get("content-security-policy")).toBe(
      `default-src 'none'; script-src 'sha256-${hash}'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; frame-ancestors 'none'`,
    );
    expect(headers.get("x-frame-options")).toBe("DENY");
    expect(headers.get("referrer-policy")).toBe("no-referrer");
    expect(headers.get("cache-control")).toBe("no-store");
    expect(headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(headers.get("cross-origin-opener-policy")).toBeNull(); // it may run in a popup
    const { headers: others } = await browse(service, pathOf({ prompt: "login" }), {
      cookie: browser.cookie,
    });
    const page = await browse(service, new URL(others.get("location") ?? "").pathname, {
      cookie: others
        .getSetCookie()
        .map((line) => line.replace(/;.*/, ""))
        .join("; "),
    });
    expect(page.headers.get("content-security-policy")).toContain("script-src 'self';");
  });

  test("comes with whatever the state is, and none of it is anything but a value", async () => {
    const state = `"><script>alert(1)</script><input name='code' value="evil"> &amp; ü`;
    const { text } = await browse(service, pathOf({ state }), { cookie: browser.cookie });
    expect(text).not.toContain("<script>alert");
    expect(text.match(/<input/g)).toHaveLength(3);
    expect((await ask({ state })).fields["state"]).toBe(state);
  });

  test("comes after a login on the pages, with the cookies that a redirect has", async () => {
    const person = await createPerson(service, place.organizationId);
    const agent = openAgent();
    const start = await agent.open(`${issuerOf(service)}${pathOf()}`);
    const names = [...agent.cookies.keys()];
    expect(names).toEqual([expect.stringMatching(/^gh_login_\d+$/)]);
    const { url, posted = [] } = await endLogin(agent, start, person);
    expect([url.href, posted.map(([name]) => name)]).toEqual([redirectUri, ["code", "state", "iss"]]);
    expect([...agent.cookies.keys()].toSorted()).toEqual(["gh_known", "gh_session"]);
    const again = await agent.open(`${issuerOf(service)}${pathOf({ prompt: "none" })}`);
    expect(Object.fromEntries(again.posted ?? [])).toHaveProperty("code");
  });

  test("comes so for a pushed request too", async () => {
    const { requestUri } = await push(service, application, { response_mode: "form_post" });
    const { status, text } = await browse(service, broughtPath(application, requestUri), {
      cookie: browser.cookie,
    });
    expect([status, text]).toEqual([200, expect.stringContaining('name="code"')]);
  });
});

describe("an error comes in the same way", () => {
  test.each([
    ["of the request", { response_type: "token" }, "unsupported_response_type"],
    ["of a scope", { scope: "openid urn:zitadel:iam:org:id:1" }, "invalid_scope"],
    ["of a hint", { id_token_hint: "a.b.c" }, "invalid_request"],
  ])("%s", async (_name, parameters, error) => {
    const { url, fields } = await ask(parameters);
    expect([url, fields]).toEqual([
      redirectUri,
      {
        error,
        error_description: expect.any(String),
        state: "the state of a request",
        iss: issuerOf(service),
      },
    ]);
  });

  test("of a login that needs a page", async () => {
    const { fields } = await ask({ prompt: "none" }, "");
    expect(fields).toMatchObject({ error: "login_required", state: "the state of a request" });
  });

  test("but in the query if the mode is sent twice, or is none that there is", async () => {
    for (const path of [`${pathOf()}&response_mode=query`, pathOf({ response_mode: "web_message" })]) {
      const { status, headers } = await browse(service, path, { cookie: browser.cookie });
      expect(status).toBe(303);
      expect(headers.get("location")).toContain("error=invalid_request");
    }
  });

  test("but in the query for a state that would come back changed from a form (RFC 6749 §A.5)", async () => {
    for (const state of ["a\nb", "a\0b"]) {
      const { status, headers } = await browse(service, pathOf({ state }), { cookie: browser.cookie });
      expect(status).toBe(303);
      const { searchParams } = new URL(headers.get("location") ?? "");
      expect([searchParams.get("error"), searchParams.get("state")]).toEqual(["invalid_request", state]);
    }
    const inQuery = pathOf({ state: "a\nb", response_mode: "query" });
    const { headers } = await browse(service, inQuery, { cookie: browser.cookie });
    expect(new URL(headers.get("location") ?? "").searchParams.get("state")).toBe("a\nb");
  });

  test("never to an address that is not registered", async () => {
    const { status, text } = await browse(service, pathOf({ redirect_uri: "https://evil.example/" }), {
      cookie: browser.cookie,
    });
    expect(status).toBe(400);
    expect(text).not.toMatch(/evil|<form/);
  });
});

test("the page speaks the language of the application's request, or of the browser", async () => {
  const languages = async (parameters: Readonly<Record<string, string>>, header: string) => {
    const headers = { cookie: browser.cookie, "accept-language": header };
    return /<html lang="(\w+)">/.exec((await browse(service, pathOf(parameters), headers)).text)?.[1];
  };
  expect(await languages({ ui_locales: "de" }, "en")).toBe("de");
  expect(await languages({}, "de-AT")).toBe("de");
  expect(await languages({ ui_locales: "de", response_type: "token" }, "en")).toBe("de");
});
