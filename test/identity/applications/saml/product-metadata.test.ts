import { describe, expect, test } from "@jest/globals";
import { parseSamlMetadata } from "../../../../src/identity/applications/saml/metadata.ts";
import { reasonOf } from "../../user-service/fixture.ts";
import { type ProductMetadata, productMetadata } from "./product-metadata.ts";

const parse = (document: string, dev = false) =>
  parseSamlMetadata(new Uint8Array(Buffer.from(document)), {
    nowMs: Date.UTC(2026, 5, 1, 12),
    dev,
    field: "metadata_xml",
  });

const cases = productMetadata.map((each) => [each.product, each] as const);

describe("the metadata that a product generates is taken with its entity id and endpoints", () => {
  test.each(cases)("%s", (_product, { document, entityId, services, defaultIndex, validUntil }) => {
    expect(parse(document)).toEqual({
      entityId,
      xml: document.replace("\uFEFF", ""),
      assertionConsumerServices: services.map(([binding, location, index]) => ({
        binding,
        location,
        index,
        isDefault: index === defaultIndex,
      })),
      validUntilMs: validUntil === undefined ? undefined : Date.parse(validUntil),
    });
  });

  test.each(cases)(
    "%s, with a byte order mark, line ends of Windows and comments around",
    (_product, each) => {
      const declaration = /^\uFEFF?(<\?xml[^>]*>)?/.exec(each.document)?.[0] ?? "";
      const body = each.document.slice(declaration.length).replaceAll(/\r?\n/g, "\r\n");
      const plain = declaration.replace("\uFEFF", "");
      const changed = `\uFEFF${plain}\r\n<!-- downloaded -->\r\n${body}\r\n<!-- end -->\r\n`;
      expect(parse(changed).assertionConsumerServices).toEqual(
        parse(each.document).assertionConsumerServices,
      );
    },
  );
});

describe("large metadata is taken, as services of many tenants and languages publish it:", () => {
  const post = "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST";
  const times = (count: number, make: (at: number) => string) =>
    Array.from({ length: count }, (_, at) => make(at)).join("\n");
  const document = (extensions: string, count: number, rest = "") =>
    `<ns0:EntityDescriptor xmlns:ns0="urn:oasis:names:tc:SAML:2.0:metadata" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
      xsi:schemaLocation="urn:oasis:names:tc:SAML:2.0:metadata saml-schema-metadata-2.0.xsd" entityID="urn:large">
      <ns0:SPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol">
      <ns0:Extensions><mdui:UIInfo xmlns:mdui="urn:oasis:names:tc:SAML:metadata:ui">${extensions}</mdui:UIInfo></ns0:Extensions>
      ${times(count, (at) => `<ns0:AssertionConsumerService Binding="${post}" Location="https://t${at}.example.com/acs" index="${at}"/>`)}
      ${rest}</ns0:SPSSODescriptor></ns0:EntityDescriptor>`;
  const names = (count: number) =>
    times(count, (at) => `<mdui:DisplayName xml:lang="l${at}">n &amp; m</mdui:DisplayName>`);
  const attributes = times(
    1500,
    (at) =>
      `<ns0:RequestedAttribute FriendlyName="a${at}" Name="urn:oid:1.2.${at}" NameFormat="urn:oasis:names:tc:SAML:2.0:attrname-format:uri" isRequired="false"/>`,
  );

  test.each([
    ["1,900 endpoints", document("", 1900), 1900],
    ["4,500 names in languages", document(names(4500), 2), 2],
    [
      "1,500 requested attributes, with 6,000 attributes of their own",
      document(
        "",
        1,
        `<ns0:AttributeConsumingService index="0">${attributes}</ns0:AttributeConsumingService>`,
      ),
      1,
    ],
    [
      "a logo of 60 kB in an attribute",
      document(`<x:logo xmlns:x="urn:x" src="data:image/png;base64,${"A".repeat(60_000)}"/>`, 1),
      1,
    ],
    [
      "a logo of 200 kB in text",
      document(`<mdui:Logo height="9" width="9">data:image/png;base64,${"A".repeat(200_000)}</mdui:Logo>`, 1),
      1,
    ],
  ])("%s", (_name, text, count) => {
    expect(parse(text).assertionConsumerServices).toHaveLength(count);
  });
});

describe("what a product generates but nobody can send assertions to is refused", () => {
  const of = (name: string) => productMetadata.find(({ product }) => product.startsWith(name));
  const shibboleth = documentOf(of("Shibboleth"));
  const adfs = documentOf(of("AD FS"));
  const federation = `<md:EntitiesDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" Name="urn:example">${shibboleth}</md:EntitiesDescriptor>`;
  test.each([
    ["a federation of entities", "SAML_METADATA_ROOT", federation],
    ["an identity provider only", "SAML_METADATA_NO_SP", without(adfs, "SPSSODescriptor")],
    [
      "a service provider of SAML 1.1 only",
      "SAML_METADATA_NO_SP",
      shibboleth.replace("urn:oasis:names:tc:SAML:2.0:protocol ", ""),
    ],
    ["keys and log-out only", "SAML_METADATA_NO_ACS", without(shibboleth, "md:AssertionConsumerService")],
    [
      "an endpoint that is not encrypted",
      "SAML_METADATA_ACS_LOCATION",
      shibboleth.replaceAll("https://sp.example.org/Shibboleth.sso/SAML2/ECP", "http://sp.example.org/ECP"),
    ],
    [
      "a document that was kept too long",
      "SAML_METADATA_EXPIRED",
      documentOf(of("php-saml")).replace("2026-06-03", "2026-05-31"),
    ],
    [
      "a document that was cut off",
      "SAML_METADATA_MALFORMED",
      shibboleth.slice(0, shibboleth.indexOf("</md:SPSSODescriptor>")),
    ],
    [
      "an address with a bare ampersand",
      "SAML_METADATA_MALFORMED",
      documentOf(of("Salesforce")).replace("&amp;", "&"),
    ],
    ["another encoding", "SAML_METADATA_ENCODING", documentOf(of("pysaml2")).replace("UTF-8", "ISO-8859-1")],
  ])("%s: %s", (_name, reason, document) => {
    expect(reasonOf(() => parse(document))).toBe(reason);
  });

  test("but for endpoints on loopback in local mode", () => {
    const local = shibboleth.replaceAll("https://sp.example.org/", "http://localhost:8080/");
    expect(parse(local, true).assertionConsumerServices[0]?.location).toBe(
      "http://localhost:8080/Shibboleth.sso/SAML2/POST",
    );
    expect(reasonOf(() => parse(local))).toBe("SAML_METADATA_ACS_LOCATION");
  });
});

function documentOf(product: ProductMetadata | undefined): string {
  if (product === undefined) throw new Error("there is no such product in the table");
  return product.document;
}

/** Returns the document without the elements of that name. */
function without(document: string, name: string): string {
  const changed = document.replaceAll(new RegExp(`<${name}\\b[^>]*/>|<${name}\\b[^]*?</${name}>`, "g"), "");
  if (changed === document) throw new Error(`there is no ${name} in it`);
  return changed;
}
