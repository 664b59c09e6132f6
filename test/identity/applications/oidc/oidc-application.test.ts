import { expect, test } from "@jest/globals";
import {
  addOidcApplication,
  changeOidcSettings,
  defaultMethodOf,
  findComplianceProblems,
  type OidcApplication,
  toOidcSettings,
} from "../../../../src/identity/applications/oidc/oidc-application.ts";
import { type ApplicationId, type ProjectId, type TokenId, toId } from "../../../../src/kernel/base/ids.ts";
import { oidcSettings, project } from "../../../support/samples.ts";

const application: OidcApplication = {
  id: toId<ApplicationId>("9"),
  details: { sequence: 5, creationDate: 4, resourceOwner: "1" },
  state: "ACTIVE",
  projectId: toId<ProjectId>("7"),
  name: "App",
  kind: "oidc",
  secretId: toId<TokenId>("8"),
  oidc: oidcSettings(),
};

test("events hold every setting", () => {
  const settings = oidcSettings({
    appType: "NATIVE",
    grantTypes: ["REFRESH_TOKEN"],
    isDevMode: true,
    accessTokenType: "JWT",
    accessTokenRoleAssertion: true,
    idTokenRoleAssertion: true,
    idTokenUserinfoAssertion: true,
    additionalOrigins: ["https://a.example"],
    postLogoutRedirectUris: ["https://a.example/out"],
    signingAlgorithm: "EDDSA",
    apiAccess: true,
    requirePkce: true,
    groupsClaim: "GROUP_IDS",
    securityProfile: "FAPI_2",
    requirePar: true,
    requireDpop: true,
  });
  const { type, payload } = addOidcApplication({
    id: application.id,
    project: project(),
    name: "App",
    settings,
  });
  expect(type === "application.oidc.added" && toOidcSettings(payload)).toEqual(settings);
});

test("the same settings change nothing", () => {
  expect(changeOidcSettings(application, oidcSettings())).toEqual([]);
});

test("a secret is removed only if there is one", () => {
  const settings = oidcSettings({ authMethodType: "NONE" });
  expect(changeOidcSettings(application, settings)).toHaveLength(2);
  expect(changeOidcSettings({ ...application, secretId: undefined }, settings)).toHaveLength(1);
});

test("what runs outside of a server does not authenticate by default", () => {
  const types = ["WEB", "USER_AGENT", "NATIVE"] as const;
  expect(types.map((type) => defaultMethodOf(type, "NONE"))).toEqual(["BASIC", "NONE", "NONE"]);
});

test.each([
  [{}, []],
  [{ isDevMode: true }, ["DEV_MODE"]],
  [{ appType: "USER_AGENT", authMethodType: "POST" }, ["SECRET_OF_PUBLIC_CLIENT"]],
  [{ appType: "NATIVE", authMethodType: "NONE", redirectUris: ["http://127.0.0.1/cb"] }, []],
  [
    { appType: "NATIVE", authMethodType: "BASIC", redirectUris: ["http://localhost:80/cb"] },
    ["SECRET_OF_PUBLIC_CLIENT", "REDIRECT_URI_LOCALHOST"],
  ],
  [{ grantTypes: ["REFRESH_TOKEN"] }, ["REFRESH_TOKEN_WITHOUT_AUTHORIZATION_CODE"]],
  [{ grantTypes: ["REFRESH_TOKEN", "DEVICE_CODE"] }, []], // which gives refresh tokens, too
  [{ grantTypes: ["TOKEN_EXCHANGE"] }, []],
  [{ grantTypes: ["TOKEN_EXCHANGE"], authMethodType: "NONE" }, ["TOKEN_EXCHANGE_OF_PUBLIC_CLIENT"]],
] as const)("of %j the problems are %j", (settings, problems) => {
  expect(findComplianceProblems(oidcSettings(settings))).toEqual(problems);
});
