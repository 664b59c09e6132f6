// Whatever a provider or a browser sends that is not as it must be ends at a page, and nobody is logged in or made.
import { afterAll, afterEach, describe, expect, test } from "@jest/globals";
import { startService } from "../../support/service.ts";
import { createFederationPlace, leaveForProvider, listUsers, openBrowser, titleOf } from "./support/place.ts";
import {
  type ProviderTricks,
  sendJson,
  signByBroughtKey,
  signByForeignKey,
  signByNone,
  signByOtherAlgorithm,
  signByOtherKind,
  signByPublicKey,
  signWell,
  startProvider,
} from "./support/provider.ts";

const service = await startService({ dev: true });
const provider = await startProvider(service.clock);
afterEach(() => provider.play({}));
afterAll(async () => {
  provider.stop();
  await service.stop();
});

/** Goes through a login, and returns the page at its end and what was logged of it. */
async function logInWith(tricks: ProviderTricks) {
  provider.play(tricks);
  const place = await createFederationPlace(service, provider, { autoRegister: true });
  const browser = openBrowser(service);
  const before = service.log().length;
  const url = await leaveForProvider(service, place, browser);
  const ended = await browser.open(provider.logIn(url).href);
  const lines = service.log().slice(before).split("\n").filter(Boolean);
  const logged = lines.map((line) => JSON.parse(line) as { msg?: string; detail?: string });
  const line = logged.find(({ msg = "" }) => msg.startsWith("provider_login."));
  const made = (await listUsers(service, place)).length;
  return { title: titleOf(ended), made, logged: [line?.msg, line?.detail] };
}

const refused = { title: [400, "You are not signed in"], made: 0 };
/** Plays somebody of that name everywhere. */
const about = (sub: string): ProviderTricks => ({ claims: { sub }, userinfo: { sub } });
const nowSeconds = () => Math.floor(service.clock.nowMs() / 1000);

describe("an ID token is refused", () => {
  const cases: Readonly<Record<string, () => ProviderTricks>> = {
    "of another issuer": () => ({ claims: { iss: "https://other.example" } }),
    "of the issuer with a slash": () => ({ claims: { iss: `${provider.issuer}/` } }),
    "for another client": () => ({ claims: { aud: "another client" } }),
    "for several clients without azp": () => ({ claims: { aud: [provider.clientId, "other"] } }),
    "for several clients, with azp of another": () => ({
      claims: { aud: [provider.clientId, "other"], azp: "other" },
    }),
    "for one client, with azp of another": () => ({ claims: { azp: "other" } }),
    "with another nonce": () => ({ claims: { nonce: "another nonce" } }),
    "without a nonce": () => ({ claims: { nonce: undefined } }),
    "that has expired": () => ({ claims: { exp: nowSeconds() - 31 } }),
    "without an expiration": () => ({ claims: { exp: undefined } }),
    "with a text for an expiration": () => ({ claims: { exp: "tomorrow" } }),
    "made in an hour": () => ({ claims: { iat: nowSeconds() + 3600 } }),
    "made at no time": () => ({ claims: { iat: undefined } }),
    "that is not good yet": () => ({ claims: { nbf: nowSeconds() + 60 } }),
    "about nobody": () => ({ claims: { sub: "" } }),
    "without a subject": () => ({ claims: { sub: undefined } }),
    "about a blank name": () => about(" \u2003"),
    "about a name with NUL": () => about("ada\u0000"),
    "about a name that is no text": () => about("ada \ud800"),
    "about somebody with a long name": () => about("s".repeat(256)),
    "without a signature": () => ({ sign: signByNone }),
    "signed with the public key as a secret": () => ({ sign: signByPublicKey }),
    "typed as an access token": () => ({ sign: (claims) => signWell(claims, undefined, { typ: "at+jwt" }) }),
    "typed as a logout token": () => ({
      sign: (claims) => signWell(claims, undefined, { typ: "application/logout+JWT" }),
    }),
    "that is no JWT": () => ({ sign: async () => "not a token" }),
    "that is no text": () => ({ tokens: { id_token: { sub: provider.subject } } }),
  };

  test.each(Object.keys(cases))("%s", async (name) => {
    const ended = await logInWith(cases[name]?.() ?? {});
    expect(ended).toEqual({ ...refused, logged: ["provider_login.refused", expect.any(String)] });
  });

  const signatures: Readonly<Record<string, NonNullable<ProviderTricks["sign"]>>> = {
    "by a key of the same kind": signByForeignKey,
    "by a key of another kind, under the same name": signByOtherKind,
    "by a key that it brings along": signByBroughtKey,
    "under a name that no key has": (claims) => signWell(claims, "another key"),
    "by an algorithm that the metadata do not name": signByOtherAlgorithm,
    "before a claim was changed": async (claims) => {
      const [header, , signature] = (await signWell(claims)).split(".");
      const changed = Buffer.from(JSON.stringify({ ...claims, sub: "victim" })).toString("base64url");
      return [header, changed, signature].join(".");
    },
  };

  test.each(Object.keys(signatures))("that was signed %s", async (name) => {
    const ended = await logInWith({ sign: signatures[name] });
    expect(ended).toEqual({ ...refused, logged: ["provider_login.refused", "ID token signature"] });
  });

  test("unless everything is right", async () => {
    const none = [undefined, undefined]; // the browser is back at the application
    expect(await logInWith({})).toEqual({ title: none, made: 1, logged: none });
  });
});

describe("a provider is refused", () => {
  const cases: Readonly<Record<string, readonly [() => ProviderTricks, string]>> = {
    "whose userinfo is about somebody else": [() => ({ userinfo: { sub: "somebody else" } }), "userinfo sub"],
    "that refuses the code": [
      () => ({ answers: { "/token": (response) => sendJson(response, { error: "invalid_grant" }, 400) } }),
      "token status 400",
    ],
    "that gives no ID token": [
      () => ({
        answers: {
          "/token": (response) => sendJson(response, { access_token: "a", token_type: "Bearer" }),
        },
      }),
      "token without ID token",
    ],
    "that says it is another one": [
      () => ({ returned: { iss: "https://other.example" } }),
      "OAUTH_INVALID_RESPONSE",
    ],
    "that does not say who it is, though it announces that": [
      () => ({ returned: { iss: undefined } }),
      "OAUTH_INVALID_RESPONSE",
    ],
    "that brings no code": [() => ({ returned: { code: undefined } }), "OAUTH_INVALID_RESPONSE"],
  };

  test.each(Object.keys(cases))("%s", async (name) => {
    const [tricks, detail] = cases[name] ?? [() => ({}), ""];
    expect(await logInWith(tricks())).toEqual({ ...refused, logged: ["provider_login.refused", detail] });
  });
});

describe("a provider is not there", () => {
  const redirecting = () => ({
    "/token": (response: Parameters<typeof sendJson>[0]) => {
      response.writeHead(307, { location: "http://10.0.0.1/token" });
      response.end();
    },
  });
  const cases: Readonly<Record<string, readonly [() => ProviderTricks, string]>> = {
    "whose token endpoint fails": [
      () => ({ answers: { "/token": (response) => sendJson(response, {}, 502) } }),
      "token status 502",
    ],
    "whose answer is endless": [
      () => ({
        answers: {
          "/token": (response) => {
            response.writeHead(200, { "content-type": "application/json" });
            const more = () => {
              if (!response.destroyed && response.write(" ".repeat(65_536))) setImmediate(more);
            };
            response.on("drain", more);
            more();
          },
        },
      }),
      "token unreadable",
    ],
    "that hangs up": [
      () => ({ answers: { "/token": (response) => void response.destroy() } }),
      "token unreachable",
    ],
    "whose keys are not JSON": [
      () => ({ answers: { "/keys": (response) => void response.end("<html>") } }),
      "keys unreadable",
    ],
    "whose keys are elsewhere": [
      () => ({
        answers: {
          "/keys": (response) => {
            response.writeHead(302, { location: "http://10.0.0.1/keys" });
            response.end();
          },
        },
      }),
      "keys forbidden",
    ],
  };

  test.each(Object.keys(cases))("%s", async (name) => {
    const [tricks, detail] = cases[name] ?? [() => ({}), ""];
    const logged = ["provider_login.unavailable", detail];
    expect(await logInWith(tricks())).toEqual({
      title: [503, "You cannot sign in there at the moment"],
      made: 0,
      logged,
    });
  });

  test("and a redirect of its token endpoint is not followed", async () => {
    expect(await logInWith({ answers: redirecting() })).toMatchObject(refused);
  });

  test("when its metadata gives another issuer, before the browser is sent", async () => {
    provider.play({ metadata: { issuer: "https://other.example" } });
    const place = await createFederationPlace(service, provider);
    const browser = openBrowser(service);
    const url = await leaveForProvider(service, place, browser);
    expect(url.pathname).toMatch(/^\/login\/[0-9]+\/idp$/);
    expect(service.log()).toContain("metadata of another issuer");
  });
});
