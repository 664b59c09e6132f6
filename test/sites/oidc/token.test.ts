import { afterAll, describe, expect, test } from "@jest/globals";
import { createHash } from "node:crypto";
import { decodeJwt } from "jose";
import { ProjectService } from "../../../gen/gatehouse/v1/project_service_pb.ts";
import { OrganizationService } from "../../../gen/gatehouse/v1/organization_service_pb.ts";
import { UserGrantService } from "../../../gen/gatehouse/v1/user_grant_service_pb.ts";
import { UserService } from "../../../gen/gatehouse/v1/user_service_pb.ts";
import { startService } from "../../support/service.ts";
import { createCaller, createWorld, idOf, uniqueName } from "../../support/world.ts";
import {
  addKey,
  apiScope,
  askForTokens,
  basic,
  byAssertion,
  bySecret,
  createMachine,
  getAccessToken,
  issuerOf,
  jwtBearer,
  type Machine,
  postForm,
  signAssertion,
} from "./support/machine.ts";

const service = await startService();
const world = await createWorld(service);
const machine = await createMachine(service, world.organizationId);
afterAll(() => service.stop());

const ask = (form: Parameters<typeof askForTokens>[1], headers?: Readonly<Record<string, string>>) =>
  askForTokens(service, form, headers);

describe("an answer (RFC 6749 §5.1)", () => {
  test("has the token, is not kept, and may be read by pages of any origin", async () => {
    const { status, headers, json } = await ask(bySecret(machine), { origin: "https://app.example" });
    expect(status).toBe(200);
    expect(headers.get("cache-control")).toBe("no-store");
    expect(headers.get("pragma")).toBe("no-cache");
    expect(headers.get("access-control-allow-origin")).toBe("*");
    expect(headers.get("access-control-allow-credentials")).toBeNull();
    expect(Object.keys(json).toSorted()).toEqual(["access_token", "expires_in", "token_type"]);
  });

  test("to a preflight says what may be sent", async () => {
    const { status, headers } = await service.http.send({
      method: "OPTIONS",
      path: "/oauth/v2/token",
      headers: { origin: "https://app.example", "access-control-request-method": "POST" },
    });
    expect(status).toBe(204);
    expect(headers.get("access-control-allow-headers")).toBe(
      "authorization,content-type,dpop,traceparent,tracestate,baggage",
    );
    expect(headers.get("access-control-allow-origin")).toBe("*");
  });
});

test.each([
  "charset=ISO-8859-1", // Apache HttpClient 4 and 5 send it by default
  "charset=US-ASCII",
  "charset=utf8",
  'charset="UTF-8"',
  "charset=utf-16",
  "",
  "boundary=x; version=1",
])("a form is taken with the parameter %j of its content type, at every endpoint", async (parameter) => {
  const headers = { "content-type": `Application/x-www-form-urlencoded ;${parameter}` };
  const scope = "openid urn:zitadel:iam:org:project:role:käse"; // UTF-8, whatever the parameter says
  const { status, json } = await ask({ ...bySecret(machine), scope }, headers);
  expect([status, json["scope"]]).toEqual([200, scope]);
  const { userId, secret } = machine;
  const form = { client_id: userId, client_secret: secret, token: String(json["access_token"]) };
  expect(await postForm(service, "/oidc/v1/userinfo", { access_token: form.token }, headers)).toMatchObject({
    status: 200,
  });
  for (const path of ["introspect", "revoke"])
    expect((await postForm(service, `/oauth/v2/${path}`, form, headers)).status).toBe(200);
  // What these say is not about the form.
  for (const path of ["par", "device_authorization"])
    expect(JSON.parse((await postForm(service, `/oauth/v2/${path}`, form, headers)).text)).toMatchObject({
      error: "unauthorized_client",
    });
  for (const path of ["/oauth/v2/authorize", "/oidc/v1/end_session"])
    expect((await postForm(service, path, { client_id: "1" }, headers)).text).not.toContain("cannot be read");
});

describe("scopes (RFC 6749 §3.3)", () => {
  const scopeOf = async (scope: string) => (await ask({ ...bySecret(machine), scope })).json["scope"];

  test("that mean nothing here are dropped", async () => {
    expect(await scopeOf(`read ${apiScope} offline_access urn:zitadel:iam:org:idp:id:1`)).toBe(apiScope);
    expect(await scopeOf("nothing")).toBeUndefined();
  });

  test("that name another organization, or a domain, are refused", async () => {
    const own = `urn:zitadel:iam:org:id:${world.organizationId}`;
    expect(await scopeOf(own)).toBe(own);
    for (const scope of ["urn:zitadel:iam:org:id:1", "urn:zitadel:iam:org:domain:primary:a.example", 'a"b']) {
      expect(await ask({ ...bySecret(machine), scope })).toMatchObject({
        status: 400,
        error: "invalid_scope",
      });
    }
  });
});

describe("the grant jwt-bearer (RFC 7523 §2.1)", () => {
  const grant = async (assertion: string, more: object = {}) =>
    await ask({ grant_type: jwtBearer, assertion, ...more });

  test("gives tokens for an assertion, more than once, and an ID token with openid", async () => {
    const assertion = await signAssertion(service, machine);
    const { json } = await grant(assertion, { scope: `openid ${apiScope}` });
    const claims = decodeJwt(String(json["id_token"]));
    const hash = createHash("sha256").update(String(json["access_token"])).digest();
    expect(claims).toMatchObject({
      iss: issuerOf(service),
      sub: machine.userId,
      aud: machine.userId,
      at_hash: hash.subarray(0, 16).toString("base64url"),
    });
    expect(await grant(assertion)).toMatchObject({ status: 200 });
    const { user } = await service.call(UserService.method.getMyUser, {}, String(json["access_token"]));
    expect(user).toMatchObject({ id: machine.userId });
  });

  test("is not the only one with an ID token: client_credentials gives the same", async () => {
    const { json } = await ask({ ...bySecret(machine), scope: `openid profile ${apiScope}`, nonce: "n" });
    const claims = decodeJwt(String(json["id_token"]));
    const { userId } = machine;
    expect(claims).toMatchObject({ iss: issuerOf(service), sub: userId, aud: userId });
    expect(Object.keys(claims).toSorted()).toEqual(["at_hash", "aud", "exp", "iat", "iss", "sub"]);
    expect((await ask({ ...bySecret(machine), scope: apiScope })).json).not.toHaveProperty("id_token");
  });

  test("takes no client authentication, and no assertion of the wrong kind", async () => {
    const assertion = await signAssertion(service, machine);
    expect(await grant(assertion, { client_secret: "x", client_id: "y" })).toMatchObject({
      error: "invalid_request",
    });
    expect(await grant("a.b.c")).toMatchObject({ status: 400, error: "invalid_grant" });
    const other = await createMachine(service, world.organizationId);
    const stolen = await signAssertion(service, { ...machine, userId: other.userId });
    expect(await grant(stolen)).toMatchObject({ status: 400, error: "invalid_grant" });
  });
});

describe("a JWT access token (RFC 9068 §2.2)", () => {
  test("tells roles in the projects of its audience, and the organization, if it is asked to", async () => {
    const { organizationId, projectId } = world;
    const reader = await createMachine(service, organizationId, { tokens: "JWT" });
    const inside = createCaller(service, organizationId);
    const roleKey = "__proto__";
    await inside(ProjectService.method.addProjectRole, { projectId, roleKey });
    const given = { userId: reader.userId, projectId, roleKeys: ["reader", roleKey] };
    await inside(UserGrantService.method.addUserGrant, given);
    const { organization } = await service.call(OrganizationService.method.getOrganization, {
      id: organizationId,
    });
    const { name } = organization as { readonly name: string };
    const project = `urn:zitadel:iam:org:project:id:${projectId}:aud`;
    const roles = "urn:zitadel:iam:org:projects:roles";
    const claim = `urn:zitadel:iam:org:project:${projectId}:roles`;
    const claimsOf = async (...scopes: readonly string[]) =>
      decodeJwt(await getAccessToken(service, reader, scopes.join(" ")));
    const told = await claimsOf(project, roles, "urn:zitadel:iam:user:resourceowner");
    expect(told).toMatchObject({
      aud: [reader.userId, projectId],
      "urn:zitadel:iam:user:resourceowner:id": organizationId,
      "urn:zitadel:iam:user:resourceowner:name": name,
    });
    expect(JSON.stringify(told[claim])).toBe(
      JSON.stringify({ reader: { [organizationId]: name } }).replace(
        "}}",
        `},"__proto__":{"${organizationId}":"${name}"}}`,
      ),
    );
    const limited = await claimsOf(project, roles, "urn:zitadel:iam:org:project:role:reader");
    expect(limited[claim]).toEqual({ reader: { [organizationId]: name } });
    expect(await claimsOf(project)).not.toHaveProperty([claim]);
    expect(await claimsOf(roles)).not.toHaveProperty([claim]);
  });
});

describe("a user who may not sign in", () => {
  test.each(["lockUser", "deactivateUser"] as const)("is refused after %s", async (change) => {
    const other = await createMachine(service, world.organizationId);
    const assertion = await signAssertion(service, other);
    expect(await ask(bySecret(other))).toMatchObject({ status: 200 });
    expect(await ask({ grant_type: jwtBearer, assertion })).toMatchObject({ status: 200 });
    await service.call(UserService.method[change], { userId: other.userId });
    expect(await ask(bySecret(other))).toMatchObject({ status: 400, error: "invalid_grant" });
    expect(await ask({ grant_type: jwtBearer, assertion })).toMatchObject({
      status: 400,
      error: "invalid_grant",
    });
  });

  test("is refused while their organization is inactive, and not after it", async () => {
    const { addOrganization, deactivateOrganization, reactivateOrganization } = OrganizationService.method;
    const made = await service.call(addOrganization, { name: uniqueName("Organization") });
    const id = idOf(made, "organizationId");
    const other = await createMachine(service, id);
    const bearer = async () => ({ grant_type: jwtBearer, assertion: await signAssertion(service, other) });
    const statuses = async () => {
      const answers = [
        await ask(bySecret(other)),
        await ask(byAssertion(await signAssertion(service, other))),
        await ask(await bearer()),
      ];
      return answers.map(({ status, error }) => error ?? status);
    };
    const token = await getAccessToken(service, other);
    expect(await statuses()).toEqual([200, 200, 200]);
    await service.call(deactivateOrganization, { id });
    expect(await statuses()).toEqual(["invalid_grant", "invalid_grant", "invalid_grant"]);
    await expect(service.call(UserService.method.getMyUser, {}, token)).rejects.toThrow("TOKEN_INVALID");
    await service.call(reactivateOrganization, { id });
    expect(await statuses()).toEqual([200, 200, 200]);
    await service.call(UserService.method.getMyUser, {}, token);
  });

  test("is refused with what was removed, at the next request", async () => {
    const other = await createMachine(service, world.organizationId);
    const { userId } = other;
    const byKey = async () => [
      await ask(byAssertion(await signAssertion(service, other))),
      await ask({ grant_type: jwtBearer, assertion: await signAssertion(service, other) }),
    ];
    expect(await ask(bySecret(other))).toMatchObject({ status: 200 });
    await service.call(UserService.method.removeServiceUserSecret, { userId });
    expect(await ask(bySecret(other))).toMatchObject({ status: 401, error: "invalid_client" });
    expect(await byKey()).toMatchObject([{ status: 200 }, { status: 200 }]);
    await service.call(UserService.method.removeServiceUserKey, { userId, keyId: other.key.keyId });
    expect(await byKey()).toMatchObject([
      { status: 401, error: "invalid_client" },
      { status: 400, error: "invalid_grant" },
    ]);
  });

  test("is refused with a key that has expired, at the next request", async () => {
    const other = await createMachine(service, world.organizationId);
    const endMs = (Math.ceil(service.clock.nowMs() / 1000) + 60) * 1000;
    const expiring = { ...other, key: await addKey(service, other.userId, "EdDSA", endMs) };
    const byKey = async () => [
      await ask(byAssertion(await signAssertion(service, expiring))),
      await ask({ grant_type: jwtBearer, assertion: await signAssertion(service, expiring) }),
    ];
    expect(await byKey()).toMatchObject([{ status: 200 }, { status: 200 }]);
    service.clock.turn(endMs - service.clock.nowMs());
    expect(await byKey()).toMatchObject([
      { status: 401, error: "invalid_client" },
      { status: 400, error: "invalid_grant" },
    ]);
  });
});

describe("revocation (RFC 7009)", () => {
  test("refuses the token of another client, and takes what is no token for revoked", async () => {
    const token = await getAccessToken(service, machine);
    const other = await createMachine(service, world.organizationId);
    const revoke = (by: Machine, text: string) =>
      postForm(service, "/oauth/v2/revoke", { token: text }, basic(by.userId, by.secret));
    expect(await revoke(other, token)).toMatchObject({ status: 400 });
    await service.call(UserService.method.getMyUser, {}, token);
    expect(await revoke(machine, "nothing")).toMatchObject({ status: 200, text: "{}" });
    expect(await revoke(machine, token)).toMatchObject({ status: 200 });
    expect(await revoke(machine, token)).toMatchObject({ status: 200 });
    await expect(service.call(UserService.method.getMyUser, {}, token)).rejects.toThrow("TOKEN_INVALID");
    expect((await postForm(service, "/oauth/v2/revoke", { token })).status).toBe(401);
  });
});
