import { afterAll, describe, expect, test } from "@jest/globals";
import { decodeJwt, SignJWT } from "jose";
import * as client from "openid-client";
import { OidcAppType, OidcAuthMethodType, OidcGrantType } from "../../../gen/gatehouse/v1/oidc_pb.ts";
import { OrganizationService } from "../../../gen/gatehouse/v1/organization_service_pb.ts";
import { ProjectService } from "../../../gen/gatehouse/v1/project_service_pb.ts";
import { UserGrantService } from "../../../gen/gatehouse/v1/user_grant_service_pb.ts";
import { UserService } from "../../../gen/gatehouse/v1/user_service_pb.ts";
import { canaries } from "../../support/canaries.ts";
import { createCaller, createServiceUser, uniqueName } from "../../support/world.ts";
import { createApplication } from "./support/application.ts";
import { credentialsOf, getTokens } from "./support/signed-in.ts";
import { addApplicationKey, createApi } from "./support/clients.ts";
import {
  actorOf,
  createGateway,
  jwtTokens,
  scopeFor,
  tokenExchange,
  tokenTypes,
} from "./support/exchange.ts";
import { startExchangeGround } from "./support/exchange-ground.ts";
import {
  apiScope,
  askForTokens,
  basic,
  clientAssertionType,
  createMachine,
  type Fields,
  issuerOf,
  keyPairs,
  signAssertion,
} from "./support/machine.ts";

const ground = await startExchangeGround();
afterAll(() => ground.service.stop());

describe("an exchange (RFC 8693 §2.2)", () => {
  test.each(["opaque", "JWT"] as const)(
    "gives an access token and nothing else, for an %s one",
    async (form) => {
      const at = form === "opaque" ? ground.portal : ground.jwtPortal;
      const more = "profile offline_access";
      const subject = await ground.subjectFor([ground.gateway, ground.jwtGateway], { at, more });
      const scope = `openid profile ${scopeFor(ground.gateway)} ${scopeFor(ground.jwtGateway)}`;
      const common = {
        active: true,
        sub: ground.browser.userId,
        aud: [at.clientId, at.projectId, ground.gateway.projectId, ground.jwtGateway.projectId],
        scope,
        username: expect.stringMatching(/^human /),
      };
      for (const by of [ground.gateway, ground.jwtGateway])
        for (const requested_token_type of [undefined, `${tokenTypes}access_token`, `${tokenTypes}jwt`]) {
          const { status, json, headers } = await ground.ask(by, subject, { requested_token_type });
          expect([status, headers.get("cache-control")]).toEqual([200, "no-store"]);
          expect(json).toEqual({
            access_token: expect.any(String),
            issued_token_type: requested_token_type ?? `${tokenTypes}access_token`,
            token_type: "Bearer",
            expires_in: expect.closeTo(3600, -1), // the clock goes on
            scope,
          });
          const token = String(json["access_token"]);
          const isJwt = by === ground.jwtGateway || requested_token_type === `${tokenTypes}jwt`;
          expect(token.startsWith("eyJ")).toBe(isJwt);
          const told = await ground.introspect(token);
          expect(told).toMatchObject({ ...common, client_id: by.clientId });
          expect(told).not.toHaveProperty("act");
          const claims = isJwt ? decodeJwt(token) : told;
          expect(claims).toMatchObject({ sub: ground.browser.userId, client_id: by.clientId, scope });
          expect(await ground.userinfo(token)).toMatchObject({
            status: 200,
            text: expect.stringContaining("Ada"),
          });
        }
    },
  );

  test("is what openid-client asks for", async () => {
    const options = { execute: [client.allowInsecureRequests] };
    const how = client.ClientSecretPost(ground.gateway.secret);
    const issuer = new URL(issuerOf(ground.service));
    const configuration = await client.discovery(issuer, ground.gateway.clientId, undefined, how, options);
    const answer = await client.genericGrantRequest(configuration, tokenExchange, {
      subject_token: await ground.subjectFor(),
      subject_token_type: `${tokenTypes}access_token`,
      audience: ground.gateway.projectId,
      scope: "openid",
    });
    canaries.add("access token", answer.access_token);
    expect(answer).toMatchObject({
      token_type: "bearer",
      issued_token_type: `${tokenTypes}access_token`,
      scope: "openid",
    });
    expect(await client.tokenIntrospection(configuration, answer.access_token)).toMatchObject({
      active: true,
      aud: [ground.gateway.projectId],
      sub: ground.browser.userId,
    });
    await client.tokenRevocation(configuration, answer.access_token);
    expect(await ground.introspect(answer.access_token)).toEqual({ active: false });
  });

  test("gives fewer rights where the client asks for fewer, and never more", async () => {
    const more = `email ${apiScope}`;
    const subject = await ground.subjectFor([ground.gateway, ground.jwtGateway], { more });
    const audience = [ground.gateway.projectId, ground.portal.clientId];
    const narrow = await ground.swap(ground.gateway, subject, { scope: "openid email", audience });
    expect(await ground.introspect(narrow)).toMatchObject({
      aud: [ground.portal.clientId, ground.gateway.projectId],
      scope: "openid email",
    });
    const refusals: readonly (readonly [Fields, string])[] = [
      [{ scope: "openid phone" }, "invalid_scope"],
      [{ audience: [ground.gateway.projectId, ground.gateway.clientId] }, "invalid_target"],
      [{ audience: "gatehouse" }, "invalid_target"], // the gateway has no access to our API
      [{ resource: "https://api.example" }, "invalid_target"],
      [{ resource: issuerOf(ground.service) }, "invalid_target"],
    ];
    for (const [wider, error] of refusals)
      expect((await ground.ask(ground.gateway, subject, wider)).error).toBe(error);
    // What was given up does not come back.
    for (const [wider, error] of [
      [{ scope: "openid profile" }, "invalid_scope"],
      [{ audience: ground.jwtGateway.projectId }, "invalid_target"],
    ] as const)
      expect((await ground.ask(ground.gateway, narrow, wider)).error).toBe(error);
  });

  test("lasts no longer than the token that was exchanged", async () => {
    const subject = await ground.subjectFor();
    ground.service.clock.turn(3_000_000);
    for (const more of [{}, { requested_token_type: `${tokenTypes}jwt` }]) {
      const { json } = await ground.ask(ground.gateway, subject, more);
      expect(json["expires_in"]).toBeLessThanOrEqual(600);
      expect(json["expires_in"]).toBeGreaterThanOrEqual(599);
    }
    const token = await ground.swap(ground.gateway, subject);
    ground.service.clock.turn(600_000);
    expect(await ground.introspect(token)).toEqual({ active: false });
    expect((await ground.ask(ground.gateway, subject)).error).toBe("invalid_request");
  });

  test("is recorded nowhere but for the hash of an opaque token", async () => {
    const subject = await ground.subjectFor();
    const count = async () =>
      await ground.service.context.database.read((tx) => tx.get("SELECT COUNT(*) AS n FROM access_tokens"));
    const before = await count();
    const sequence = ground.service.context.database.lastSequence();
    await ground.swap(ground.gateway, subject, { requested_token_type: `${tokenTypes}jwt` });
    expect(await count()).toEqual(before);
    await ground.swap(ground.gateway, subject);
    expect(await count()).not.toEqual(before);
    expect(ground.service.context.database.lastSequence()).toBe(sequence);
  });
});

describe("an exchange is refused", () => {
  test("to clients that may not, or that prove nothing", async () => {
    const subject = await ground.subjectFor();
    const token = { subject_token: subject, subject_token_type: `${tokenTypes}access_token` };
    const machine = await createMachine(ground.service, ground.organizationId);
    const api = await createApi(ground.service, ground.organizationId);
    const settings = { appType: OidcAppType.NATIVE, authMethodType: OidcAuthMethodType.NONE };
    const open = await createGateway(ground.service, ground.organizationId, settings);
    for (const credentials of [
      credentialsOf(ground.portal), // whose token it is
      { client_id: machine.userId, client_secret: machine.secret },
      credentialsOf(open),
    ]) {
      const answer = await askForTokens(ground.service, {
        grant_type: tokenExchange,
        ...token,
        ...credentials,
      });
      expect([answer.status, answer.error]).toEqual([400, "unauthorized_client"]);
    }
    const form = { grant_type: tokenExchange, ...token };
    expect((await askForTokens(ground.service, form, basic(api.appId, api.secret))).error).toBe(
      "unauthorized_client",
    );
    expect((await ground.ask({ ...ground.gateway, secret: "wrong" }, subject)).status).toBe(401);
    expect((await askForTokens(ground.service, form)).status).toBe(401);
  });

  test("for everything that is no access token for the client", async () => {
    const { accessToken, idToken, refreshToken } = await getTokens(ground.service, ground.portal, {
      browser: ground.browser,
      scope: `openid offline_access ${scopeFor(ground.gateway)}`,
    });
    const jwt = await ground.subjectFor([ground.gateway], { at: ground.jwtPortal });
    const [head, , signature] = jwt.split(".");
    const forged = Buffer.from(JSON.stringify({ ...decodeJwt(jwt), sub: "1" })).toString("base64url");
    const foreign = await new SignJWT(decodeJwt(jwt))
      .setProtectedHeader({ alg: "ES256", typ: "at+jwt", kid: "1" })
      .sign(keyPairs.ES256.privateKey);
    const { token: personal } = await createServiceUser(ground.service, ground.organizationId);
    const wrong: readonly (readonly [string, string, Fields?])[] = [
      ["nothing", ""],
      ["the id of a user", ground.browser.userId],
      [
        "the id of a user by its type",
        ground.browser.userId,
        { subject_token_type: "urn:zitadel:params:oauth:token-type:user_id" },
      ],
      ["an ID token", idToken],
      ["an ID token by its type", idToken, { subject_token_type: `${tokenTypes}id_token` }],
      ["an ID token as a JWT", idToken, { subject_token_type: `${tokenTypes}jwt` }],
      ["a refresh token", refreshToken],
      ["a refresh token by its type", refreshToken, { subject_token_type: `${tokenTypes}refresh_token` }],
      ["a personal access token", personal],
      ["an opaque token as a JWT", accessToken, { subject_token_type: `${tokenTypes}jwt` }],
      [
        "a token that is one character off",
        `${accessToken.slice(0, -1)}${accessToken.endsWith("A") ? "B" : "A"}`,
      ],
      ["a JWT of somebody else", foreign],
      ["a JWT with another subject", `${head}.${forged}.${signature}`],
      ["a JWT without a signature", jwt.slice(0, jwt.lastIndexOf(".") + 1)],
      ["a token for others", await ground.subjectFor([ground.jwtGateway])],
      ["a JWT for others", await ground.subjectFor([ground.jwtGateway], { at: ground.jwtPortal })],
      ["a token of the ground.portal alone", await ground.subjectFor([])],
      ["several tokens", "", { subject_token: [accessToken, accessToken] }],
      ["an actor without a type", accessToken, { actor_token: accessToken }],
      ["the type of no actor", accessToken, { actor_token_type: `${tokenTypes}access_token` }],
      ["an actor who is only an id", accessToken, actorOf(ground.browser.userId)],
      ["an actor for others", accessToken, actorOf(await ground.subjectFor([ground.jwtGateway]))],
    ];
    canaries.add("a forged token", foreign);
    for (const [name, token, more = {}] of wrong) {
      const answer = await ground.ask(ground.gateway, token, more);
      expect([name, answer.status, answer.error]).toEqual([name, 400, "invalid_request"]);
    }
    // One and the same answer for what does not exist and for what is of others.
    const [unknown, others] = [
      await ground.ask(ground.gateway, "x"),
      await ground.ask(ground.gateway, await ground.subjectFor([ground.jwtGateway])),
    ];
    expect(others.json).toEqual(unknown.json);
    expect((await ground.ask(ground.gateway, jwt, { subject_token_type: `${tokenTypes}jwt` })).status).toBe(
      200,
    );
  });

  test("for a user who may not sign in, also as the actor", async () => {
    const home = await ground.createOrganization();
    const user = await ground.createUser(home);
    const { userId } = user;
    await ground.letIn(home, ground.portal.projectId);
    const [subject, jwt] = [
      await ground.subjectFor([ground.gateway], { as: user }),
      await ground.subjectFor([ground.gateway], { at: ground.jwtPortal, as: user }),
    ];
    const own = await ground.subjectFor();
    const errors = async () => {
      const answers = [
        await ground.ask(ground.gateway, subject),
        await ground.ask(ground.gateway, jwt),
        await ground.ask(ground.gateway, own, actorOf(subject)),
      ];
      return answers.map(({ error }) => error);
    };
    const none = [undefined, undefined, undefined];
    const all = ["invalid_grant", "invalid_grant", "invalid_grant"];
    expect(await errors()).toEqual(none);
    await ground.service.call(UserService.method.deactivateUser, { userId });
    expect(await errors()).toEqual(all);
    await ground.service.call(UserService.method.reactivateUser, { userId });
    expect(await errors()).toEqual(none);
    await ground.service.call(OrganizationService.method.deactivateOrganization, { id: home });
    expect(await errors()).toEqual(all);
    await ground.service.call(OrganizationService.method.reactivateOrganization, { id: home });
    expect(await errors()).toEqual(none);
    await ground.service.call(UserService.method.lockUser, { userId });
    expect(await errors()).toEqual(all);
    await ground.service.call(UserService.method.unlockUser, { userId });
    expect(await errors()).toEqual(["invalid_request", "invalid_request", "invalid_request"]); // for good
  });

  test("to users whom the project of the client does not let in", async () => {
    const home = await ground.createOrganization();
    const guest = await ground.createUser(home);
    const strict = await createGateway(ground.service, ground.organizationId, { roles: ["reader"] });
    const inside = createCaller(ground.service, ground.organizationId);
    const { projectId } = strict;
    const update = (checks: object) =>
      inside(ProjectService.method.updateProject, { id: projectId, name: uniqueName("Project"), ...checks });
    await ground.letIn(home, ground.portal.projectId);
    const subject = await ground.subjectFor([strict], { as: guest });
    await update({ projectRoleCheck: true });
    expect((await ground.ask(strict, subject)).json).toMatchObject({
      error: "access_denied",
      error_description: "no role in this project",
    });
    await inside(UserGrantService.method.addUserGrant, {
      userId: guest.userId,
      projectId,
      roleKeys: ["reader"],
    });
    expect((await ground.ask(strict, subject)).status).toBe(200);
    await update({ hasProjectCheck: true });
    expect((await ground.ask(strict, subject)).error).toBe("access_denied");
    await ground.letIn(home, projectId);
    expect((await ground.ask(strict, subject)).status).toBe(200);
  });

  test("when the assertion of the client was used before, also by a request that failed", async () => {
    const by = await createGateway(ground.service, ground.organizationId, {
      authMethodType: OidcAuthMethodType.PRIVATE_KEY_JWT,
    });
    const machine = await addApplicationKey(ground.service, {
      organizationId: ground.organizationId,
      projectId: by.projectId,
      appId: by.clientId,
      secret: "",
    });
    const assertion = await signAssertion(ground.service, machine);
    const how = {
      client_id: undefined,
      client_assertion_type: clientAssertionType,
      client_assertion: assertion,
    };
    const subject = await ground.subjectFor([by]);
    expect((await ground.ask(by, "x", how)).error).toBe("invalid_request");
    expect((await ground.ask(by, subject, how)).error).toBe("invalid_client");
    const fresh = { ...how, client_assertion: await signAssertion(ground.service, machine) };
    const answers = await Promise.all([1, 2, 3, 4].map(() => ground.ask(by, subject, fresh)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ error }) => error === "invalid_client")).toHaveLength(3);
  });
});

test("a JWT tells the roles in the project of the client, within the limits of the subject token", async () => {
  const roleScope = "urn:zitadel:iam:org:project:role:reader";
  const settings = { ...jwtTokens, accessTokenRoleAssertion: true, roles: ["reader", "writer"] };
  const by = await createGateway(ground.service, ground.organizationId, settings);
  const { projectId } = by;
  const grant = { userId: ground.browser.userId, projectId, roleKeys: ["reader", "writer"] };
  const inside = createCaller(ground.service, ground.organizationId);
  await inside(UserGrantService.method.addUserGrant, grant);
  const claims = decodeJwt(
    await ground.swap(by, await ground.subjectFor([by], { more: `groups ${roleScope}` })),
  );
  const roles = { reader: { [ground.organizationId]: expect.any(String) } };
  expect(claims).toMatchObject({
    groups: ["reader", "writer"],
    "urn:zitadel:iam:org:project:roles": roles,
    [`urn:zitadel:iam:org:project:${projectId}:roles`]: roles,
  });
  const update = { id: projectId, name: uniqueName("Project"), projectRoleAssertion: true };
  await inside(ProjectService.method.updateProject, update);
  const subject = await ground.subjectFor([by], { more: `groups ${roleScope}` });
  const limited = await ground.swap(by, subject, { scope: "openid" });
  for (const told of [
    decodeJwt(limited),
    await ground.introspect(limited, by),
    JSON.parse((await ground.userinfo(limited)).text),
  ]) {
    expect(told).toMatchObject({ "urn:zitadel:iam:org:project:roles": roles });
    expect(told).not.toHaveProperty("groups");
  }
});

test("an application may exchange what it got itself", async () => {
  const grantTypes = [OidcGrantType.AUTHORIZATION_CODE, OidcGrantType.TOKEN_EXCHANGE];
  const at = await createApplication(
    ground.service,
    { organizationId: ground.organizationId, projectId: ground.portal.projectId },
    { grantTypes },
  );
  const { accessToken } = await getTokens(ground.service, at, {
    browser: ground.browser,
    scope: "openid profile",
  });
  expect(await ground.introspect(await ground.swap(at, accessToken, { scope: "openid" }), at)).toMatchObject({
    client_id: at.clientId,
    scope: "openid",
  });
});
