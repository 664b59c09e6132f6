import { afterAll, describe, expect, test } from "@jest/globals";
import { decodeJwt } from "jose";
import { OidcAppType, OidcAuthMethodType } from "../../../gen/gatehouse/v1/oidc_pb.ts";
import { startService } from "../../support/service.ts";
import { createHumanUser, createWorld } from "../../support/world.ts";
import { createApplication } from "./support/application.ts";
import {
  authorize,
  browse,
  credentialsOf,
  getCode,
  getTokens,
  redemption,
  refresh,
  signIn,
  type TestBrowser,
} from "./support/signed-in.ts";
import { askForTokens, issuerOf, postForm } from "./support/machine.ts";

const dayMs = 86_400_000;

const service = await startService();
const world = await createWorld(service);
const application = await createApplication(service, world);
let browser: TestBrowser = await signIn(service, await createHumanUser(service, world.organizationId));
afterAll(() => service.stop());

const redeem = (code: string, more?: Readonly<Record<string, string | undefined>>) =>
  askForTokens(service, redemption(application, code, more));
const code = (parameters?: Readonly<Record<string, string | undefined>>) =>
  getCode(service, application, { browser, parameters: { scope: "openid offline_access", ...parameters } });
const userinfo = (token: string) =>
  service.http.send({
    method: "GET",
    path: "/oidc/v1/userinfo",
    headers: { authorization: `Bearer ${token}` },
  });

describe("a login in a browser with a session", () => {
  test("sends a code back, with state and issuer (RFC 6749 §4.1.2, RFC 9207 §2)", async () => {
    const { status, location, back, headers } = await authorize(service, application, { browser });
    expect(status).toBe(303);
    expect(location.startsWith(`${application.redirectUri}&`)).toBe(true);
    expect(back).toEqual({
      from: "gatehouse",
      code: expect.stringMatching(/^[\w-]{43}$/),
      state: "the state of a request",
      iss: issuerOf(service),
    });
    expect(headers.get("cache-control")).toBe("no-store");
    expect(headers.get("referrer-policy")).toBe("no-referrer");
    expect(headers.get("access-control-allow-origin")).toBeNull();
  });

  test("gives tokens for the code, which tell of the login (OpenID Connect Core §2)", async () => {
    const { json, accessToken, idToken } = await getTokens(service, application, { browser });
    expect(json).toMatchObject({ token_type: "Bearer", expires_in: 3600, scope: "openid offline_access" });
    const claims = decodeJwt(idToken);
    expect(claims).toEqual({
      iss: issuerOf(service),
      sub: browser.userId,
      aud: application.clientId,
      azp: application.clientId,
      sid: browser.sessionId,
      nonce: "the nonce of a request",
      amr: ["pwd"],
      acr: "urn:gatehouse:acr:1fa",
      auth_time: expect.any(Number),
      at_hash: expect.any(String),
      iat: Math.floor(service.clock.nowMs() / 1000),
      exp: Math.floor(service.clock.nowMs() / 1000) + 3600,
    });
    const { status, text } = await userinfo(accessToken);
    expect([status, JSON.parse(text)]).toEqual([200, { sub: browser.userId }]);
  });
});

describe("a code", () => {
  test("is refused with another verifier, redirect URI or client, and still good for the right ones", async () => {
    const other = await createApplication(service, world);
    const sent = await code();
    for (const more of [
      { code_verifier: "x".repeat(43) },
      { code_verifier: undefined },
      { redirect_uri: undefined },
      { redirect_uri: `${application.redirectUri}x` },
      { client_id: other.clientId, client_secret: other.secret },
    ])
      expect(await redeem(sent, more)).toMatchObject({ status: 400, error: "invalid_grant" });
    expect(await redeem(sent, { client_secret: "wrong" })).toMatchObject({
      status: 401,
      error: "invalid_client",
    });
    expect(await redeem(sent)).toMatchObject({ status: 200 });
  });

  test("that was asked for without PKCE is not redeemed with a verifier (RFC 9700 §4.8.2)", async () => {
    const sent = await code({ code_challenge: undefined, code_challenge_method: undefined });
    expect(await redeem(sent)).toMatchObject({ error: "invalid_grant" });
    expect(await redeem(sent, { code_verifier: undefined })).toMatchObject({ status: 200 });
  });

  test("is refused after a minute, altered or empty", async () => {
    const sent = await code();
    expect(await redeem(`${sent.slice(0, -1)}!`)).toMatchObject({ error: "invalid_grant" });
    expect(await redeem("")).toMatchObject({ error: "invalid_request" });
    service.clock.turn(60_000);
    expect(await redeem(sent)).toMatchObject({ error: "invalid_grant" });
  });

  test("is worth nothing once its session is over by its time; what was given before goes on", async () => {
    const own = await signIn(service, browser.userId);
    const codeNow = () => getCode(service, application, { browser: own });
    for (const minutes of [11 * 60, 11 * 60, 119]) {
      service.clock.turn(minutes * 60_000);
      await codeNow(); // or the session would rest too long
    }
    service.clock.turn(30_000); // it lasts for a day
    const { json } = await redeem(await codeNow());
    const late = await codeNow();
    service.clock.turn(30_000);
    expect(await redeem(late)).toMatchObject({ status: 400, error: "invalid_grant" });
    expect((await userinfo(String(json["access_token"]))).status).toBe(200);
    browser = await signIn(service, browser.userId);
  });

  test("that is used twice ends what it gave (RFC 6749 §4.1.2)", async () => {
    const tokens = await getTokens(service, application, { browser });
    expect((await userinfo(tokens.accessToken)).status).toBe(200);
    expect(await redeem(tokens.code)).toMatchObject({ status: 400, error: "invalid_grant" });
    expect((await userinfo(tokens.accessToken)).status).toBe(401);
    expect(await refresh(service, application, tokens.refreshToken)).toMatchObject({
      error: "invalid_grant",
    });
  });
});

describe("a code of a public client that was used, found by somebody", () => {
  test("ends nothing without the verifier, redirect URI and client (RFC 9700 §4.5)", async () => {
    const own = await createApplication(service, world, {
      appType: OidcAppType.USER_AGENT,
      authMethodType: OidcAuthMethodType.NONE,
    });
    const tokens = await getTokens(service, own, { browser });
    const repeat = (more: Readonly<Record<string, string | undefined>>) =>
      askForTokens(service, redemption(own, tokens.code, more));
    for (const more of [
      { code_verifier: undefined },
      { code_verifier: "x".repeat(43) },
      { redirect_uri: undefined },
      { redirect_uri: `${own.redirectUri}x` },
      { client_id: application.clientId, client_secret: application.secret },
    ])
      expect(await repeat(more)).toMatchObject({ status: 400, error: "invalid_grant" });
    expect((await userinfo(tokens.accessToken)).status).toBe(200);
    expect(await repeat({})).toMatchObject({ status: 400, error: "invalid_grant" });
    expect((await userinfo(tokens.accessToken)).status).toBe(401);
  });
});

describe("a refresh token (RFC 6749 §6, RFC 9700 §4.14.2)", () => {
  test("is replaced each time, and the repeat of a moment ago gets the same one", async () => {
    const { refreshToken, idToken } = await getTokens(service, application, { browser });
    const first = await refresh(service, application, refreshToken);
    expect(first).toMatchObject({ status: 200, json: { scope: "openid offline_access" } });
    expect(first.json["refresh_token"]).not.toBe(refreshToken);
    const claims = decodeJwt(String(first.json["id_token"]));
    expect(claims).not.toHaveProperty("nonce");
    expect(claims["auth_time"]).toBe(decodeJwt(idToken)["auth_time"]);
    service.clock.turn(30_000);
    const again = await refresh(service, application, refreshToken);
    expect(again.json["refresh_token"]).toBe(first.json["refresh_token"]);
    expect(again.json["access_token"]).not.toBe(first.json["access_token"]);
  });

  test("ends the family when it is repeated later", async () => {
    const { refreshToken } = await getTokens(service, application, { browser });
    const { json } = await refresh(service, application, refreshToken);
    service.clock.turn(30_001);
    expect(await refresh(service, application, refreshToken)).toMatchObject({ error: "invalid_grant" });
    expect((await userinfo(String(json["access_token"]))).status).toBe(401);
    expect(await refresh(service, application, String(json["refresh_token"]))).toMatchObject({
      error: "invalid_grant",
    });
  });

  test("ends the family when it is repeated although the next one was used", async () => {
    const { refreshToken } = await getTokens(service, application, { browser });
    const second = await refresh(service, application, refreshToken);
    const third = await refresh(service, application, String(second.json["refresh_token"]));
    expect(third.status).toBe(200);
    expect(await refresh(service, application, refreshToken)).toMatchObject({ error: "invalid_grant" });
    expect(await refresh(service, application, String(third.json["refresh_token"]))).toMatchObject({
      error: "invalid_grant",
    });
  });

  test("ends the family when it is repeated after fourteen days, which is when it would have ended unused", async () => {
    const { refreshToken } = await getTokens(service, application, { browser });
    const stolen = await refresh(service, application, refreshToken);
    service.clock.turn(13 * dayMs);
    const next = await refresh(service, application, String(stolen.json["refresh_token"]));
    service.clock.turn(2 * dayMs);
    expect(await refresh(service, application, refreshToken)).toMatchObject({ error: "invalid_grant" });
    expect((await userinfo(String(next.json["access_token"]))).status).toBe(401);
    expect(await refresh(service, application, String(next.json["refresh_token"]))).toMatchObject({
      error: "invalid_grant",
    });
    browser = await signIn(service, browser.userId);
  });

  test("ends the family when it is repeated with a scope that it never had", async () => {
    const { refreshToken } = await getTokens(service, application, { browser });
    const next = String((await refresh(service, application, refreshToken)).json["refresh_token"]);
    expect(await refresh(service, application, refreshToken, { scope: "openid email" })).toMatchObject({
      error: "invalid_scope",
    });
    service.clock.turn(30_001);
    expect(await refresh(service, application, refreshToken, { scope: "openid email" })).toMatchObject({
      error: "invalid_grant",
    });
    expect(await refresh(service, application, next)).toMatchObject({ error: "invalid_grant" });
  });

  test("is for its client alone, and for its scopes", async () => {
    const other = await createApplication(service, world);
    const { refreshToken } = await getTokens(service, application, {
      browser,
      scope: "openid profile offline_access",
    });
    expect(await refresh(service, other, refreshToken)).toMatchObject({ error: "invalid_grant" });
    expect(await refresh(service, application, refreshToken, { scope: "openid email" })).toMatchObject({
      error: "invalid_scope",
    });
    const narrow = await refresh(service, application, refreshToken, { scope: "profile" });
    expect(narrow.json).toMatchObject({ scope: "profile" });
    expect(narrow.json).not.toHaveProperty("id_token");
    const wide = await refresh(service, application, String(narrow.json["refresh_token"]));
    expect(wide.json).toMatchObject({ scope: "openid profile offline_access" });
  });

  test("ends after fourteen days without use, and after ninety in all", async () => {
    const idle = await getTokens(service, application, { browser });
    let { refreshToken } = await getTokens(service, application, { browser });
    for (let days = 0; days < 78; days += 13) {
      service.clock.turn(13 * dayMs);
      const { status, json } = await refresh(service, application, refreshToken);
      expect(status).toBe(200);
      refreshToken = String(json["refresh_token"]);
      if (days === 0) continue;
      expect(await refresh(service, application, idle.refreshToken)).toMatchObject({
        error: "invalid_grant",
      });
    }
    service.clock.turn(12 * dayMs);
    expect(await refresh(service, application, refreshToken)).toMatchObject({ error: "invalid_grant" });
    browser = await signIn(service, browser.userId);
  });

  test("comes only with offline_access", async () => {
    const { json } = await getTokens(service, application, { browser, scope: "openid" });
    expect(json).not.toHaveProperty("refresh_token");
  });
});

describe("revocation (RFC 7009)", () => {
  const revoke = (token: string, by = application) =>
    postForm(service, "/oauth/v2/revoke", { token, ...credentialsOf(by) });

  test("of a refresh token takes all along that came of the same code", async () => {
    const { accessToken, refreshToken } = await getTokens(service, application, { browser });
    expect((await revoke(refreshToken, await createApplication(service, world))).status).toBe(400);
    expect((await userinfo(accessToken)).status).toBe(200);
    expect((await revoke(refreshToken)).status).toBe(200);
    expect((await userinfo(accessToken)).status).toBe(401);
    expect(await refresh(service, application, refreshToken)).toMatchObject({ error: "invalid_grant" });
    expect((await revoke(refreshToken)).status).toBe(200);
  });

  test("of an access token leaves the refresh token", async () => {
    const { accessToken, refreshToken } = await getTokens(service, application, { browser });
    expect((await revoke(accessToken)).status).toBe(200);
    expect((await userinfo(accessToken)).status).toBe(401);
    expect((await refresh(service, application, refreshToken)).status).toBe(200);
  });
});

describe("userinfo (OpenID Connect Core §5.3, RFC 6750 §3)", () => {
  test("says how to authenticate, and what is wrong with a token", async () => {
    const missing = await browse(service, "/oidc/v1/userinfo");
    expect(missing.status).toBe(401);
    expect(missing.headers.get("www-authenticate")).toMatch(/^Bearer realm="gatehouse", DPoP /);
    const wrong = await userinfo("wrong");
    expect(wrong.status).toBe(401);
    expect(wrong.headers.get("www-authenticate")).toContain('error="invalid_token"');
    expect(JSON.parse(wrong.text)).toMatchObject({ error: "invalid_token" });
    const { refreshToken } = await getTokens(service, application, { browser });
    const narrow = await refresh(service, application, refreshToken, { scope: "offline_access" });
    const scope = await userinfo(String(narrow.json["access_token"]));
    expect(scope.status).toBe(403);
    expect(scope.headers.get("www-authenticate")).toContain('error="insufficient_scope"');
  });

  test("takes the token in the form of a POST, never in two places or in a query (RFC 6750 §2.2, §2.3)", async () => {
    const { accessToken } = await getTokens(service, application, { browser });
    const path = "/oidc/v1/userinfo";
    const posted = await postForm(service, path, { access_token: accessToken });
    expect([posted.status, JSON.parse(posted.text)]).toEqual([
      200,
      JSON.parse((await userinfo(accessToken)).text),
    ]);
    const bearer = { authorization: `Bearer ${accessToken}` };
    expect((await postForm(service, path, { other: "x" }, bearer)).status).toBe(200);
    const twice = await postForm(service, path, { access_token: accessToken }, bearer);
    expect([twice.status, twice.headers.get("www-authenticate")]).toEqual([
      400,
      expect.stringContaining('error="invalid_request"'),
    ]);
    const repeated = await postForm(service, path, `access_token=${accessToken}&access_token=${accessToken}`);
    expect(repeated.status).toBe(400);
    expect((await postForm(service, path, { access_token: "wrong" })).status).toBe(401);
    expect((await postForm(service, `${path}?access_token=${accessToken}`, {})).status).toBe(401);
  });

  test("answers POST and HEAD, and pages of any origin", async () => {
    const { accessToken } = await getTokens(service, application, { browser });
    const headers = { authorization: `Bearer ${accessToken}`, origin: "https://spa.example" };
    for (const method of ["POST", "HEAD"]) {
      const answer = await service.http.send({ method, path: "/oidc/v1/userinfo", headers });
      expect(answer.status).toBe(200);
      expect(answer.headers.get("access-control-allow-origin")).toBe("*");
      expect(answer.headers.get("cache-control")).toBe("no-store");
    }
    const put = await service.http.send({ method: "PUT", path: "/oidc/v1/userinfo", headers });
    expect([put.status, put.headers.get("allow")]).toEqual([405, "GET, HEAD, POST"]);
  });
});
