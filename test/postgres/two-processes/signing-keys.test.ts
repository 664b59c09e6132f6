import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { decodeProtectedHeader } from "jose";
import { OidcAuthMethodType, OidcTokenType } from "../../../gen/gatehouse/v1/oidc_pb.ts";
import { SigningKeyService } from "../../../gen/gatehouse/v1/signing_key_service_pb.ts";
import {
  createLoginPlace,
  createOidcApplication,
  createPerson,
  type TestApplication,
  type TestPerson,
} from "../../sites/oidc/support/login-place.ts";
import { logIn, openUserAgent, toAuthorizationUrl } from "../../sites/oidc/support/user-agent.ts";
import { canaries } from "../../support/canaries.ts";
import { createHttpClient, type HttpClient } from "../../support/http-client.ts";
import { type Pair, startPair } from "./support/pair.ts";

// What one process has done to the keys that sign tokens, the other one knows at its next request.

const issuer = "http://localhost:4715";
const redirectUri = "https://app.example/callback";
const afterLogout = "https://app.example/bye";

let pair: Pair;
let one: HttpClient;
let other: HttpClient;
let application: TestApplication;
let person: TestPerson;
beforeAll(async () => {
  pair = await startPair({ issuer });
  [one, other] = [createHttpClient(pair.one.url), createHttpClient(pair.other.url)];
  const place = await createLoginPlace(pair.one);
  person = await createPerson(pair.one, place.organizationId);
  application = await createOidcApplication(pair.one, place, {
    redirectUris: [redirectUri],
    postLogoutRedirectUris: [afterLogout],
    authMethodType: OidcAuthMethodType.POST,
    accessTokenType: OidcTokenType.JWT,
  });
});
beforeEach(async () => {
  // With the first one it learns of the commits before, and perhaps makes the first keys; from the second one on it trusts its memory.
  for (let times = 0; times < 2; times += 1) await publishedAt(other);
});
afterAll(async () => {
  one.close();
  other.close();
  await pair.close();
});

const revokeAll = () => pair.one.call(SigningKeyService.method.rotateSigningKeys, { revokeOld: true });

async function publishedAt(http: HttpClient): Promise<readonly string[]> {
  const { text } = await http.send({ method: "GET", path: "/oauth/v2/keys", headers: {} });
  return (JSON.parse(text) as { readonly keys: readonly { readonly kid: string }[] }).keys.map(
    ({ kid }) => kid,
  );
}

/** Logs in, and gets tokens, at the first process alone. */
async function getTokens() {
  const { clientId, secret = "" } = application;
  const agent = openUserAgent({ origin: issuer, send: (request) => one.send(request) });
  const start = toAuthorizationUrl(issuer, [
    ["client_id", clientId],
    ["response_type", "code"],
    ["redirect_uri", redirectUri],
    ["scope", "openid"],
  ]);
  const back = await logIn(agent, await agent.open(start), person);
  const form = {
    grant_type: "authorization_code",
    code: back.searchParams.get("code") ?? "",
    redirect_uri: redirectUri,
    client_id: clientId,
    client_secret: secret,
  };
  const answer = await one.send({
    method: "POST",
    path: "/oauth/v2/token",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams(form).toString(),
  });
  const tokens = JSON.parse(answer.text) as { readonly access_token: string; readonly id_token: string };
  canaries.add("access token", tokens.access_token);
  canaries.add("ID token", tokens.id_token);
  return { accessToken: tokens.access_token, idToken: tokens.id_token };
}

async function userinfoStatus(accessToken: string): Promise<number> {
  const headers = { authorization: `Bearer ${accessToken}` };
  return (await other.send({ method: "GET", path: "/oidc/v1/userinfo", headers })).status;
}

describe("when all keys were revoked at one process, the other one", () => {
  test("publishes the new ones, and none of those before", async () => {
    const before = await publishedAt(other);
    await revokeAll();
    const after = await publishedAt(other);
    expect(after).toEqual(await publishedAt(one));
    expect(after).toHaveLength(before.length);
    expect(before.filter((kid) => after.includes(kid))).toEqual([]);
  });

  test("tells nothing for a token of a key before", async () => {
    const { accessToken } = await getTokens();
    for (let times = 0; times < 2; times += 1) expect(await userinfoStatus(accessToken)).toBe(200);
    await revokeAll();
    expect(await userinfoStatus(accessToken)).toBe(401);
  });

  test("takes the first token of a new key", async () => {
    const before = await publishedAt(other);
    await revokeAll();
    const { accessToken } = await getTokens();
    expect(before).not.toContain(decodeProtectedHeader(accessToken).kid);
    expect(await userinfoStatus(accessToken)).toBe(200);
  });

  test("knows whom the first ID token of a new key logs out", async () => {
    await revokeAll();
    const { idToken } = await getTokens();
    const query = new URLSearchParams({ id_token_hint: idToken, post_logout_redirect_uri: afterLogout });
    const path = `/oidc/v1/end_session?${query.toString()}`;
    const { headers } = await other.send({ method: "GET", path, headers: { host: new URL(issuer).host } });
    expect(headers.get("location")).toBe(afterLogout);
  });
});
