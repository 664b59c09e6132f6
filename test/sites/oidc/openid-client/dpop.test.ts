// A relying party that others have written proves that its tokens are its own (RFC 9449).
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { decodeJwt } from "jose";
import * as client from "openid-client";
import { OidcAppType, OidcAuthMethodType, OidcTokenType } from "../../../../gen/gatehouse/v1/oidc_pb.ts";
import { canaries } from "../../../support/canaries.ts";
import { startService } from "../../../support/service.ts";
import { createHumanUser, createWorld } from "../../../support/world.ts";
import { createApplication, type TestApplication } from "../support/application.ts";
import { signIn } from "../support/signed-in.ts";
import { apiScope, createMachine, issuerOf } from "../support/machine.ts";
import { openHttp1Way, openHttp2Way, toFetch, type Way } from "../support/ways.ts";

const service = await startService();
const world = await createWorld(service);
const browser = await signIn(service, await createHumanUser(service, world.organizationId));
afterAll(() => service.stop());

const connect = async (way: Way, clientId: string, how: client.ClientAuth) =>
  await client.discovery(new URL(issuerOf(service)), clientId, undefined, how, {
    [client.customFetch]: toFetch(way),
    execute: [client.allowInsecureRequests],
  });

/** The clock of the service stands still, however long the test takes. */
const proveBy = async (configuration: client.Configuration, algorithm: string) => {
  const pair = await client.randomDPoPKeyPair(algorithm);
  const handle = client.getDPoPHandle(configuration, pair, {
    [client.modifyAssertion]: (_header, claims) => {
      Object.assign(claims, { iat: Math.floor(service.clock.nowMs() / 1000) });
    },
  });
  return { DPoP: handle, jkt: await handle.calculateThumbprint() };
};

const note = (tokens: object) => {
  for (const [name, value] of Object.entries(tokens))
    if (name.endsWith("_token")) canaries.add(name, String(value));
};

/** Asks for a code in a browser with a session, and redeems it with a proof of the key that the request names. */
async function logIn(
  way: Way,
  configuration: client.Configuration,
  { redirectUri }: TestApplication,
  { DPoP, jkt, isPushed }: Awaited<ReturnType<typeof proveBy>> & { readonly isPushed: boolean },
) {
  const pkceCodeVerifier = client.randomPKCECodeVerifier();
  const asked = {
    redirect_uri: redirectUri,
    scope: "openid offline_access",
    code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: "S256",
  };
  const url = isPushed
    ? await client.buildAuthorizationUrlWithPAR(configuration, asked, { DPoP })
    : client.buildAuthorizationUrl(configuration, { ...asked, dpop_jkt: jkt });
  canaries.add("request_uri", url.searchParams.get("request_uri") ?? "");
  const { cookie } = browser;
  const path = url.pathname + url.search;
  const { headers } = await way.send({ method: "GET", path, headers: { cookie, host: url.host } });
  const back = new URL(headers.get("location") ?? "");
  const tokens = await client.authorizationCodeGrant(configuration, back, { pkceCodeVerifier }, undefined, {
    DPoP,
  });
  note(tokens);
  return tokens;
}

describe.each([
  ["HTTP/1.1", openHttp1Way],
  ["HTTP/2", openHttp2Way],
] as const)("openid-client over %s", (_name, open) => {
  let way: Way;
  beforeAll(() => {
    way = open(service.url);
  });
  afterAll(() => way.close());

  test.each([
    ["ES256", "names", false],
    ["Ed25519", "pushes", true],
  ] as const)(
    "logs in, refreshes and reads userinfo with a key of %s, which it %s",
    async (algorithm, _how, isPushed) => {
      const application = await createApplication(service, world, {
        redirectUris: ["https://app.example/callback"],
        appType: OidcAppType.USER_AGENT,
        authMethodType: OidcAuthMethodType.NONE,
        accessTokenType: OidcTokenType.JWT,
      });
      const configuration = await connect(way, application.clientId, client.None());
      const proof = await proveBy(configuration, algorithm);
      const { DPoP, jkt } = proof;
      const tokens = await logIn(way, configuration, application, { ...proof, isPushed });
      expect(tokens.token_type).toBe("dpop");
      expect(decodeJwt(tokens.access_token)).toMatchObject({ cnf: { jkt } });
      const { userId } = browser;
      const asked = () => client.fetchUserInfo(configuration, tokens.access_token, userId, { DPoP });
      expect(await asked()).toEqual({ sub: userId });
      const refreshed = await client.refreshTokenGrant(
        configuration,
        tokens.refresh_token ?? "",
        {},
        { DPoP },
      );
      note(refreshed);
      expect(decodeJwt(refreshed.access_token)).toMatchObject({ cnf: { jkt } });
      const bare = client.refreshTokenGrant(configuration, refreshed.refresh_token ?? "");
      await expect(bare).rejects.toMatchObject({ error: "invalid_grant" });
    },
  );

  test("gets a token for our API by client_credentials, and calls it", async () => {
    const machine = await createMachine(service, world.organizationId);
    const configuration = await connect(way, machine.userId, client.ClientSecretBasic(machine.secret));
    const { DPoP } = await proveBy(configuration, "ES256");
    const tokens = await client.clientCredentialsGrant(configuration, { scope: apiScope }, { DPoP });
    note(tokens);
    expect(tokens.token_type).toBe("dpop");
    const url = new URL(`${issuerOf(service)}/v1/users/me?`);
    const call = (options: client.DPoPOptions) =>
      client.fetchProtectedResource(
        configuration,
        tokens.access_token,
        url,
        "GET",
        undefined,
        undefined,
        options,
      );
    const answer = await call({ DPoP });
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({ user: { id: machine.userId } });
    await expect(call({})).rejects.toMatchObject({ status: 401 });
  });
});
