import { create } from "@bufbuild/protobuf";
import { describe, expect, test } from "@jest/globals";
import {
  type IdentityProvider,
  IdentityProviderSchema,
  OidcMappingField,
  StylingType,
} from "../../gen/gatehouse/v1/identity_provider_pb.ts";
import {
  toJwtProviderRequest,
  toJwtProviderValues,
} from "../../src/console/pages/identity-providers/jwt/jwt-values.ts";
import {
  toSamlProviderRequest,
  toSamlProviderValues,
} from "../../src/console/pages/identity-providers/saml/saml-values.ts";
import {
  needsBindPassword,
  toLdapProviderRequest,
  toLdapProviderValues,
} from "../../src/console/pages/identity-providers/ldap/ldap-values.ts";
import {
  needsSecret,
  secretOf,
  toTemplateRequest,
  toTemplateValues,
} from "../../src/console/pages/identity-providers/template/template-values.ts";
import {
  toOidcProviderRequest,
  toOidcProviderValues,
} from "../../src/console/pages/identity-providers/oidc/oidc-values.ts";

const shared = { name: "Directory", stylingType: StylingType.GOOGLE, autoRegister: true };
const oidc = {
  issuer: "https://accounts.example.com",
  clientId: "lamp",
  scopes: ["openid"],
  usernameMapping: OidcMappingField.EMAIL,
  displayNameMapping: OidcMappingField.PREFERRED_USERNAME,
};
const jwt = {
  jwtEndpoint: "https://gateway.example.com/jwt",
  issuer: "https://tokens.example.com",
  keysEndpoint: "https://tokens.example.com/keys",
  headerName: "",
  audiences: ["lamp"],
};
const provider = (config: IdentityProvider["config"] | object): IdentityProvider =>
  create(IdentityProviderSchema, { ...shared, config: config as IdentityProvider["config"] });

describe("an identity provider of OpenID Connect", () => {
  test("is sent as it was read, without a secret unless there is a new one", () => {
    const values = toOidcProviderValues(provider({ case: "oidc", value: oidc }));
    expect(toOidcProviderRequest(values)).toEqual({ ...shared, config: { case: "oidc", value: oidc } });
    expect(toOidcProviderRequest({ ...values, "oidc.clientSecret": "new" }).config.value).toEqual({
      ...oidc,
      clientSecret: "new",
    });
  });
});

describe("an identity provider of JWT", () => {
  test("is sent as it was read, also without a header", () => {
    const values = toJwtProviderValues(provider({ case: "jwt", value: jwt }));
    expect(toJwtProviderRequest(values)).toEqual({ ...shared, config: { case: "jwt", value: jwt } });
  });

  test("has the usual header when it is new", () => {
    expect(toJwtProviderValues()["jwt.headerName"]).toBe("authorization");
  });
});

describe("an identity provider that is known beforehand", () => {
  const baseUrl = "https://git.example";
  test.each([
    ["google", { clientId: "lamp" }],
    ["entra", { clientId: "lamp", tenants: ["*"], baseUrl: "" }],
    ["github", { clientId: "lamp", baseUrl: "" }],
    ["gitlab", { clientId: "lamp", baseUrl }],
    ["apple", { clientId: "lamp", teamId: "TEAM123456", privateKeyId: "KEY1234567" }],
  ] as const)("is sent as it was read, with a secret only if there is a new one: %s", (kind, value) => {
    const stored = provider({ case: kind, value });
    const values = toTemplateValues(kind, stored);
    expect(toTemplateRequest(kind, values)).toEqual({ ...shared, config: { case: kind, value } });
    const secret = secretOf(kind);
    expect(toTemplateRequest(kind, { ...values, [secret]: "new" }).config.value).toEqual({
      ...value,
      [secret.split(".")[1] ?? ""]: "new",
    });
    expect([needsSecret(kind, values), needsSecret(kind, values, stored)]).toEqual([true, false]);
  });

  test("needs its secret again for another address", () => {
    const stored = provider({ case: "gitlab", value: { clientId: "lamp", baseUrl } });
    const values = { ...toTemplateValues("gitlab", stored), "gitlab.baseUrl": "https://other.example" };
    expect(needsSecret("gitlab", values, stored)).toBe(true);
  });
});

test("an identity provider of SAML is sent as it was read", () => {
  const saml = {
    entityId: "https://idp.example",
    metadataUrl: "https://idp.example/metadata",
    metadataXml: "<xml/>",
    idAttribute: "uid",
    trustMail: true,
  };
  const values = toSamlProviderValues(provider({ case: "saml", value: saml }));
  expect(toSamlProviderRequest(values)).toEqual({ ...shared, config: { case: "saml", value: saml } });
});

describe("a directory", () => {
  const ldap = {
    servers: ["ldaps://dc1.example.com"],
    plainText: false,
    caCertificates: "",
    bindDn: "cn=reader",
    baseDn: "dc=example",
    userFilter: "(objectClass=person)",
    loginAttributes: ["uid", "mail"],
    idAttribute: "employeeNumber",
    usernameAttribute: "uid",
    emailAttribute: "email",
    givenNameAttribute: "gn",
    familyNameAttribute: "surname",
    displayNameAttribute: "cn",
    preferredLanguageAttribute: "lang",
    trustMail: true,
    memberOfAttribute: "isMemberOf",
    groupBaseDn: "ou=groups",
    groupMemberAttribute: "uniqueMember",
  };
  const stored = provider({ case: "ldap", value: ldap });
  const values = toLdapProviderValues(stored);
  const config = stored.config.case === "ldap" ? stored.config.value : undefined;

  test("is sent as it was read, without a password unless there is a new one, of an account", () => {
    expect(toLdapProviderRequest(values)).toEqual({ ...shared, config: { case: "ldap", value: ldap } });
    const changed = { ...values, "ldap.bindPassword": "new" };
    expect(toLdapProviderRequest(changed).config.value.bindPassword).toBe("new");
    expect(toLdapProviderRequest({ ...changed, "ldap.bindDn": "" }).config.value).not.toHaveProperty(
      "bindPassword",
    );
  });

  test.each([
    ["as it is stored", {}, false],
    ["with another base", { "ldap.baseDn": "dc=other" }, false],
    ["with another server", { "ldap.servers": ["ldaps://dc2.example.com"] }, true],
    ["without encryption", { "ldap.plainText": true }, true],
    ["that other authorities vouch for", { "ldap.caCertificates": "PEM" }, true],
    ["without an account, on another server", { "ldap.servers": ["ldaps://dc2"], "ldap.bindDn": "" }, false],
  ])("%s: whether its password has to be entered", (_name, change, isNeeded) => {
    expect(needsBindPassword({ ...values, ...change }, config)).toBe(isNeeded);
  });
});
