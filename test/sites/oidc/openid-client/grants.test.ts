import { afterAll, describe, expect, test } from "@jest/globals";
import { createLocalJWKSet, decodeJwt, decodeProtectedHeader, type JSONWebKeySet, jwtVerify } from "jose";
import * as client from "openid-client";
import { ApplicationService } from "../../../../gen/gatehouse/v1/application_service_pb.ts";
import { OidcTokenType } from "../../../../gen/gatehouse/v1/oidc_pb.ts";
import { UserService } from "../../../../gen/gatehouse/v1/user_service_pb.ts";
import { canaries } from "../../../support/canaries.ts";
import { startService } from "../../../support/service.ts";
import { createCaller, createHumanUser, createWorld, uniqueName } from "../../../support/world.ts";
import { createApplication } from "../support/application.ts";
import { allowDevice, createDeviceApplication } from "../support/device.ts";
import { apiScope, createMachine, issuerOf, keyPairs, type Machine } from "../support/machine.ts";
import { browse, pkce, signIn } from "../support/signed-in.ts";

// A relying party that others have written: what it takes is OAuth.

const service = await startService();
const world = await createWorld(service);
afterAll(() => service.stop());

const connect = async (machine: Machine, how: client.ClientAuth): Promise<client.Configuration> => {
  const issuer = new URL(issuerOf(service));
  const options = { execute: [client.allowInsecureRequests] };
  return await client.discovery(issuer, machine.userId, undefined, how, options);
};

describe("openid-client", () => {
  test.each([
    ["client_secret_basic", (secret: string) => client.ClientSecretBasic(secret)],
    ["client_secret_post", (secret: string) => client.ClientSecretPost(secret)],
  ] as const)("gets an opaque token with %s, calls our API, and revokes the token", async (_name, how) => {
    const machine = await createMachine(service, world.organizationId);
    const configuration = await connect(machine, how(machine.secret));
    const answer = await client.clientCredentialsGrant(configuration, { scope: apiScope });
    canaries.add("access token", answer.access_token);
    expect(answer).toMatchObject({ token_type: "bearer", expires_in: 3600, scope: apiScope });
    expect(answer.access_token).toMatch(/^[\w-]{43,}$/);
    const { user } = await service.call(UserService.method.getMyUser, {}, answer.access_token);
    expect(user).toMatchObject({ id: machine.userId });
    await client.tokenRevocation(configuration, answer.access_token);
    await expect(service.call(UserService.method.getMyUser, {}, answer.access_token)).rejects.toThrow(
      "TOKEN_INVALID",
    );
  });

  test.each([
    ["RS256", "RS256", "RS256"],
    ["ES256", "ES256", "ES256"],
    ["EdDSA", "EDDSA", "EdDSA"],
  ] as const)("gets a JWT with a key of %s, signed with %s", async (algorithm, signing, alg) => {
    const machine = await createMachine(service, world.organizationId, { tokens: "JWT", signing, algorithm });
    const { privateKey } = keyPairs[algorithm];
    const pkcs8 = privateKey.export({ format: "der", type: "pkcs8" });
    const parameters = {
      RS256: { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" },
      ES256: { name: "ECDSA", namedCurve: "P-256" },
      EdDSA: { name: "Ed25519" },
    }[algorithm];
    const key = await crypto.subtle.importKey("pkcs8", new Uint8Array(pkcs8), parameters, false, ["sign"]);
    const configuration = await connect(machine, client.PrivateKeyJwt({ key, kid: machine.key.keyId }));
    const { access_token: token } = await client.clientCredentialsGrant(configuration, { scope: apiScope });
    canaries.add("access token", token);
    const { text } = await service.http.send({ method: "GET", path: "/oauth/v2/keys", headers: {} });
    const keys = createLocalJWKSet(JSON.parse(text) as JSONWebKeySet);
    const { payload } = await jwtVerify(token, keys, {
      issuer: issuerOf(service),
      audience: "gatehouse",
      typ: "at+jwt",
      currentDate: new Date(service.clock.nowMs()),
    });
    expect(decodeProtectedHeader(token).alg).toBe(alg);
    expect(payload).toMatchObject({
      sub: machine.userId,
      client_id: machine.userId,
      aud: [machine.userId, "gatehouse"],
      scope: apiScope,
    });
    const { user } = await service.call(UserService.method.getMyUser, {}, token);
    expect(user).toMatchObject({ id: machine.userId });
    await client.tokenRevocation(configuration, token);
    await expect(service.call(UserService.method.getMyUser, {}, token)).rejects.toThrow("TOKEN_INVALID");
  });

  test("names APIs once and twice, and takes fewer scopes at a refresh (RFC 8707)", async () => {
    const { projectId, organizationId } = world;
    const scopes = ["read", "list"].map((name) => ({ name, description: "", isDefault: true, roleKeys: [] }));
    const resources = ["orders", "stock"].map((name) => `urn:example:${name}-of-openid-client`);
    const inside = createCaller(service, organizationId);
    for (const resource of resources) {
      const api = { projectId, name: uniqueName("Api"), resource, scopes };
      await inside(ApplicationService.method.createApiApplication, api);
    }
    const accessTokenType = OidcTokenType.JWT;
    const application = await createApplication(service, world, {
      accessTokenType,
      redirectUris: ["https://app.example/cb"], // it loses the query of others
    });
    const options = { execute: [client.allowInsecureRequests] };
    const how = client.ClientSecretPost(application.secret);
    const issuer = new URL(issuerOf(service));
    const configuration = await client.discovery(issuer, application.clientId, undefined, how, options);
    const browser = await signIn(service, await createHumanUser(service, organizationId));
    const asked = new URLSearchParams({
      redirect_uri: application.redirectUri,
      scope: "read list offline_access",
    });
    for (const resource of resources) asked.append("resource", resource);
    asked.set("code_challenge", pkce.code_challenge);
    asked.set("code_challenge_method", "S256");
    const url = client.buildAuthorizationUrl(configuration, asked);
    const { headers } = await browse(service, url.pathname + url.search, { cookie: browser.cookie });
    const back = new URL(headers.get("location") ?? "");
    canaries.add("code", back.searchParams.get("code") ?? "");
    const checks = { pkceCodeVerifier: pkce.verifier };
    const [resource = ""] = resources;
    const tokens = await client.authorizationCodeGrant(configuration, back, checks, { resource });
    const both = new URLSearchParams(resources.map((each) => ["resource", each]));
    const next = await client.refreshTokenGrant(configuration, tokens.refresh_token ?? "", both);
    const less = await client.refreshTokenGrant(configuration, next.refresh_token ?? "", {
      resource,
      scope: "read",
    });
    for (const each of [tokens, next, less]) {
      canaries.add("access token", each.access_token);
      canaries.add("refresh token", each.refresh_token ?? "");
    }
    const seen = [tokens, next, less].map(({ access_token: token }) => decodeJwt(token));
    expect(seen).toMatchObject([
      { aud: [resource], scope: "read list" },
      { aud: expect.arrayContaining(resources), scope: "read list" },
      { aud: [resource], scope: "read" },
    ]);
    const machine = await createMachine(service, organizationId);
    const program = await connect(machine, client.ClientSecretBasic(machine.secret));
    const given = await client.clientCredentialsGrant(program, both);
    canaries.add("access token", given.access_token);
    expect(given.scope).toBe("read list");
    const wrong = client.clientCredentialsGrant(program, { resource: "urn:example:nothing" });
    await expect(wrong).rejects.toMatchObject({ error: "invalid_target" });
  });

  test("logs in a device, which asks until somebody has allowed it (RFC 8628)", async () => {
    const application = await createDeviceApplication(service, world);
    const userId = await createHumanUser(service, world.organizationId);
    const execute = [client.allowInsecureRequests, client.enableNonRepudiationChecks];
    const issuer = new URL(issuerOf(service));
    const configuration = await client.discovery(issuer, application.clientId, undefined, client.None(), {
      execute,
    });
    const asked = await client.initiateDeviceAuthorization(configuration, { scope: "openid offline_access" });
    canaries.add("device code", asked.device_code);
    canaries.addUserCode(asked.user_code);
    const answers: number[] = [];
    // The clock of the service stands still: it is turned, and the device allowed, after the first poll.
    configuration[client.customFetch] = async (...request) => {
      const answer = await fetch(...(request as Parameters<typeof fetch>));
      answers.push(answer.status);
      if (answers.length === 1) {
        service.clock.turn(5000);
        const { device_code: deviceCode, user_code: userCode } = asked;
        const link = asked.verification_uri_complete ?? "";
        await allowDevice(service, { deviceCode, userCode, link }, userId);
      }
      return answer;
    };
    const tokens = await client.pollDeviceAuthorizationGrant(configuration, { ...asked, interval: 0 });
    for (const name of ["access_token", "refresh_token", "id_token"] as const)
      canaries.add(name, tokens[name] ?? "");
    expect(answers.slice(0, 2)).toEqual([400, 200]);
    expect(tokens.claims()).toMatchObject({ sub: userId, aud: application.clientId });
    const { refresh_token: next } = await client.refreshTokenGrant(configuration, tokens.refresh_token ?? "");
    canaries.add("refresh token", next ?? "");
    expect(next).not.toBe(tokens.refresh_token);
  });
});
