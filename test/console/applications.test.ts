// The rules of the pages of applications.
import { create } from "@bufbuild/protobuf";
import { describe, expect, test } from "@jest/globals";
import {
  ApplicationSchema,
  ExternalClientKind,
  OidcApplicationConfigSchema,
} from "../../gen/gatehouse/v1/application_pb.ts";
import {
  OidcAppType,
  OidcAuthMethodType,
  OidcGrantType,
  OidcSecurityProfile,
} from "../../gen/gatehouse/v1/oidc_pb.ts";
import {
  beginOidc,
  findFapiFaults,
  lacksRedirectUri,
  offeredAlgorithms,
  offeredGrants,
  offeredMethods,
  toOidcRequest,
  toOidcValues,
} from "../../src/console/pages/applications/oidc/oidc-values.ts";
import {
  type AttributeValue,
  findAttributeFault,
  readAttribute,
  showAttribute,
  writeAttribute,
} from "../../src/console/pages/applications/saml/attributes.ts";
import {
  beginSource,
  findMissingSource,
  toSourceRequest,
} from "../../src/console/pages/applications/saml/metadata-source.ts";
import {
  kindOf,
  toApplication,
  toApplicationKind,
} from "../../src/console/pages/applications/shared/application.ts";
import { splitFingerprint, toPem } from "../../src/console/ui/certificate.ts";

const { WEB, USER_AGENT, NATIVE } = OidcAppType;
const { BASIC, POST, NONE, PRIVATE_KEY_JWT } = OidcAuthMethodType;
const { AUTHORIZATION_CODE, REFRESH_TOKEN, DEVICE_CODE, TOKEN_EXCHANGE } = OidcGrantType;

describe("what fits where an application runs", () => {
  test.each([
    { appType: WEB, methods: [BASIC, POST, PRIVATE_KEY_JWT, NONE] },
    { appType: USER_AGENT, methods: [NONE] },
    { appType: NATIVE, methods: [NONE] },
  ])("authenticates in these ways: $appType", ({ appType, methods }) => {
    expect(offeredMethods(beginOidc(appType))).toEqual(methods.map(String));
  });

  test.each([
    { appType: WEB, grants: [AUTHORIZATION_CODE, REFRESH_TOKEN, DEVICE_CODE, TOKEN_EXCHANGE] },
    { appType: USER_AGENT, grants: [AUTHORIZATION_CODE, REFRESH_TOKEN] },
    { appType: NATIVE, grants: [AUTHORIZATION_CODE, REFRESH_TOKEN, DEVICE_CODE] },
  ])("may ask for these: $appType", ({ appType, grants }) => {
    expect(offeredGrants(beginOidc(appType))).toEqual(grants.map(String));
  });

  test("is what a new one begins with", () => {
    for (const appType of [WEB, USER_AGENT, NATIVE]) {
      const values = beginOidc(appType);
      expect(offeredMethods(values)).toContain(values.authMethodType);
      expect(offeredGrants(values)).toEqual(expect.arrayContaining([...values.grantTypes]));
    }
  });

  test("leaves what is chosen already in sight, so that it can be changed", () => {
    const values = {
      ...beginOidc(USER_AGENT),
      authMethodType: String(BASIC),
      grantTypes: [String(DEVICE_CODE)],
    };
    expect(offeredMethods(values)).toContain(String(BASIC));
    expect(offeredGrants(values)).toContain(String(DEVICE_CODE));
  });
});

test("what FAPI 2.0 leaves to choose from, and what contradicts it", () => {
  const securityProfile = String(OidcSecurityProfile.FAPI_2);
  const values = { ...beginOidc(WEB), securityProfile };
  const good = { ...values, authMethodType: String(PRIVATE_KEY_JWT), signingAlgorithm: "2" };
  expect(offeredMethods(good)).toEqual([String(PRIVATE_KEY_JWT)]);
  expect(offeredAlgorithms(good)).toEqual(["2", "3"]);
  expect(offeredGrants(good)).not.toContain(String(DEVICE_CODE));
  expect(findFapiFaults(good)).toEqual([]);
  expect(findFapiFaults(values)).toEqual(["authMethodType", "signingAlgorithm"]);
  const wrong = { ...good, appType: String(USER_AGENT), grantTypes: [String(DEVICE_CODE)], devMode: true };
  expect(findFapiFaults(wrong)).toEqual(["appType", "grantTypes", "devMode"]);
  expect(findFapiFaults({ ...wrong, securityProfile: String(OidcSecurityProfile.NONE) })).toEqual([]);
});

describe("the settings of an OIDC application", () => {
  const config = create(OidcApplicationConfigSchema, {
    redirectUris: ["https://shop.example.com/a"],
    grantTypes: [AUTHORIZATION_CODE, REFRESH_TOKEN],
    responseTypes: [1],
    appType: NATIVE,
    authMethodType: NONE,
    postLogoutRedirectUris: ["https://shop.example.com/bye"],
    devMode: true,
    accessTokenType: 2,
    accessTokenRoleAssertion: true,
    idTokenRoleAssertion: true,
    idTokenUserinfoAssertion: true,
    additionalOrigins: ["https://pages.example.com"],
    backChannelLogoutUri: "https://shop.example.com/logout",
    signingAlgorithm: 3,
    apiAccess: true,
    requirePkce: true,
    securityProfile: 2,
    requirePar: true,
    requireDpop: true,
  });

  test("are sent as they were read", () => {
    const {
      $typeName: _name,
      clientId: _id,
      complianceProblems: _problems,
      externalClient: _external,
      ...settings
    } = config;
    expect(toOidcRequest(toOidcValues(config))).toEqual(settings);
  });

  test("need a redirect URI for codes only", () => {
    const values = beginOidc(WEB);
    expect(lacksRedirectUri(values)).toBe(true);
    expect(lacksRedirectUri({ ...values, grantTypes: [String(TOKEN_EXCHANGE)] })).toBe(false);
    expect(lacksRedirectUri({ ...values, redirectUris: ["https://a.example.com"] })).toBe(false);
  });

  test("say of which kind it is", () => {
    const kind = (appType: OidcAppType) =>
      kindOf(create(ApplicationSchema, { config: { case: "oidc", value: { appType } } }));
    expect([WEB, USER_AGENT, NATIVE].map(kind)).toEqual(["web", "browser", "native"]);
    const external = { appType: NATIVE, externalClient: ExternalClientKind.REGISTRATION };
    expect(kindOf(create(ApplicationSchema, { config: { case: "oidc", value: external } }))).toBe("external");
    expect(kindOf(create(ApplicationSchema, { config: { case: "api", value: {} } }))).toBe("api");
    expect(kindOf(create(ApplicationSchema, { config: { case: "saml", value: {} } }))).toBe("saml");
  });
});

describe("the metadata of a SAML application", () => {
  const both = { metadataUrl: " https://sp.example.com/metadata ", metadataXml: " <a/>\n" };

  test("is sent from the chosen source alone", () => {
    expect(toSourceRequest({ ...both, source: "url" })).toEqual({
      metadataUrl: "https://sp.example.com/metadata",
      metadataXml: new Uint8Array(),
    });
    expect(toSourceRequest({ ...both, source: "document" })).toEqual({
      metadataUrl: "",
      metadataXml: new TextEncoder().encode("<a/>"),
    });
  });

  test("is missing where the chosen source is empty", () => {
    expect(findMissingSource(beginSource(""))).toBe("metadataUrl");
    expect(findMissingSource({ ...both, source: "document", metadataXml: " \n" })).toBe("metadataXml");
    expect(findMissingSource({ ...both, source: "url" })).toBeUndefined();
  });
});

describe("an attribute of assertions", () => {
  const attribute = (change: Partial<AttributeValue>): AttributeValue => ({
    name: "mail",
    nameFormat: "",
    source: "Email",
    constant: "",
    ...change,
  });

  test("is read as it was written, whatever is in it", () => {
    const all = [
      attribute({}),
      attribute({ nameFormat: "urn:x", source: "", constant: 'a = "b"' }),
      attribute({ name: "" }),
    ];
    expect(all.map(writeAttribute).map(readAttribute)).toEqual(all);
  });

  test("is shown with its source, or with its text in quotation marks", () => {
    expect(showAttribute(writeAttribute(attribute({})))).toBe("mail = Email");
    expect(showAttribute(writeAttribute(attribute({ source: "", constant: "lamp" })))).toBe('mail = "lamp"');
  });

  test.each([
    { fault: undefined, attributes: [attribute({}), attribute({ name: "name", source: "", constant: "x" })] },
    { fault: "unnamed", attributes: [attribute({ name: " " })] },
    { fault: "doubled", attributes: [attribute({}), attribute({ name: "mail " })] },
    { fault: "empty", attributes: [attribute({ source: "" })] },
  ])("is refused before it is sent: $fault", ({ fault, attributes }) => {
    expect(findAttributeFault(attributes)).toBe(fault);
  });
});

describe("addresses and certificates", () => {
  test("name an application within its project, and known kinds only", () => {
    expect(toApplication({ organization: "1", project: "2" }, "3/4")).toBe(
      "/orgs/1/projects/2/applications/3%2F4",
    );
    expect(toApplicationKind("native")).toBe("native");
    expect(toApplicationKind("toString")).toBeUndefined();
  });

  test("are written as tools write them", () => {
    expect(toPem(new Uint8Array(60).fill(255))).toBe(
      `-----BEGIN CERTIFICATE-----\n${"/".repeat(64)}\n${"/".repeat(16)}\n-----END CERTIFICATE-----\n`,
    );
    expect(splitFingerprint("00aBff")).toBe("00:AB:FF");
  });
});
