import { describe, expect, test } from "@jest/globals";
import { parseSamlMetadata } from "../../../../src/identity/applications/saml/metadata.ts";
import { productMetadata } from "./product-metadata.ts";

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
