import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { DescMethodUnary, JsonObject, MessageInitShape } from "@bufbuild/protobuf";
import { ApplicationService } from "../../gen/gatehouse/v1/application_service_pb.ts";
import { StylingType } from "../../gen/gatehouse/v1/identity_provider_pb.ts";
import { IdentityProviderService } from "../../gen/gatehouse/v1/identity_provider_service_pb.ts";
import {
  OidcAppType,
  OidcAuthMethodType,
  OidcGrantType,
  OidcResponseType,
  OidcSecurityProfile,
} from "../../gen/gatehouse/v1/oidc_pb.ts";
import { SigningAlgorithm } from "../../gen/gatehouse/v1/signing_key_pb.ts";
import { answerOf, refusalOf, startService, type TestService } from "../support/service.ts";
import { createWorld, idOf, jwtConfig, samlMetadata, uniqueName, type World } from "../support/world.ts";
import { createLifeCalls } from "./support/life-calls.ts";

// The life of applications and identity providers, once over the wire, as in `lives.test.ts`.

const providers = IdentityProviderService.method;
const applications = ApplicationService.method;

let service: TestService;
let home: World;
beforeAll(async () => {
  service = await startService({ "fetch-allowed-hosts": ["10.1.2.3,idp.internal"] });
  home = await createWorld(service);
  ({ send, change, changeOnce, read, remove } = createLifeCalls(service, home.owner.token));
});
afterAll(() => service.stop());

type Calls = ReturnType<typeof createLifeCalls>;
let send: Calls["send"];
let change: Calls["change"];
let changeOnce: Calls["changeOnce"];
let read: Calls["read"];
let remove: Calls["remove"];

test("an application is renamed, given other metadata, stopped, started and removed", async () => {
  const { projectId } = home;
  const metadataXml = samlMetadata(`https://sp.example.com/${encodeURIComponent(uniqueName("one"))}`);
  const saml = { projectId, name: uniqueName("App"), metadataXml };
  const app = {
    projectId,
    appId: idOf(answerOf(await send(applications.createSamlApplication, saml)), "appId"),
  };
  const application = () => read("application", applications.getApplication, app);
  const name = uniqueName("Renamed");
  const entityId = `https://sp.example.com/${app.appId}`;
  for (const [method, fields, shown] of [
    [applications.updateApplication, { name }, { name }],
    [applications.updateSamlConfig, { metadataXml: samlMetadata(entityId) }, { saml: { entityId } }],
    [applications.deactivateApplication, {}, { state: "APPLICATION_STATE_INACTIVE" }],
    [applications.reactivateApplication, {}, { state: "APPLICATION_STATE_ACTIVE" }],
  ] as const) {
    const details = await changeOnce(method as DescMethodUnary, { ...app, ...fields });
    expect(await application()).toMatchObject({ ...shown, details });
  }
  const listed = await read("applications", applications.listApplications, { projectId });
  expect(JSON.stringify(listed)).not.toMatch(/"metadataXml":"[^"]/);
  await remove(applications.removeApplication, app, await application());
});

describe("an application of OpenID Connect or of an API", () => {
  const redirectUris = ["https://app.example/cb"];
  type Fields = Omit<MessageInitShape<typeof applications.createOidcApplication.input>, "$typeName">;
  const ask = (fields: Fields) => {
    const request = { projectId: home.projectId, name: uniqueName("Oidc"), redirectUris, ...fields };
    return send(applications.createOidcApplication, request);
  };
  const create = async (fields: Fields) => {
    const answer = answerOf(await ask(fields));
    return { answer, oidc: (await show(answer))["oidc"] };
  };
  const show = ({ appId }: JsonObject) =>
    read("application", applications.getApplication, { projectId: home.projectId, appId: appId as string });

  test("has defaults for all that is not said, and no value that means nothing", async () => {
    const { answer, oidc } = await create({ responseTypes: [OidcResponseType.UNSPECIFIED] });
    const clientId = idOf(answer, "appId");
    expect(answer).toMatchObject({ clientId, clientSecret: expect.stringMatching(/^[\w-]{43}$/) });
    expect(oidc).toMatchObject({
      clientId,
      redirectUris,
      responseTypes: ["OIDC_RESPONSE_TYPE_CODE"],
      grantTypes: ["OIDC_GRANT_TYPE_AUTHORIZATION_CODE"],
      appType: "OIDC_APP_TYPE_WEB",
      authMethodType: "OIDC_AUTH_METHOD_TYPE_BASIC",
      accessTokenType: "OIDC_TOKEN_TYPE_BEARER",
      signingAlgorithm: "SIGNING_ALGORITHM_RS256",
    });
    const native = await create({ appType: OidcAppType.NATIVE });
    expect(native).toMatchObject({
      answer: { clientSecret: "" },
      oidc: { authMethodType: "OIDC_AUTH_METHOD_TYPE_NONE" },
    });
    const api = { projectId: home.projectId, name: uniqueName("Api") };
    const added = answerOf(await send(applications.createApiApplication, api));
    expect((await show(added))["api"]).toEqual({
      clientId: added["appId"],
      authMethodType: "API_AUTH_METHOD_TYPE_BASIC",
      resource: "",
      allowExternalClients: false,
      scopes: [],
      devMode: false,
      resourceState: "API_RESOURCE_STATE_UNSPECIFIED",
    });
  });

  test("gets its settings replaced, and shows what would be better otherwise", async () => {
    const { answer } = await create({ requirePkce: true });
    const local = "http://localhost:3000/cb";
    const request = { projectId: home.projectId, appId: idOf(answer, "appId"), devMode: true };
    const uris = { redirectUris: [local, ...redirectUris, ...redirectUris] };
    const details = await changeOnce(applications.updateOidcConfig, { ...request, ...uris });
    const oidc = {
      redirectUris: [local, ...redirectUris],
      complianceProblems: ["DEV_MODE"],
      requirePkce: false,
    };
    expect(await show(answer)).toMatchObject({ details, oidc });
  });

  const fapi = { securityProfile: OidcSecurityProfile.FAPI_2 };
  test("has other defaults where it follows FAPI 2.0, and shows what was set", async () => {
    const { answer, oidc } = await create({ ...fapi, appType: OidcAppType.NATIVE });
    expect(answer["clientSecret"]).toBe("");
    expect(oidc).toMatchObject({
      securityProfile: "OIDC_SECURITY_PROFILE_FAPI_2",
      authMethodType: "OIDC_AUTH_METHOD_TYPE_PRIVATE_KEY_JWT",
      signingAlgorithm: "SIGNING_ALGORITHM_ES256",
      requirePar: false,
      requireDpop: false,
    });
  });

  const many = Array.from({ length: 51 }, (_, index) => `https://app.example/${index}`);
  test.each<readonly [string, Fields]>([
    ["redirect_uris", { redirectUris: [] }],
    ["redirect_uris", { redirectUris: many }],
    ["redirect_uris[1]", { redirectUris: [...redirectUris, "https://app.example/#a"] }],
    ["post_logout_redirect_uris[0]", { postLogoutRedirectUris: ["javascript:alert(1)"] }],
    ["additional_origins[0]", { additionalOrigins: ["https://app.example/"] }],
    ["grant_types[0]", { grantTypes: [OidcGrantType.UNSPECIFIED] }],
    ["auth_method_type", { ...fapi, authMethodType: OidcAuthMethodType.BASIC }],
    ["signing_algorithm", { ...fapi, signingAlgorithm: SigningAlgorithm.RS256 }],
    ["app_type", { ...fapi, appType: OidcAppType.USER_AGENT }],
    ["grant_types", { ...fapi, grantTypes: [OidcGrantType.AUTHORIZATION_CODE, OidcGrantType.DEVICE_CODE] }],
    ["dev_mode", { ...fapi, devMode: true }],
  ])("is refused by its %s: %j", async (field, fields) => {
    expect(refusalOf(await ask(fields)).fields).toEqual([field]);
  });

  test("may have 50 redirect URIs, and none where no code is given", async () => {
    expect((await create({ redirectUris: many.slice(1) })).oidc).toMatchObject({
      redirectUris: many.slice(1),
    });
    const without = await create({ redirectUris: [], grantTypes: [OidcGrantType.REFRESH_TOKEN] });
    expect(without.oidc).toMatchObject({ redirectUris: [] });
  });

  test("gets api_access from nobody who owns an organization alone", async () => {
    expect(refusalOf(await ask({ apiAccess: true })).reason).toBe("PERMISSION_DENIED");
  });
});

describe("an identity provider", () => {
  const jwt = { case: "jwt", value: jwtConfig } as const;
  const oidcConfig = { clientId: "client", issuer: "https://accounts.example.com", scopes: ["openid"] };
  const oidc = { case: "oidc", value: { ...oidcConfig, clientSecret: "a-client-secret-of-old" } } as const;
  const add = async (config: typeof jwt | typeof oidc) => {
    const request = { name: uniqueName("Provider"), config };
    return idOf(answerOf(await send(providers.createIdentityProvider, request)), "idpId");
  };
  const show = (idpId: string) =>
    read("identityProvider", providers.getIdentityProvider, { idpId }, home.viewer.token);

  test("is replaced, stopped, started and removed", async () => {
    const idpId = await add(jwt);
    const value = { ...jwtConfig, headerName: "", audiences: ["one"] };
    const replaced = { name: uniqueName("New"), stylingType: StylingType.GOOGLE, autoRegister: true };
    const replacement = { idpId, ...replaced, config: { ...jwt, value } };
    const details = await changeOnce(providers.updateIdentityProvider, replacement);
    expect(await show(idpId)).toEqual({
      id: idpId,
      details,
      state: "IDENTITY_PROVIDER_STATE_ACTIVE",
      name: replaced.name,
      stylingType: "STYLING_TYPE_GOOGLE",
      autoRegister: true,
      jwt: value,
    });
    for (const [method, state] of [
      [providers.deactivateIdentityProvider, "IDENTITY_PROVIDER_STATE_INACTIVE"],
      [providers.reactivateIdentityProvider, "IDENTITY_PROVIDER_STATE_ACTIVE"],
    ] as const) {
      const changed = await changeOnce(method, { idpId });
      expect(await show(idpId)).toMatchObject({ details: changed, state });
    }
    await remove(providers.removeIdentityProvider, { idpId }, await show(idpId));
  });

  test("keeps its client secret or gets another one, and shows neither", async () => {
    const idpId = await add(oidc);
    const before = await show(idpId);
    const { name } = before;
    const update = (value: object) =>
      change(providers.updateIdentityProvider, {
        idpId,
        name: name as string,
        config: { case: "oidc", value } as never,
      });
    expect(await update(oidcConfig)).toEqual(before["details"]);
    const details = await update({ ...oidcConfig, clientSecret: "a-client-secret-of-now" });
    expect(details).not.toEqual(before["details"]);
    expect(await show(idpId)).toEqual({ ...before, details });
    expect(before["oidc"]).not.toHaveProperty("clientSecret");
  });

  describe("on a private host", () => {
    /** Tries every call that sets a URL, and returns what came of each. */
    async function tryAll(url: string, jwtId: string, oidcId: string) {
      const name = uniqueName("Provider");
      const jwtFields = { ...jwtConfig, keysEndpoint: url };
      const oidcFields = { ...oidc.value, issuer: url };
      const [asJwt, asOidc] = [
        { ...jwt, value: jwtFields },
        { ...oidc, value: oidcFields },
      ];
      return await Promise.all([
        send(providers.createIdentityProvider, { name: `${name} 1`, config: asJwt }),
        send(providers.createIdentityProvider, { name: `${name} 2`, config: asOidc }),
        send(providers.updateIdentityProvider, { idpId: jwtId, name: `${name} 3`, config: asJwt }),
        send(providers.updateIdentityProvider, { idpId: oidcId, name: `${name} 4`, config: asOidc }),
        send(providers.addJwtIdentityProvider, { name: `${name} 5`, ...jwtFields }),
        send(providers.addOidcIdentityProvider, { name: `${name} 6`, ...oidcFields }),
        send(providers.updateJwtIdentityProvider, { idpId: jwtId, ...jwtFields }),
      ]);
    }
    const [keys, issuer] = ["keys_endpoint", "issuer"];
    const fields = [`jwt.${keys}`, `oidc.${issuer}`, `jwt.${keys}`, `oidc.${issuer}`, keys, issuer, keys];
    let ids: readonly [string, string];
    beforeAll(async () => {
      ids = [await add(jwt), await add(oidc)];
    });

    test.each([
      "https://10.0.0.1/",
      "http://169.254.169.254/latest/meta-data",
      "https://[::ffff:10.0.0.1]",
      "https://2130706433",
      "https://localhost.",
      "https://10.1.2.4",
    ])("is refused by every call that sets the URL %s", async (url) => {
      const expected = fields.map((field) => ({ code: 3, reason: "URL_FORBIDDEN", fields: [field] }));
      expect((await tryAll(url, ...ids)).map(refusalOf)).toMatchObject(expected);
    });

    test("that the operator has named is taken, and one that browsers alone go to", async () => {
      for (const url of ["https://10.1.2.3/", "https://idp.internal", "http://idp.example.com"])
        expect((await tryAll(url, ...ids)).map(({ kind }) => kind)).toEqual(fields.map(() => "answer"));
      const config = { ...jwt, value: { ...jwtConfig, jwtEndpoint: "https://10.0.0.1/" } };
      await change(providers.updateIdentityProvider, { idpId: ids[0], name: uniqueName("Provider"), config });
    });
  });
});
