// A relying party that others have written logs people in: over HTTP/1.1, HTTP/2, and behind a proxy that ends TLS.
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import * as client from "openid-client";
import { ApiAuthMethodType } from "../../../../gen/gatehouse/v1/application_pb.ts";
import { ApplicationService } from "../../../../gen/gatehouse/v1/application_service_pb.ts";
import {
  OidcAppType,
  OidcAuthMethodType,
  OidcGrantType,
  OidcTokenType,
} from "../../../../gen/gatehouse/v1/oidc_pb.ts";
import { SigningAlgorithm } from "../../../../gen/gatehouse/v1/signing_key_pb.ts";
import { canaries } from "../../../support/canaries.ts";
import { startService, type TestService } from "../../../support/service.ts";
import { createCaller, createProject, idOf, uniqueName } from "../../../support/world.ts";
import {
  addApplicationKey,
  createLoginPlace,
  createOidcApplication,
  createPerson,
  type TestApplication,
  type TestPerson,
} from "../support/login-place.ts";
import { keyPairs } from "../support/machine.ts";
import { endLogin, logIn, openUserAgent, type UserAgent, type Visited } from "../support/user-agent.ts";
import { openHttp1Way, openHttp2Way, openTlsWay, startTlsProxy, toFetch, type Way } from "../support/ways.ts";

const redirectUri = "https://app.example/callback";
const goodbyeUri = "https://app.example/goodbye";
const scope = "openid profile email offline_access";

/** A service, a way to it, and somebody with a browser. */
interface Scene {
  readonly service: TestService;
  readonly issuer: string;
  readonly way: Way;
  readonly organizationId: string;
  readonly projectId: string;
  readonly person: TestPerson;
  readonly agent: UserAgent;
}

async function createScene(service: TestService, issuer: string, way: Way): Promise<Scene> {
  const place = await createLoginPlace(service);
  const person = await createPerson(service, place.organizationId);
  const agent = openUserAgent({ origin: issuer, send: (request) => way.send(request) });
  return { service, issuer, way, ...place, person, agent };
}

const base = {
  redirectUris: [redirectUri],
  postLogoutRedirectUris: [goodbyeUri],
  grantTypes: [OidcGrantType.AUTHORIZATION_CODE, OidcGrantType.REFRESH_TOKEN],
};

async function connect(
  { issuer, way }: Scene,
  clientId: string,
  how: client.ClientAuth,
): Promise<client.Configuration> {
  const configuration = await client.discovery(new URL(issuer), clientId, undefined, how, {
    [client.customFetch]: toFetch(way),
    execute: issuer.startsWith("https:") ? [] : [client.allowInsecureRequests],
  });
  client.enableNonRepudiationChecks(configuration);
  return configuration;
}

/** Logs in as the application wants it, and returns what it got. `hasPkce`: with a challenge, as all should. */
async function logInTo(scene: Scene, configuration: client.Configuration, hasPkce = true) {
  const pkceCodeVerifier = client.randomPKCECodeVerifier();
  const state = client.randomState();
  const nonce = client.randomNonce();
  for (const [name, secret] of Object.entries({ pkceCodeVerifier, state, nonce })) canaries.add(name, secret);
  const url = client.buildAuthorizationUrl(configuration, {
    redirect_uri: redirectUri,
    scope,
    state,
    nonce,
    ...(hasPkce
      ? {
          code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
          code_challenge_method: "S256",
        }
      : {}),
  });
  const back = await logIn(scene.agent, await scene.agent.open(url.href), scene.person);
  canaries.add("code", back.searchParams.get("code") ?? "");
  const tokens = await client.authorizationCodeGrant(configuration, back, {
    expectedState: state,
    expectedNonce: nonce,
    ...(hasPkce ? { pkceCodeVerifier } : {}),
    idTokenExpected: true,
  });
  for (const name of ["access_token", "refresh_token", "id_token"] as const)
    canaries.add(name, tokens[name] ?? "");
  return tokens;
}

/** What an application is called with: the URL, or the form that a browser posts to it. */
function toAnswer({ url, posted }: Visited): URL | Request {
  if (posted === undefined) return url;
  canaries.add("code", posted.find(([name]) => name === "code")?.[1] ?? "");
  const body = new URLSearchParams(posted.map((field) => [...field]));
  return new Request(url, { method: "POST", body });
}

async function privateKeyJwt(
  keyId: string,
  algorithm: "RS256" | "ES256" | "EdDSA",
  { clock }: Pick<TestService, "clock"> = service,
): Promise<client.ClientAuth> {
  const pkcs8 = keyPairs[algorithm].privateKey.export({ format: "der", type: "pkcs8" });
  const parameters = {
    RS256: { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" },
    ES256: { name: "ECDSA", namedCurve: "P-256" },
    EdDSA: { name: "Ed25519" },
  }[algorithm];
  const key = await crypto.subtle.importKey("pkcs8", new Uint8Array(pkcs8), parameters, false, ["sign"]);
  return client.PrivateKeyJwt(
    { key, kid: keyId },
    {
      // The clock of the service stands still, however long the test takes.
      [client.modifyAssertion]: (_header, claims) => {
        const seconds = Math.floor(clock.nowMs() / 1000);
        Object.assign(claims, { iat: seconds, nbf: seconds, exp: seconds + 60 });
      },
    },
  );
}

/** Everything that an application does with somebody who logs in, uses it for a while and logs out. */
async function liveThrough(
  scene: Scene,
  application: TestApplication,
  how: client.ClientAuth,
  hasPkce = true,
) {
  const configuration = await connect(scene, application.clientId, how);
  const tokens = await logInTo(scene, configuration, hasPkce);
  const subject = tokens.claims()?.sub ?? "";
  expect(subject).toBe(scene.person.userId);
  expect(await client.fetchUserInfo(configuration, tokens.access_token, subject)).toMatchObject({
    sub: subject,
    preferred_username: scene.person.username,
    name: "Grace Hopper",
    email: "grace@example.com",
    email_verified: false,
  });
  const refreshed = await client.refreshTokenGrant(configuration, tokens.refresh_token ?? "");
  for (const name of ["access_token", "refresh_token"] as const) canaries.add(name, refreshed[name] ?? "");
  expect(refreshed.refresh_token).not.toBe(tokens.refresh_token);
  return { configuration, tokens, refreshed, subject };
}

/** Asks about the tokens, ends them, and logs out of the browser, which has no session then. */
async function expectGoodbye(
  { agent, person }: Scene,
  { clientId }: TestApplication,
  { configuration, tokens, refreshed }: Awaited<ReturnType<typeof liveThrough>>,
): Promise<void> {
  expect(await client.tokenIntrospection(configuration, refreshed.access_token)).toMatchObject({
    active: true,
    sub: person.userId,
    username: person.username,
    client_id: clientId,
    scope,
  });
  const last = refreshed.refresh_token ?? "";
  await client.tokenRevocation(configuration, last);
  for (const token of [tokens.access_token, refreshed.access_token, last])
    expect(await client.tokenIntrospection(configuration, token)).toEqual({ active: false });
  await expect(client.refreshTokenGrant(configuration, last)).rejects.toMatchObject({
    error: "invalid_grant",
  });
  const goodbye = client.buildEndSessionUrl(configuration, {
    id_token_hint: tokens.id_token ?? "",
    post_logout_redirect_uri: goodbyeUri,
    state: "farewell",
  });
  const { url, page } = await agent.open(goodbye.href);
  expect({ url: url.href, page }).toEqual({ url: `${goodbyeUri}?state=farewell`, page: undefined });
  const silent = { redirect_uri: redirectUri, scope, prompt: "none" };
  const { url: back } = await agent.open(client.buildAuthorizationUrl(configuration, silent).href);
  expect(back.searchParams.get("error")).toBe("login_required");
}

const ways = [
  ["over HTTP/1.1", openHttp1Way],
  ["over HTTP/2", openHttp2Way],
] as const;

const service = await startService();
const plain = await createScene(service, `http://localhost:${service.port}`, openHttp1Way(service.url));
afterAll(async () => {
  await plain.way.close();
  await service.stop();
});

describe.each(ways)("openid-client %s", (_name, open) => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await createScene(service, `http://localhost:${service.port}`, open(service.url));
  });
  afterAll(() => scene.way.close());

  test("logs in with a secret and PKCE, refreshes, introspects, revokes and logs out", async () => {
    const application = await createOidcApplication(service, scene, base);
    const how = client.ClientSecretBasic(application.secret);
    await expectGoodbye(scene, application, await liveThrough(scene, application, how));
  });

  test("logs in with a secret in the form and without PKCE", async () => {
    const settings = { ...base, authMethodType: OidcAuthMethodType.POST };
    const application = await createOidcApplication(service, scene, settings);
    const { refreshed } = await liveThrough(
      scene,
      application,
      client.ClientSecretPost(application.secret),
      false,
    );
    expect(refreshed.scope).toBe(scope);
  });

  test("logs in without a secret, from a single-page application", async () => {
    const settings = { ...base, appType: OidcAppType.USER_AGENT };
    const application = await createOidcApplication(service, scene, settings);
    expect(application.secret).toBeUndefined();
    const { configuration, refreshed } = await liveThrough(scene, application, client.None());
    await client.tokenRevocation(configuration, refreshed.access_token);
    await expect(
      client.fetchUserInfo(configuration, refreshed.access_token, scene.person.userId),
    ).rejects.toMatchObject({ status: 401 });
  });
});

describe("openid-client", () => {
  test.each([
    ["pushes a request, and gets its answer in the query", "query"],
    ["pushes a request, and gets its answer in a form", "form_post"],
  ] as const)("%s", async (_name, mode) => {
    const application = await createOidcApplication(service, plain, base);
    const how = client.ClientSecretBasic(application.secret);
    const configuration = await connect(plain, application.clientId, how);
    const [verifier, state] = [client.randomPKCECodeVerifier(), client.randomState()];
    for (const [name, secret] of Object.entries({ verifier, state })) canaries.add(name, secret);
    const url = await client.buildAuthorizationUrlWithPAR(configuration, {
      redirect_uri: redirectUri,
      scope,
      state,
      response_mode: mode,
      code_challenge: await client.calculatePKCECodeChallenge(verifier),
      code_challenge_method: "S256",
    });
    expect([...url.searchParams.keys()].toSorted()).toEqual(["client_id", "request_uri"]);
    canaries.add("request_uri", url.searchParams.get("request_uri") ?? "");
    const back = await endLogin(plain.agent, await plain.agent.open(url.href), plain.person);
    const tokens = await client.authorizationCodeGrant(configuration, toAnswer(back), {
      expectedState: state,
      pkceCodeVerifier: verifier,
      idTokenExpected: true,
    });
    for (const name of ["access_token", "refresh_token", "id_token"] as const)
      canaries.add(name, tokens[name] ?? "");
    expect([tokens.claims()?.sub, tokens.scope]).toEqual([plain.person.userId, scope]);
    expect(back.posted === undefined ? "query" : "form_post").toBe(mode);
  });

  test("learns what is wrong with a request when it pushes it", async () => {
    const application = await createOidcApplication(service, plain, base);
    const how = client.ClientSecretBasic(application.secret);
    const configuration = await connect(plain, application.clientId, how);
    const wrong = { redirect_uri: "https://app.example/other", scope };
    await expect(client.buildAuthorizationUrlWithPAR(configuration, wrong)).rejects.toMatchObject({
      status: 400,
      error: "invalid_request",
    });
  });
});

describe("openid-client with a key", () => {
  test.each([
    ["RS256", SigningAlgorithm.RS256],
    ["ES256", SigningAlgorithm.ES256],
    ["EdDSA", SigningAlgorithm.EDDSA],
  ] as const)("of %s logs in, and takes JWTs that are signed so", async (algorithm, signingAlgorithm) => {
    const application = await createOidcApplication(service, plain, {
      ...base,
      authMethodType: OidcAuthMethodType.PRIVATE_KEY_JWT,
      accessTokenType: OidcTokenType.JWT,
      signingAlgorithm,
    });
    const keyId = await addApplicationKey(service, application, algorithm);
    const how = await privateKeyJwt(keyId, algorithm);
    const { configuration, tokens } = await liveThrough(plain, application, how);
    const [header = ""] = tokens.access_token.split(".");
    expect(JSON.parse(Buffer.from(header, "base64url").toString())).toMatchObject({
      typ: "at+jwt",
      alg: algorithm,
    });
    expect(await client.tokenIntrospection(configuration, tokens.access_token)).toMatchObject({
      active: true,
    });
  });

  test("introspects for an API the tokens of its project, and no others", async () => {
    const made = await createCaller(service, plain.organizationId)(
      ApplicationService.method.createApiApplication,
      {
        projectId: plain.projectId,
        name: uniqueName("API"),
        authMethodType: ApiAuthMethodType.BASIC,
      },
    );
    const api = await connect(
      plain,
      idOf(made, "clientId"),
      client.ClientSecretBasic(idOf(made, "clientSecret")),
    );
    const application = await createOidcApplication(service, plain, base);
    const own = await connect(plain, application.clientId, client.ClientSecretBasic(application.secret));
    const { access_token: token } = await logInTo(plain, own);
    expect(await client.tokenIntrospection(api, token)).toMatchObject({
      active: true,
      sub: plain.person.userId,
    });
    const elsewhere = { ...plain, projectId: await createProject(service, plain.organizationId) };
    const other = await createOidcApplication(service, elsewhere, base);
    const foreign = await connect(plain, other.clientId, client.ClientSecretBasic(other.secret));
    const { access_token: hidden } = await logInTo(plain, foreign);
    expect(await client.tokenIntrospection(api, hidden)).toEqual({ active: false });
    await expect(client.clientCredentialsGrant(api)).rejects.toMatchObject({ error: "unauthorized_client" });
  });
});

test("behind a proxy that ends TLS and names a wrong host, all is as the issuer says", async () => {
  const proxy = await startTlsProxy();
  const secure = await startService({ issuer: proxy.origin });
  try {
    proxy.forwardTo(secure.port);
    const scene = await createScene(secure, proxy.origin, openTlsWay(proxy.origin));
    const application = await createOidcApplication(secure, scene, base);
    const how = client.ClientSecretBasic(application.secret);
    const lived = await liveThrough(scene, application, how);
    expect(lived.tokens.claims()?.iss).toBe(proxy.origin);
    const names = [...scene.agent.cookies.keys()];
    expect(names).toContain("__Host-gh_session");
    expect(names.filter((name) => !name.startsWith("__Host-"))).toEqual([]);
    await expectGoodbye(scene, application, lived);
  } finally {
    await proxy.stop();
    await secure.stop();
  }
});
