import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { createHash } from "node:crypto";
import { OidcAuthMethodType, OidcGrantType } from "../../../gen/gatehouse/v1/oidc_pb.ts";
import {
  createLoginPlace,
  createOidcApplication,
  createPerson,
  type TestApplication,
  type TestPerson,
} from "../../sites/oidc/support/login-place.ts";
import {
  logIn,
  openUserAgent,
  toAuthorizationUrl,
  type UserAgent,
} from "../../sites/oidc/support/user-agent.ts";
import { canaries } from "../../support/canaries.ts";
import { createHttpClient, type HttpClient } from "../../support/http-client.ts";
import { type Pair, startPair } from "./support/pair.ts";

// Somebody logs in at one process, the application redeems the code and refreshes at the other, and both count each use once.

const issuer = "http://localhost:4711";
const redirectUri = "https://app.example/callback";
const verifier = "a-verifier-of-two-processes-that-is-long-enough-0123456789";
const rounds = 5;

let pair: Pair;
let one: HttpClient;
let other: HttpClient;
let application: TestApplication;
let person: TestPerson;
/** Logs in at one process. */
let agent: UserAgent;

beforeAll(async () => {
  pair = await startPair({ issuer });
  [one, other] = [createHttpClient(pair.one.url), createHttpClient(pair.other.url)];
  const place = await createLoginPlace(pair.one);
  person = await createPerson(pair.one, place.organizationId);
  application = await createOidcApplication(pair.one, place, {
    redirectUris: [redirectUri],
    grantTypes: [OidcGrantType.AUTHORIZATION_CODE, OidcGrantType.REFRESH_TOKEN],
    authMethodType: OidcAuthMethodType.POST,
  });
  agent = openUserAgent({ origin: issuer, send: (request) => one.send(request) });
});
afterAll(async () => {
  one.close();
  other.close();
  await pair.close();
});

async function getCode(): Promise<string> {
  const url = toAuthorizationUrl(
    issuer,
    Object.entries({
      client_id: application.clientId,
      response_type: "code",
      redirect_uri: redirectUri,
      scope: "openid offline_access",
      code_challenge: createHash("sha256").update(verifier).digest("base64url"),
      code_challenge_method: "S256",
    }),
  );
  const code = (await logIn(agent, await agent.open(url), person)).searchParams.get("code") ?? "";
  canaries.add("code", code);
  return code;
}

async function post(http: HttpClient, path: string, form: Readonly<Record<string, string>>) {
  const { clientId, secret = "" } = application;
  const { text } = await http.send({
    method: "POST",
    path,
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams({ client_id: clientId, client_secret: secret, ...form }).toString(),
  });
  const answer = JSON.parse(text) as Readonly<Record<string, string | boolean>>;
  for (const name of ["access_token", "refresh_token", "id_token"])
    canaries.add(name, String(answer[name] ?? ""));
  return answer;
}

const redeem = (http: HttpClient, code: string) =>
  post(http, "/oauth/v2/token", {
    grant_type: "authorization_code",
    code,
    redirect_uri: redirectUri,
    code_verifier: verifier,
  });
const refresh = (http: HttpClient, token: unknown) =>
  post(http, "/oauth/v2/token", { grant_type: "refresh_token", refresh_token: String(token) });
/** Says at both processes whether a token holds. */
const areActive = async (token: unknown) => {
  const told = [one, other].map((http) => post(http, "/oauth/v2/introspect", { token: String(token) }));
  return (await Promise.all(told)).map(({ active }) => active);
};
/** Sends a request to both, four times each, at once. */
const atBoth = <T>(send: (http: HttpClient) => Promise<T>): Promise<readonly T[]> =>
  Promise.all([one, other, one, other, one, other, one, other].map(send));

const invalid = { error: "invalid_grant" };

describe("a code that one process has given", () => {
  test("is redeemed at the other, once, and its repeat at the first ends what it gave at both", async () => {
    const code = await getCode();
    const given = await redeem(other, code);
    expect(given).toMatchObject({ scope: "openid offline_access" });
    expect(await areActive(given["access_token"])).toEqual([true, true]);
    expect(await redeem(one, code)).toMatchObject(invalid);
    expect(await areActive(given["access_token"])).toEqual([false, false]);
    for (const http of [one, other])
      expect(await refresh(http, given["refresh_token"])).toMatchObject(invalid);
  });

  test("gets one answer when it is sent to both, four times each, at once", async () => {
    for (let round = 0; round < rounds; round++) {
      const code = await getCode();
      const answers = await atBoth((http) => redeem(http, code));
      const good = answers.filter((answer) => answer["access_token"] !== undefined);
      expect(good).toHaveLength(1);
      expect(answers.filter(({ error }) => error === "invalid_grant")).toHaveLength(7);
      expect(await areActive(good[0]?.["access_token"])).toEqual([false, false]);
    }
  });
});

describe("a refresh token that one process has given", () => {
  test("is used at the other, and its reuse at the first ends the family at both", async () => {
    const first = await redeem(one, await getCode());
    const second = await refresh(other, first["refresh_token"]);
    const third = await refresh(one, second["refresh_token"]);
    expect(await areActive(third["access_token"])).toEqual([true, true]);
    expect(await refresh(one, first["refresh_token"])).toMatchObject(invalid);
    expect(await areActive(third["access_token"])).toEqual([false, false]);
    for (const http of [one, other])
      expect(await refresh(http, third["refresh_token"])).toMatchObject(invalid);
  });

  test("makes one successor when it is sent to both, four times each, at once", async () => {
    let { refresh_token: token } = await redeem(one, await getCode());
    for (let round = 0; round < rounds; round++) {
      const answers = await atBoth((http) => refresh(http, token));
      const successors = new Set(answers.map((answer) => answer["refresh_token"]));
      expect([...successors]).toEqual([expect.stringMatching(/^gatehouse_rt_/)]);
      expect(successors.has(token)).toBe(false);
      [token] = successors;
    }
  });
});
