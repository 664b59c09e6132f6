import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { afterAll, afterEach, describe, expect, test } from "@jest/globals";
import { decodeJwt } from "jose";
import { ApplicationService } from "../../../gen/gatehouse/v1/application_service_pb.ts";
import { OidcAuthMethodType, OidcTokenType } from "../../../gen/gatehouse/v1/oidc_pb.ts";
import { UserGrantService } from "../../../gen/gatehouse/v1/user_grant_service_pb.ts";
import type { SessionMethod } from "../../../src/identity/logins/sessions/session.ts";
import { startService } from "../../support/service.ts";
import { createCaller, createHumanUser, createProject, createWorld, idOf } from "../../support/world.ts";
import { createApplication } from "./support/application.ts";
import { credentialsOf, getTokens, refresh, signIn } from "./support/signed-in.ts";
import { bySecret, createMachine, getAccessToken, issuerOf, postForm } from "./support/machine.ts";

const service = await startService();
const world = await createWorld(service);
const roles = {
  accessTokenRoleAssertion: true,
  idTokenRoleAssertion: true,
  idTokenUserinfoAssertion: true,
};
const opaque = await createApplication(service, world);
const jwt = await createApplication(service, world, { accessTokenType: OidcTokenType.JWT, ...roles });
const browser = await signIn(service, await createHumanUser(service, world.organizationId), [
  "PASSWORD",
  "U2F",
]);
const given = await createCaller(service, world.organizationId)(UserGrantService.method.addUserGrant, {
  userId: browser.userId,
  projectId: world.projectId,
  roleKeys: ["reader"],
});
afterAll(() => service.stop());

type Form = Readonly<Record<string, string | undefined>>;

async function introspect(token: string, by: Form = credentialsOf(opaque)) {
  const { status, headers, text } = await postForm(service, "/oauth/v2/introspect", { token, ...by });
  return { status, headers, json: JSON.parse(text) as Readonly<Record<string, unknown>> };
}

const scope = "openid profile email groups offline_access urn:zitadel:iam:org:project:role:reader";

describe("introspection (RFC 7662)", () => {
  test("tells an application of its project what a token is worth, whatever its form", async () => {
    for (const application of [opaque, jwt]) {
      const { accessToken } = await getTokens(service, application, { browser, scope });
      const { status, headers, json } = await introspect(accessToken);
      expect([status, headers.get("cache-control"), headers.get("access-control-allow-origin")]).toEqual([
        200,
        "no-store",
        null,
      ]);
      expect(json).toMatchObject({
        active: true,
        token_type: "Bearer",
        iss: issuerOf(service),
        sub: browser.userId,
        aud: [application.clientId, world.projectId],
        client_id: application.clientId,
        scope,
        jti: expect.any(String),
        username: expect.stringMatching(/^human /),
        preferred_username: expect.stringMatching(/^human /),
        given_name: "Ada",
        email_verified: false,
        groups: ["reader"],
        [`urn:zitadel:iam:org:project:${world.projectId}:roles`]: { reader: expect.any(Object) },
      });
      expect(Number(json["exp"]) - Number(json["iat"])).toBe(3600);
      for (const name of ["nonce", "auth_time", "amr", "acr", "sid"]) expect(json).not.toHaveProperty(name);
    }
  });

  test("tells a client of its refresh token, as long as nobody has used it", async () => {
    const { refreshToken } = await getTokens(service, opaque, { browser, scope });
    const { json } = await introspect(refreshToken);
    expect(json).toMatchObject({ active: true, aud: opaque.clientId, scope, sub: browser.userId });
    expect(await introspect(refreshToken, credentialsOf(jwt))).toMatchObject({ json: { active: false } });
    await refresh(service, opaque, refreshToken);
    expect((await introspect(refreshToken)).json).toEqual({ active: false });
  });

  test("tells others nothing: of another project, a service user, or what is no token", async () => {
    const { accessToken, idToken } = await getTokens(service, opaque, { browser, scope });
    const projectId = await createProject(service, world.organizationId);
    const other = await createApplication(service, { ...world, projectId });
    const machine = await createMachine(service, world.organizationId);
    for (const by of [credentialsOf(other), { ...bySecret(machine), grant_type: undefined }])
      expect(await introspect(accessToken, by)).toMatchObject({ status: 200, json: { active: false } });
    expect((await introspect(await getAccessToken(service, machine))).json).toEqual({ active: false });
    for (const text of [idToken, "nothing", accessToken.slice(0, -1), `${accessToken}x`])
      expect((await introspect(text)).json).toEqual({ active: false });
  });

  test("of a JWT that was changed tells nothing", async () => {
    const { accessToken } = await getTokens(service, jwt, { browser });
    const [head = "", body = "", signature = ""] = accessToken.split(".");
    const forged = Buffer.from(JSON.stringify({ ...decodeJwt(accessToken), sub: "1" })).toString("base64url");
    const none = Buffer.from('{"alg":"none","typ":"at+jwt"}').toString("base64url");
    for (const text of [`${head}.${forged}.${signature}`, `${none}.${body}.`, `${none}.${body}.x`])
      expect((await introspect(text)).json).toEqual({ active: false });
    expect((await introspect(accessToken)).json["active"]).toBe(true);
    service.clock.turn(3_600_000);
    expect((await introspect(accessToken)).json).toEqual({ active: false });
  });

  test("needs a client that authenticates", async () => {
    const { accessToken } = await getTokens(service, opaque, { browser });
    const open = await createApplication(service, world, { authMethodType: OidcAuthMethodType.NONE });
    for (const by of [credentialsOf(open), {}, { client_id: opaque.clientId, client_secret: "wrong" }]) {
      const { status, headers, json } = await introspect(accessToken, by);
      expect([status, json["error"]]).toEqual([401, "invalid_client"]);
      expect(headers.get("www-authenticate")).toBe('Basic realm="gatehouse"');
    }
    const answer = await service.http.send({ method: "GET", path: "/oauth/v2/introspect", headers: {} });
    expect([answer.status, answer.headers.get("allow")]).toEqual([405, "POST"]);
  });
});

describe("a role that ends (G2)", () => {
  /** Gives the role from `startMs` until `endMs` from now. */
  async function limit(startMs?: number, endMs?: number) {
    const nowMs = service.clock.nowMs();
    await createCaller(service, world.organizationId)(UserGrantService.method.updateUserGrant, {
      userId: browser.userId,
      grantId: idOf(given, "userGrantId"),
      roleKeys: ["reader"],
      ...(startMs === undefined
        ? { removeStartDate: true }
        : { startDate: timestampFromMs(nowMs + startMs) }),
      ...(endMs === undefined ? { removeEndDate: true } : { endDate: timestampFromMs(nowMs + endMs) }),
    });
  }
  const groupsOf = async (token: string) => {
    const { text } = await postForm(service, "/oidc/v1/userinfo", { access_token: token });
    const { json } = await introspect(token);
    return [json["active"], json["groups"], (JSON.parse(text) as { readonly groups?: unknown }).groups];
  };
  afterEach(() => limit());

  test("is told by JWTs that end with it, and by none before it begins", async () => {
    await limit(0, 600_500);
    const end = Math.floor((service.clock.nowMs() + 600_500) / 1000);
    const { accessToken, idToken } = await getTokens(service, jwt, { browser, scope });
    for (const token of [accessToken, idToken])
      expect(decodeJwt(token)).toMatchObject({ groups: ["reader"], exp: end });
    await limit(1, 600_500);
    const early = await getTokens(service, jwt, { browser, scope });
    for (const token of [early.accessToken, early.idToken])
      expect(decodeJwt(token)).toMatchObject({ groups: [], exp: expect.any(Number) });
    expect(decodeJwt(early.accessToken).exp).toBeGreaterThan(end);
  });

  test("is told of an opaque token while it lasts, by introspection and userinfo; the token goes on", async () => {
    await limit(1000, 2000);
    const { accessToken } = await getTokens(service, opaque, { browser, scope });
    const seen: unknown[] = [];
    for (const ms of [0, 999, 1, 999, 1]) {
      service.clock.turn(ms);
      seen.push(await groupsOf(accessToken));
    }
    const [none, told] = [
      [true, [], []],
      [true, ["reader"], ["reader"]],
    ];
    expect(seen).toEqual([none, none, told, told, none]);
  });
});

describe("tokens that tell of the user (rule 36)", () => {
  test("tell what the application wants in them, and how the user logged in", async () => {
    const { accessToken, idToken } = await getTokens(service, jwt, { browser, scope });
    const role = { [`urn:zitadel:iam:org:project:${world.projectId}:roles`]: { reader: expect.any(Object) } };
    const access = decodeJwt(accessToken);
    expect(access).toMatchObject({ ...role, groups: ["reader"], scope, client_id: jwt.clientId });
    expect(access).not.toHaveProperty("given_name");
    expect(access["jti"]).toMatch(/^a\d+-0\.0\.[\w-]{22}$/);
    expect(decodeJwt(idToken)).toMatchObject({
      ...role,
      groups: ["reader"],
      given_name: "Ada",
      aud: jwt.clientId,
      amr: ["pwd", "hwk", "user", "mfa"],
      acr: "urn:gatehouse:acr:mfa",
    });
    const plain = await getTokens(service, opaque, { browser, scope });
    for (const name of ["given_name", "groups", Object.keys(role)[0] ?? ""])
      expect(decodeJwt(plain.idToken)).not.toHaveProperty([name]);
  });

  test.each<SessionMethod>(["TOTP", "RECOVERY_CODE"])(
    "tell of a code and of two factors after a login with a password and %s (RFC 8176)",
    async (method) => {
      const coded = await signIn(service, browser.userId, ["PASSWORD", method]);
      const { idToken } = await getTokens(service, opaque, { browser: coded });
      expect(decodeJwt(idToken)).toMatchObject({
        amr: ["pwd", "otp", "mfa"],
        acr: "urn:gatehouse:acr:mfa",
      });
    },
  );

  test("lose what the application no longer may have", async () => {
    const api = "urn:zitadel:iam:org:project:id:zitadel:aud";
    const trusted = await createApplication(service, world, { apiAccess: true });
    const { refreshToken } = await getTokens(service, trusted, {
      browser,
      scope: `openid offline_access ${api}`,
    });
    const first = await refresh(service, trusted, refreshToken);
    expect(first.json["scope"]).toContain(api);
    await createCaller(service, world.organizationId)(ApplicationService.method.updateOidcConfig, {
      projectId: world.projectId,
      appId: trusted.clientId,
      redirectUris: [trusted.redirectUri],
      grantTypes: [1, 2],
      authMethodType: OidcAuthMethodType.POST,
    });
    const second = await refresh(service, trusted, String(first.json["refresh_token"]));
    expect(second.json).toMatchObject({ scope: "openid offline_access" });
  });
});
