import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { DescMethodUnary, JsonObject, MessageInitShape } from "@bufbuild/protobuf";
import { IdentityProviderState, StylingType } from "../../gen/gatehouse/v1/identity_provider_pb.ts";
import { IdentityProviderService } from "../../gen/gatehouse/v1/identity_provider_service_pb.ts";
import { OrganizationService } from "../../gen/gatehouse/v1/organization_service_pb.ts";
import { answerOf, refusalOf, startService, type TestService } from "../support/service.ts";
import { createServiceUser, idOf, jwtConfig, type TestUser, uniqueName } from "../support/world.ts";

const providers = IdentityProviderService.method;
const oidcConfig = {
  clientId: "client",
  clientSecret: "a-client-secret-of-old",
  issuer: "https://accounts.example.com",
  scopes: ["openid"],
};

let service: TestService;
beforeAll(async () => {
  service = await startService({ "fetch-allowed-hosts": ["10.1.2.3,idp.internal"] });
});
afterAll(() => service.stop());

interface Home {
  readonly organizationId: string;
  readonly owner: TestUser;
  readonly viewer: TestUser;
  readonly stranger: TestUser;
}

async function createHome(): Promise<Home> {
  const added = await service.call(OrganizationService.method.addOrganization, {
    name: uniqueName("Organization"),
  });
  const organizationId = idOf(added, "organizationId");
  return {
    organizationId,
    owner: await createServiceUser(service, organizationId, "ORGANIZATION_OWNER"),
    viewer: await createServiceUser(service, organizationId, "ORGANIZATION_VIEWER"),
    stranger: await createServiceUser(service, organizationId),
  };
}

describe("over REST", () => {
  const lane = "rest";
  const call = async <M extends DescMethodUnary>(
    method: M,
    request: MessageInitShape<M["input"]>,
    home: Home,
    token = home.owner.token,
  ) =>
    await service.clients[lane].call(method, request, {
      token,
      headers: { "x-service-orgid": home.organizationId },
    });
  const add = async (home: Home, name: string, config: object = { case: "jwt", value: jwtConfig }) => {
    const request = { name, config } as MessageInitShape<typeof providers.createIdentityProvider.input>;
    return idOf(answerOf(await call(providers.createIdentityProvider, request, home)), "idpId");
  };
  const read = async (home: Home, idpId: string) =>
    answerOf(await call(providers.getIdentityProvider, { idpId }, home, home.viewer.token))[
      "identityProvider"
    ] as JsonObject;

  test("UpdateIdentityProvider replaces everything of a JWT provider, and the next read has it", async () => {
    const home = await createHome();
    const idpId = await add(home, "old");
    const value = { ...jwtConfig, headerName: "", audiences: ["one"] };
    const request = {
      idpId,
      name: "new",
      stylingType: StylingType.GOOGLE,
      autoRegister: true,
      config: { case: "jwt" as const, value },
    };
    const answer = answerOf(await call(providers.updateIdentityProvider, request, home));
    expect(Object.keys(answer)).toEqual(["details"]);
    expect(await read(home, idpId)).toEqual({
      id: idpId,
      details: answer["details"],
      state: "IDENTITY_PROVIDER_STATE_ACTIVE",
      name: "new",
      stylingType: "STYLING_TYPE_GOOGLE",
      autoRegister: true,
      jwt: value,
    });
    expect(answerOf(await call(providers.updateIdentityProvider, request, home))).toEqual(answer);
    const bare = { idpId, name: "new", config: { case: "jwt" as const, value: jwtConfig } };
    answerOf(await call(providers.updateIdentityProvider, bare, home));
    expect(await read(home, idpId)).toMatchObject({
      stylingType: "STYLING_TYPE_UNSPECIFIED",
      autoRegister: false,
      jwt: { audiences: [], headerName: jwtConfig.headerName },
    });
  });

  test("UpdateIdentityProvider keeps or replaces the client secret of an OIDC provider, and shows neither", async () => {
    const home = await createHome();
    const idpId = await add(home, "oidc", { case: "oidc", value: oidcConfig });
    const { clientSecret: _, ...without } = oidcConfig;
    const update = async (value: object) => {
      const config = { case: "oidc", value } as const;
      const request = { idpId, name: "oidc", config };
      return answerOf(
        await call(
          providers.updateIdentityProvider,
          request as MessageInitShape<typeof providers.updateIdentityProvider.input>,
          home,
        ),
      );
    };
    const before = await read(home, idpId);
    expect((await update(without))["details"]).toEqual(before["details"]);
    expect((await update(oidcConfig))["details"]).toEqual(before["details"]);
    const changed = await update({ ...without, clientSecret: "a-client-secret-of-now" });
    expect(changed["details"]).not.toEqual(before["details"]);
    const after = await read(home, idpId);
    expect(after).toEqual({ ...before, details: changed["details"] });
    expect(after["oidc"]).not.toHaveProperty("clientSecret");
  });

  test("UpdateIdentityProvider refuses the other kind, a taken name, broken fields and who may not", async () => {
    const home = await createHome();
    const idpId = await add(home, "mine");
    await add(home, "taken");
    const jwt = { case: "jwt" as const, value: jwtConfig };
    const update = async (
      request: {
        idpId?: string;
        name?: string;
        config?: typeof jwt | { case: "oidc"; value: typeof oidcConfig } | { case: undefined };
      },
      token?: string,
    ) =>
      refusalOf(
        await call(
          providers.updateIdentityProvider,
          { idpId, name: "x", config: jwt, ...request },
          home,
          token,
        ),
      );
    const oidc = { case: "oidc" as const, value: oidcConfig };
    expect(await update({ config: oidc })).toMatchObject({ code: 9, reason: "WRONG_KIND" });
    expect(await update({ name: " TAKEN" })).toMatchObject({ code: 6, reason: "ALREADY_EXISTS" });
    expect(await update({ idpId: "4711" })).toMatchObject({ code: 5, resource: "identity_provider" });
    const broken = { ...jwtConfig, jwtEndpoint: "idp", audiences: [""] };
    expect(await update({ name: "", config: { case: "jwt", value: broken } })).toMatchObject({
      code: 3,
      fields: ["jwt.audiences[0]", "jwt.jwt_endpoint", "name"],
    });
    expect(await update({ config: { case: undefined } })).toMatchObject({ code: 3, fields: ["config"] });
    expect(await update({}, home.viewer.token)).toMatchObject({ code: 7, reason: "PERMISSION_DENIED" });
    expect(await read(home, idpId)).toMatchObject({ name: "mine" });
  });

  test("UpdateIdentityProvider wants the client secret again when the issuer is another one", async () => {
    const home = await createHome();
    const idpId = await add(home, "oidc", { case: "oidc", value: oidcConfig });
    const { clientSecret: _, ...without } = oidcConfig;
    const update = (value: Partial<typeof oidcConfig>, token?: string) => {
      const config = { case: "oidc" as const, value: { ...without, ...value } };
      return call(providers.updateIdentityProvider, { idpId, name: "oidc", config }, home, token);
    };
    const before = await read(home, idpId);
    const elsewhere = { issuer: "https://attacker.example.com" };
    for (const token of [home.owner.token, service.adminToken])
      expect(refusalOf(await update(elsewhere, token))).toMatchObject({
        code: 3,
        reason: "FIELD_INVALID",
        fields: ["oidc.client_secret"],
      });
    expect(await read(home, idpId)).toEqual(before);
    answerOf(await update({ ...elsewhere, clientSecret: "another" }));
    expect(await read(home, idpId)).toMatchObject({ oidc: { ...without, ...elsewhere } });
    answerOf(await update({ ...elsewhere, clientId: "another client", scopes: ["openid", "email"] }));
  });

  test("every call that sets the URL of a provider refuses private hosts, but for those that the operator has named", async () => {
    const home = await createHome();
    const jwtId = await add(home, "jwt");
    const oidcId = await add(home, "oidc", { case: "oidc", value: oidcConfig });
    const tries = (url: string) => {
      const jwt = { ...jwtConfig, keysEndpoint: url };
      const oidc = { ...oidcConfig, issuer: url };
      const name = uniqueName("Provider");
      const configs = [
        { case: "jwt" as const, value: jwt },
        { case: "oidc" as const, value: oidc },
      ] as const;
      return Promise.all([
        ...configs.map((config) =>
          call(providers.createIdentityProvider, { name: `${name} ${config.case}`, config }, home),
        ),
        call(providers.updateIdentityProvider, { idpId: jwtId, name: "jwt", config: configs[0] }, home),
        call(providers.updateIdentityProvider, { idpId: oidcId, name: "oidc", config: configs[1] }, home),
        call(providers.addJwtIdentityProvider, { name: `${name} 3`, ...jwt }, home),
        call(providers.addOidcIdentityProvider, { name: `${name} 4`, ...oidc }, home),
        call(providers.updateJwtIdentityProvider, { idpId: jwtId, ...jwt }, home),
      ]);
    };
    const fields = [
      "jwt.keys_endpoint",
      "oidc.issuer",
      "jwt.keys_endpoint",
      "oidc.issuer",
      "keys_endpoint",
      "issuer",
      "keys_endpoint",
    ];
    for (const url of [
      "https://10.0.0.1/",
      "http://169.254.169.254/latest/meta-data",
      "https://[::ffff:10.0.0.1]",
      "https://2130706433",
      "https://localhost.",
      "https://10.1.2.4",
    ])
      expect([url, (await tries(url)).map(refusalOf)]).toMatchObject([
        url,
        fields.map((field) => ({ code: 3, reason: "URL_FORBIDDEN", fields: [field] })),
      ]);
    expect(await read(home, jwtId)).toMatchObject({ jwt: jwtConfig });
    for (const url of ["https://10.1.2.3/", "https://idp.internal", "http://idp.example.com"])
      (await tries(url)).forEach(answerOf);
    // Browsers alone go to this one: it may be where only they can.
    const config = { case: "jwt" as const, value: { ...jwtConfig, jwtEndpoint: "https://10.0.0.1/" } };
    answerOf(await call(providers.updateIdentityProvider, { idpId: jwtId, name: "jwt", config }, home));
  });

  test("DeactivateIdentityProvider and ReactivateIdentityProvider change the state once", async () => {
    const home = await createHome();
    const idpId = await add(home, "n");
    for (const [method, state] of [
      [providers.deactivateIdentityProvider, "IDENTITY_PROVIDER_STATE_INACTIVE"],
      [providers.reactivateIdentityProvider, "IDENTITY_PROVIDER_STATE_ACTIVE"],
    ] as const) {
      const answer = answerOf(await call(method, { idpId }, home));
      expect(await read(home, idpId)).toMatchObject({ state, details: answer["details"] });
      expect(answerOf(await call(method, { idpId }, home))).toEqual(answer);
      expect(refusalOf(await call(method, { idpId }, home, home.viewer.token)).code).toBe(7);
      expect(refusalOf(await call(method, { idpId: "4711" }, home))).toMatchObject({
        code: 5,
        resource: "identity_provider",
      });
    }
  });

  test("RemoveIdentityProvider removes it and frees its name", async () => {
    const home = await createHome();
    const idpId = await add(home, "n", { case: "oidc", value: oidcConfig });
    const before = (await read(home, idpId))["details"] as JsonObject;
    expect(
      refusalOf(await call(providers.removeIdentityProvider, { idpId }, home, home.viewer.token)).code,
    ).toBe(7);
    const { details } = answerOf(await call(providers.removeIdentityProvider, { idpId }, home));
    const { creationDate, resourceOwner } = before;
    expect(details).toMatchObject({ creationDate, resourceOwner });
    for (const method of [providers.getIdentityProvider, providers.removeIdentityProvider])
      expect(refusalOf(await call(method, { idpId }, home))).toMatchObject({ code: 5, reason: "NOT_FOUND" });
    expect(answerOf(await call(providers.listIdentityProviders, {}, home))["identityProviders"]).toEqual([]);
    expect(await add(home, "N")).not.toBe(idpId);
  });

  test("ListIdentityProviders filters, pages and counts, without client secrets", async () => {
    const home = await createHome();
    const ids = [
      await add(home, "A"),
      await add(home, "B", { case: "oidc", value: oidcConfig }),
      await add(home, "C"),
    ];
    const list = async (request: MessageInitShape<typeof providers.listIdentityProviders.input>) => {
      const answer = answerOf(await call(providers.listIdentityProviders, request, home, home.viewer.token));
      return {
        ids: (answer["identityProviders"] as JsonObject[]).map(({ id }) => id),
        next: answer["nextPageToken"] as string,
        answer,
      };
    };
    const all = await list({ countTotal: true });
    expect(all.answer["identityProviders"]).toEqual(await Promise.all(ids.map((id) => read(home, id))));
    expect(all.answer["details"]).toMatchObject({ totalResult: "3" });
    expect(JSON.stringify(all.answer)).not.toContain("clientSecret");
    expect((await list({ name: " b" })).ids).toEqual([ids[1]]);
    answerOf(await call(providers.deactivateIdentityProvider, { idpId: ids[0] ?? "" }, home));
    expect((await list({ state: IdentityProviderState.INACTIVE })).ids).toEqual([ids[0]]);
    expect((await list({ state: IdentityProviderState.ACTIVE })).ids).toEqual(ids.slice(1));
    const first = await list({ pageSize: 2 });
    expect(first.ids).toEqual(ids.slice(0, 2));
    expect(await list({ pageSize: 2, pageToken: first.next })).toMatchObject({ ids: ids.slice(2), next: "" });
    const foreign = { name: "A", pageToken: first.next };
    expect(refusalOf(await call(providers.listIdentityProviders, foreign, home))).toMatchObject({
      code: 3,
      reason: "PAGE_TOKEN_INVALID",
    });
    const denied = await call(providers.listIdentityProviders, {}, home, home.stranger.token);
    expect(refusalOf(denied)).toMatchObject({ code: 7, reason: "PERMISSION_DENIED" });
  });
});
