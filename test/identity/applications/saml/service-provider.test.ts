import { describe, expect, test } from "@jest/globals";
import { parseSamlMetadata } from "../../../../src/identity/applications/saml/metadata.ts";
import { readServiceProvider } from "../../../../src/identity/applications/saml/service-provider.ts";
import { metadata, metadataNamespace, protocol, service } from "./metadata-document.ts";
import { productMetadata } from "./product-metadata.ts";

const nowMs = Date.UTC(2026, 5, 1, 12);
const read = (xml: string, options: { readonly dev?: boolean; readonly validUntilMs?: number } = {}) =>
  readServiceProvider(xml, { dev: false, nowMs, ...options });
const withServices = (services: string, provider?: string) =>
  metadata({ services: `${services}${service()}`, ...(provider === undefined ? {} : { provider }) });
const redirect = "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect";
const post = "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST";
const logout = (binding: string, location: string, rest = "") =>
  `<md:SingleLogoutService Binding="${binding}" Location="${location}" ${rest}/>`;

describe("of the metadata that a product generates, what logins need is read", () => {
  test.each(productMetadata.map((each) => [each.product, each] as const))("%s", (_product, { document }) => {
    const parsed = parseSamlMetadata(new Uint8Array(Buffer.from(document)), {
      nowMs,
      dev: false,
      field: "metadata_xml",
    });
    const seen = read(
      document,
      parsed.validUntilMs === undefined ? {} : { validUntilMs: parsed.validUntilMs },
    );
    expect(seen).toMatchObject({
      entityId: parsed.entityId,
      assertionConsumerServices: parsed.assertionConsumerServices,
    });
    // The keys of the samples are of an elliptic curve, with which nobody can encrypt.
    const [role = ""] = /<(?:\w+:)?SPSSODescriptor.*SPSSODescriptor>/s.exec(document) ?? [];
    expect(seen.certificates).toHaveLength(role.match(/<\/(?:\w+:)?KeyDescriptor>/g)?.length ?? 0);
    expect(seen.encryption).toBeUndefined();
    expect(seen.signingKeys).toHaveLength(seen.certificates.filter(({ use }) => use !== "encryption").length);
  });

  test("with its flags, formats, logout services and what it asks for", () => {
    const of = (name: string) =>
      read(productMetadata.find(({ product }) => product.startsWith(name))?.document ?? "");
    expect(of("Shibboleth")).toMatchObject({
      signsRequests: false,
      logoutServices: [
        {
          binding: "redirect",
          location: "https://sp.example.org/Shibboleth.sso/SLO/Redirect",
          responseLocation: "https://sp.example.org/Shibboleth.sso/SLO/Redirect",
        },
      ],
    });
    expect(of("mod_auth_mellon").signsRequests).toBe(true);
    expect(of("Auth0").nameIdFormats).toEqual([
      "urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress",
      "urn:oasis:names:tc:SAML:2.0:nameid-format:transient",
    ]);
    expect(of("SimpleSAMLphp").attributeServices[0]).toMatchObject({
      index: 0,
      isDefault: true,
      requested: [
        {
          name: "urn:oid:0.9.2342.19200300.100.1.3",
          nameFormat: "urn:oasis:names:tc:SAML:2.0:attrname-format:uri",
        },
      ],
    });
  });
});

describe("AuthnRequestsSigned", () => {
  test.each([
    ["true", true],
    ["1", true],
    ["TRUE", true],
    ["yes", true],
    ["false", false],
    ["0", false],
    ["", false],
  ])("%j", (value, signsRequests) => {
    const provider = `protocolSupportEnumeration="${protocol}" AuthnRequestsSigned="${value}"`;
    expect(read(withServices("", provider)).signsRequests).toBe(signsRequests);
  });

  test("is false when absent (SAML Metadata §2.4.4)", () => {
    expect(read(metadata({})).signsRequests).toBe(false);
  });
});

describe("logout services", () => {
  test("by Redirect and POST, with a location of their own for responses (SAML Metadata §2.2.2)", () => {
    const services = [
      logout("urn:oasis:names:tc:SAML:2.0:bindings:SOAP", "https://sp.example.com/soap"),
      logout(post, "https://sp.example.com/in?a=1&amp;b=2", 'ResponseLocation="https://sp.example.com/back"'),
      logout(redirect, "https://sp.example.com/out"),
    ];
    expect(read(withServices(services.join("")))).toMatchObject({
      logoutServices: [
        {
          binding: "post",
          location: "https://sp.example.com/in?a=1&b=2",
          responseLocation: "https://sp.example.com/back",
        },
        {
          binding: "redirect",
          location: "https://sp.example.com/out",
          responseLocation: "https://sp.example.com/out",
        },
      ],
      problems: [],
    });
  });

  test.each([
    ["http", "http://sp.example.com/out", ""],
    ["http on loopback without --dev", "http://127.0.0.1/out", ""],
    ["javascript:", "javascript:alert(1)", ""],
    ["user info", "https://a@sp.example.com/out", ""],
    ["no location", "", ""],
    ["responses over http", "https://sp.example.com/out", 'ResponseLocation="http://sp.example.com/out"'],
    ["responses to javascript:", "https://sp.example.com/out", 'ResponseLocation="javascript:alert(1)"'],
  ])("are left out: %s", (_what, location, rest) => {
    const seen = read(withServices(logout(redirect, location, rest)));
    expect(seen.logoutServices).toEqual([]);
    expect(seen.problems).toEqual([
      "a SingleLogoutService of the metadata is left out: its locations must be https URLs",
    ]);
  });

  test("with --dev, http on loopback counts, but nowhere else", () => {
    const seen = (location: string) =>
      read(withServices(logout(redirect, location)), { dev: true }).logoutServices.length;
    expect([seen("http://127.0.0.1:8080/out"), seen("http://sp.example.com/out")]).toEqual([1, 0]);
  });
});

test("an assertion consumer service over http counts only with --dev, also if it was registered with it", () => {
  const xml = metadata({
    services: `${service("http://127.0.0.1/acs")}${service("https://a.test/", 'index="1"')}`,
  });
  const locations = (dev: boolean) =>
    read(xml, { dev }).assertionConsumerServices.map(({ location }) => location);
  expect(locations(true)).toEqual(["http://127.0.0.1/acs", "https://a.test/"]);
  expect(locations(false)).toEqual(["https://a.test/"]);
});

test("a format of NameIDs is one run of text", () => {
  const format = (content: string) => `<md:NameIDFormat>${content}</md:NameIDFormat>`;
  const all = [format(" urn:a\n"), format("urn:<!-- -->b"), format(""), format("<![CDATA[urn:c]]>")];
  expect(read(withServices(all.join(""))).nameIdFormats).toEqual(["urn:a"]);
});

describe("attribute consuming services", () => {
  const attributes = (rest: string, content = '<md:RequestedAttribute Name="mail"/>') =>
    `<md:AttributeConsumingService ${rest}>${content}</md:AttributeConsumingService>`;
  const defaults = (...rests: readonly string[]) =>
    read(withServices(rests.map((rest) => attributes(rest)).join(""))).attributeServices.map(
      ({ index, isDefault }) => [index, isDefault],
    );

  test("one is the default: the first one that says so, else the first that does not deny it, else the first", () => {
    expect(defaults('index="1"', 'index="2" isDefault="true"', 'index="3" isDefault="1"')).toEqual([
      [1, false],
      [2, true],
      [3, false],
    ]);
    expect(defaults('index="1" isDefault="false"', 'index="2"')).toEqual([
      [1, false],
      [2, true],
    ]);
    expect(defaults('index="1" isDefault="0"', 'index="2" isDefault="false"')).toEqual([
      [1, true],
      [2, false],
    ]);
  });

  test("no request can name one without a number", () => {
    expect(defaults("", 'index="x"', 'index="999999"').map(([index]) => index)).toEqual([-1, -1, -1]);
  });

  test("attributes without a name are left out", () => {
    const content = '<md:RequestedAttribute/><md:RequestedAttribute Name="a" NameFormat="urn:f"/>';
    expect(read(withServices(attributes('index="0"', content))).attributeServices[0]?.requested).toEqual([
      { name: "a", nameFormat: "urn:f" },
    ]);
  });
});

describe("of several SPSSODescriptors", () => {
  const descriptor = (location: string, rest = "") =>
    `<md:SPSSODescriptor protocolSupportEnumeration="${protocol}" ${rest}>${service(location)}</md:SPSSODescriptor>`;
  const past = new Date(nowMs - 1000).toISOString();
  const soon = new Date(nowMs + 1000).toISOString();
  const document = (...descriptors: readonly string[]) =>
    `<md:EntityDescriptor xmlns:md="${metadataNamespace}" entityID="e">${descriptors.join("")}</md:EntityDescriptor>`;
  const chosen = (xml: string, validUntilMs?: number) =>
    read(xml, validUntilMs === undefined ? {} : { validUntilMs }).assertionConsumerServices[0]?.location;
  const two = document(
    descriptor("https://a.test/", `validUntil="${past}"`),
    descriptor("https://b.test/", `validUntil="${soon}"`),
  );

  test("the first one that is valid counts", () => {
    expect(chosen(two)).toBe("https://b.test/");
    expect(chosen(document(descriptor("https://a.test/"), descriptor("https://b.test/")))).toBe(
      "https://a.test/",
    );
  });

  test("the one that was in force when the document was taken goes on, whatever the time (decision 30)", () => {
    expect(chosen(two, Date.parse(past))).toBe("https://a.test/");
    expect(chosen(two, Date.parse(soon))).toBe("https://b.test/");
  });

  test("the first one counts when all are over", () => {
    expect(chosen(document(descriptor("https://a.test/", `validUntil="${past}"`)))).toBe("https://a.test/");
  });

  test("those of other protocols never count", () => {
    const other = `<md:SPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:1.1:protocol">${service("https://a.test/")}</md:SPSSODescriptor>`;
    expect(chosen(document(other, descriptor("https://b.test/")))).toBe("https://b.test/");
  });
});

test.each([
  ["no XML", "<a"],
  ["another root", "<a/>"],
  ["a DOCTYPE", `<!DOCTYPE a>${metadata({})}`],
  ["no AssertionConsumerService", metadata({ services: "" })],
])("a document that would be refused now gives nothing: %s", (_what, xml) => {
  expect(read(xml)).toMatchObject({
    signsRequests: true,
    assertionConsumerServices: [],
    logoutServices: [],
    signingKeys: [],
    encryption: undefined,
    problems: ["the metadata breaks a rule that is newer than it: send a new document"],
  });
});

test("a document with the most elements that are allowed is read", () => {
  const many = "<md:Extensions/>".repeat(9_990);
  expect(read(withServices(many)).assertionConsumerServices).toHaveLength(1);
});
