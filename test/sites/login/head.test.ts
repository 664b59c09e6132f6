// HEAD changes nothing (RFC 9110 §9.2.1), whatever GET does at the path: scanners of links ask so for what somebody was sent.
import { afterAll, beforeEach, expect, test } from "@jest/globals";
import { createLoginPlace, createOidcApplication, createPerson } from "../oidc/support/login-place.ts";
import { signIn } from "../oidc/support/signed-in.ts";
import { toAuthorizationUrl } from "../oidc/support/user-agent.ts";
import { addScriptedParty, originOf } from "../saml/support/scripted-party.ts";
import { startService } from "../../support/service.ts";

const redirectUri = "https://app.example/callback";

const service = await startService();
const place = await createLoginPlace(service);
const person = await createPerson(service, place.organizationId);
const party = await addScriptedParty(service, place);
await party.setSettings({ allowIdpInitiated: true });
const { clientId } = await createOidcApplication(service, place, { redirectUris: [redirectUri] });
afterAll(() => service.stop());

/** The cookies of a browser with a session. */
let jar: Map<string, string>;
beforeEach(async () => {
  const [name = "", value = ""] = (await signIn(service, person.userId)).cookie.split("=");
  jar = new Map([[name, value]]);
});

const formType = "application/x-www-form-urlencoded";

/** Sends one request, and follows nothing. */
async function send(method: string, url: string, body?: string) {
  const { pathname, search } = new URL(url, originOf(service));
  const answer = await service.http.send({
    method,
    path: pathname + search,
    headers: {
      host: new URL(originOf(service)).host,
      cookie: [...jar].map((pair) => pair.join("=")).join("; "),
      ...(body === undefined ? {} : { "content-type": formType }),
    },
    ...(body === undefined ? {} : { body }),
  });
  for (const line of answer.headers.getSetCookie()) {
    const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
    jar.set(name, value);
  }
  return answer;
}

/** Where the answer of a request sends the browser. */
const locationOf = async (method: string, url: string, body?: string): Promise<string> =>
  (await send(method, url, body)).headers.get("location") ?? "";

const authorization = (more: readonly (readonly [string, string])[] = []) =>
  toAuthorizationUrl(originOf(service), [
    ["client_id", clientId],
    ["redirect_uri", redirectUri],
    ["response_type", "code"],
    ["scope", "openid"],
    ...more,
  ]);

const beginByPost = () =>
  locationOf("POST", "/saml/v2/SSO", new URL(party.urlOf({ isSigned: false })).search.slice(1));

/** Each makes what its GET is about. */
const paths: readonly (readonly [name: string, allow: string, path: () => Promise<string>])[] = [
  ["a request of SAML", "GET, POST", async () => party.urlOf()],
  ["a login of SAML that begins here", "GET", async () => `/saml/v2/start/${party.appId}`],
  ["the answer of SAML", "GET", () => beginByPost()],
  ["a logout of SAML", "GET, POST", async () => "/saml/v2/SLO"],
  ["a logout of SAML that goes on", "GET", async () => "/saml/v2/SLO/1"],
  ["a request of OpenID Connect", "GET, POST", async () => authorization()],
  ["the tokens of the console", "GET", async () => "/oauth/v2/console"],
  ["a logout of OpenID Connect", "GET, POST", async () => "/oidc/v1/end_session"],
  [
    "one that goes on",
    "GET, POST",
    async () => {
      const path = await locationOf("POST", "/oidc/v1/end_session", "");
      jar.delete("gh_session");
      return path;
    },
  ],
  ["a login", "GET", () => locationOf("GET", authorization([["prompt", "login"]]))],
  ["a page of a login", "GET, POST", async () => `${await locationOf("GET", loginUrl())}/passkey`],
  ["a login that goes on", "GET", () => locationOf("POST", ...posted())],
  ["what a gateway brings", "GET, POST", async () => `${await locationOf("GET", loginUrl())}/idp?h=x`],
  ["the return from a provider", "GET, POST", async () => "/idps/callback?state=x&code=y"],
  ["the return from a gateway", "GET, POST", async () => "/ui/login/login/jwt/authorize?authRequestID=1"],
  ["the account", "GET", async () => "/account"],
  ["a page of the account", "GET, POST", async () => "/account/phone"],
];

const loginUrl = () => authorization([["prompt", "login"]]);
const posted = () => ["/oauth/v2/authorize", new URL(authorization()).search.slice(1)] as const;

test.each(paths)("%s is not for HEAD", async (_name, allow, pathOf) => {
  const path = await pathOf();
  const before = await service.place.raw.dump();
  const { status, headers, text } = await send("HEAD", path);
  expect([status, headers.get("allow"), headers.getSetCookie(), text]).toEqual([405, allow, [], ""]);
  expect(await service.place.raw.dump()).toEqual(before);
  expect((await send("GET", path)).status).not.toBe(405);
});

test.each([
  "/saml/v2/metadata",
  "/saml/v2/certificate",
  "/.well-known/openid-configuration",
  "/oauth/v2/keys",
  "/device",
  "/login/password/1?code=x",
  "/account/signed-out",
])("%s changes nothing, and answers HEAD as GET", async (path) => {
  const { status } = await send("GET", path);
  const before = await service.place.raw.dump();
  const head = await send("HEAD", path);
  expect([head.status, head.text]).toEqual([status, ""]);
  expect(await service.place.raw.dump()).toEqual(before);
});

test("an answer of SAML waits for GET", async () => {
  const path = await beginByPost();
  await send("HEAD", path);
  expect((await send("GET", path)).text).toContain("SAMLResponse");
  expect((await send("GET", path)).status).toBe(400);
});
