import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { OidcAuthMethodType, OidcGrantType } from "../../../gen/gatehouse/v1/oidc_pb.ts";
import {
  createLoginPlace,
  createOidcApplication,
  createPerson,
} from "../../sites/oidc/support/login-place.ts";
import { logIn, openUserAgent, toAuthorizationUrl } from "../../sites/oidc/support/user-agent.ts";
import { canaries } from "../../support/canaries.ts";
import { createHttpClient } from "../../support/http-client.ts";
import { type Pair, startPair } from "./support/pair.ts";

const issuer = "http://localhost:4716";
const redirectUri = "https://app.example/callback";

let pair: Pair;
beforeAll(async () => {
  pair = await startPair({ issuer });
});
afterAll(() => pair.close());

/** Whenever it is raised, all processes forget what they remember of tokens and roles. */
const accessVersion = async () => (await pair.peek("SELECT access_version FROM log_position"))[0];

test("neither a login nor a refresh makes other processes forget tokens and roles", async () => {
  const place = await createLoginPlace(pair.one);
  const person = await createPerson(pair.one, place.organizationId);
  const { clientId, secret = "" } = await createOidcApplication(pair.one, place, {
    redirectUris: [redirectUri],
    authMethodType: OidcAuthMethodType.POST,
    grantTypes: [OidcGrantType.AUTHORIZATION_CODE, OidcGrantType.REFRESH_TOKEN],
  });
  const http = createHttpClient(pair.one.url);
  const askForTokens = async (form: Readonly<Record<string, string>>) => {
    const answer = await http.send({
      method: "POST",
      path: "/oauth/v2/token",
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: new URLSearchParams({ client_id: clientId, client_secret: secret, ...form }).toString(),
    });
    const tokens = JSON.parse(answer.text) as Readonly<Record<string, string>>;
    for (const name of ["access_token", "id_token", "refresh_token"]) canaries.add(name, tokens[name] ?? "");
    return tokens;
  };
  const scope = "openid offline_access";
  const begin = async () => {
    const agent = openUserAgent({ origin: issuer, send: (request) => http.send(request) });
    const start = toAuthorizationUrl(issuer, [
      ["client_id", clientId],
      ["response_type", "code"],
      ["redirect_uri", redirectUri],
      ["scope", scope],
    ]);
    const back = await logIn(agent, await agent.open(start), person);
    const code = back.searchParams.get("code") ?? "";
    return await askForTokens({ grant_type: "authorization_code", code, redirect_uri: redirectUri });
  };
  await begin(); // it has made the keys that sign
  const before = await accessVersion();
  const tokens = await begin();
  const { refresh_token: token = "" } = tokens;
  expect(await askForTokens({ grant_type: "refresh_token", refresh_token: token })).toMatchObject({ scope });
  expect(await accessVersion()).toEqual(before);
  http.close();
});
