import { describe, expect, test } from "@jest/globals";
import { Problem } from "../../../../src/kernel/base/problem.ts";
import { parseSamlMetadata } from "../../../../src/identity/applications/saml/metadata.ts";
import { metadata, metadataNamespace, post, protocol, service } from "./metadata-document.ts";

const nowMs = Date.UTC(2026, 5, 1, 12);

function parse(document: string | Uint8Array, dev = false) {
  const bytes = typeof document === "string" ? new Uint8Array(Buffer.from(document)) : document;
  return parseSamlMetadata(bytes, { nowMs, dev, field: "metadata_xml" });
}

/** Returns the problem that the document is refused with. */
function refusalOf(document: string | Uint8Array, dev = false): Problem {
  try {
    parse(document, dev);
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
  throw new TypeError("the document was accepted");
}

function reasonOf(document: string | Uint8Array, dev = false): string {
  return refusalOf(document, dev).reason;
}

describe("the metadata of a service provider", () => {
  test("is read", () => {
    const xml = metadata({
      prolog: '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n<!-- ours -->\n<?our instruction?>\n',
      entityId: "https://sp.example.com/?a=1&amp;b=2",
      before: "<md:Extensions><a xmlns='urn:other' ID='x'>text &lt; <![CDATA[<&]]></a></md:Extensions>",
      services: `<md:NameIDFormat>a</md:NameIDFormat>${service("https://sp.example.com/a", 'index="7" isDefault="true"')}
        <md:AssertionConsumerService index="3" Binding="urn:other" Location="https://sp.example.com:8443/b?c=d&amp;e"/>`,
      epilog: "\n<!-- end -->\n",
    });
    expect(parse(xml)).toEqual({
      entityId: "https://sp.example.com/?a=1&b=2",
      xml,
      assertionConsumerServices: [
        { binding: post, location: "https://sp.example.com/a", index: 7, isDefault: true },
        { binding: "urn:other", location: "https://sp.example.com:8443/b?c=d&e", index: 3, isDefault: false },
      ],
    });
  });

  test("may use any prefix, or none", () => {
    const other = metadata({}).replaceAll("md:", "x:").replace("xmlns:md", "xmlns:x");
    const none = metadata({}).replaceAll("md:", "").replace("xmlns:md", "xmlns");
    expect([other, none].map((xml) => parse(xml).entityId)).toEqual(
      Array(2).fill("https://sp.example.com/metadata"),
    );
  });

  test("may have a byte order mark, which is left out of the text", () => {
    expect(parse(`\uFEFF${metadata({})}`).xml).toBe(metadata({}));
  });

  test("may use a prefix again for something else", () => {
    const before = '<md:Extensions><md:EntityDescriptor xmlns:md="urn:other"/></md:Extensions>';
    expect(parse(metadata({ before })).assertionConsumerServices).toHaveLength(1);
  });

  test("may be of an identity provider too", () => {
    const before = `<md:IDPSSODescriptor protocolSupportEnumeration="${protocol}"/>`;
    expect(parse(metadata({ before })).entityId).toBe("https://sp.example.com/metadata");
  });

  test("is refused with the field that gave it", () => {
    const parseUrl = () => parseSamlMetadata(new Uint8Array(), { nowMs, dev: false, field: "metadata_url" });
    const description = "the document is not well-formed XML at line 1";
    expect(parseUrl).toThrow(
      expect.objectContaining({
        kind: "invalid",
        reason: "SAML_METADATA_MALFORMED",
        message: `metadata_url: ${description}`,
        violations: [{ field: "metadata_url", description }],
      }),
    );
  });

  test("may have 500,000 bytes and no more", () => {
    const rest = 500_000 - metadata({}).length;
    expect(parse(metadata({ epilog: " ".repeat(rest) })).entityId).toBe("https://sp.example.com/metadata");
    expect(reasonOf(metadata({ epilog: " ".repeat(rest + 1) }))).toBe("SAML_METADATA_TOO_LARGE");
  });
});

describe("a DOCTYPE", () => {
  test.each([
    ["with an external entity", '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]>'],
    ["with an external subset", '<!DOCTYPE a SYSTEM "http://127.0.0.1/a.dtd">'],
    ["with a parameter entity", '<!DOCTYPE a [<!ENTITY % b SYSTEM "http://127.0.0.1/">%b;]>'],
    ["empty", "<!DOCTYPE a>"],
    ["in small letters", "<!doctype a>"],
    ["in mixed letters", "<!DocType a>"],
    ["behind a comment that speaks of one", "<!-- <!DOCTYPE a> --><!DOCTYPE a>"],
    ["behind an instruction", "<?a <!-- ?><!DOCTYPE a><?b --> ?>"],
    ["reduced to an entity", '<!ENTITY a "b">'],
  ])("is refused: %s", (_name, prolog) => {
    expect(reasonOf(metadata({ prolog }))).toBe("SAML_METADATA_DOCTYPE");
  });

  test.each([
    ["in an element", metadata({ before: "<md:Extensions><!DOCTYPE a></md:Extensions>" })],
    ["behind CDATA", metadata({ before: "<md:Extensions><![CDATA[]]><!ENTITY a 'b'></md:Extensions>" })],
    ["behind the root", metadata({ epilog: "<!DOCTYPE a>" })],
  ])("is refused %s", (_name, document) => {
    expect(reasonOf(document)).toBe("SAML_METADATA_DOCTYPE");
  });

  test.each([
    ["in a comment", metadata({ prolog: "<!-- <!DOCTYPE a [<!ENTITY b 'c'>]> -->" })],
    ["in an instruction", metadata({ prolog: "<?a <!DOCTYPE a> ?>" })],
    ["in a CDATA section", metadata({ before: "<md:Extensions><![CDATA[<!DOCTYPE a>]]></md:Extensions>" })],
    ["escaped", metadata({ before: "<md:Extensions>&lt;!DOCTYPE a></md:Extensions>" })],
  ])("may be spoken of %s", (_name, document) => {
    expect(parse(document).xml).toBe(document);
  });
});

describe("the root", () => {
  test.each([
    ["another namespace", metadata({}).replace(metadataNamespace, "urn:oasis:names:tc:SAML:1.0:metadata")],
    ["no namespace", "<EntityDescriptor entityID='a'/>"],
    [
      "an EntitiesDescriptor",
      `<EntitiesDescriptor xmlns="${metadataNamespace}">${metadata({})}</EntitiesDescriptor>`,
    ],
    ["something else around it", `<a>${metadata({})}</a>`],
    ["the name in another case", metadata({}).replaceAll("md:EntityDescriptor", "md:entityDescriptor")],
    ["a second one behind it", metadata({ epilog: metadata({}) })],
    ["a second one, empty", metadata({ epilog: "<a/>" })],
  ])("must be one EntityDescriptor: %s", (_name, xml) => {
    expect(reasonOf(xml)).toBe("SAML_METADATA_ROOT");
  });
});

describe("the entityID", () => {
  test.each([
    ["empty", metadata({ entityId: "" })],
    ["blank", metadata({ entityId: "  " })],
    ["absent", metadata({}).replace(/entityID="[^"]*"/, "")],
    ["in another case", metadata({}).replace("entityID=", "entityId=")],
    ["in the namespace of the element", metadata({}).replace("entityID=", "md:entityID=")],
    ["1025 characters long", metadata({ entityId: "😀".repeat(1025) })],
    ["with a control character", metadata({ entityId: "urn:a&#10;b" })],
  ])("is refused when it is %s", (_name, xml) => {
    expect(reasonOf(xml)).toBe("SAML_METADATA_ENTITY_ID");
  });

  test.each(["a", "urn:example:sp", "Our Service", "replaced \uFFFD", "😀".repeat(1024)])(
    "may be %s",
    (entityId) => {
      expect(parse(metadata({ entityId })).entityId).toBe(entityId);
    },
  );

  test("is that of XML 1.0, which knows no line ends but CR and LF", () => {
    expect(parse(metadata({ entityId: "urn:a\u2028b" })).entityId).toBe("urn:a\u2028b");
  });
});

describe("the SPSSODescriptor", () => {
  const namespace = 'xmlns:md="urn:other"';

  test.each([
    ["absent", metadata({}).replaceAll("SPSSODescriptor", "IDPSSODescriptor")],
    ["of another namespace", metadata({ provider: `${namespace} protocolSupportEnumeration="${protocol}"` })],
    [
      "further down",
      metadata({}).replace(/<md:SPSS.*<\/md:SPSSODescriptor>/, "<md:Extensions>$&</md:Extensions>"),
    ],
    [
      "of SAML 1.1",
      metadata({ provider: 'protocolSupportEnumeration="urn:oasis:names:tc:SAML:1.1:protocol"' }),
    ],
    ["of no protocol", metadata({ provider: 'protocolSupportEnumeration=""' })],
    ["of a protocol with a longer name", metadata({ provider: `protocolSupportEnumeration="${protocol}x"` })],
  ])("is missing when it is %s", (_name, xml) => {
    expect(reasonOf(xml)).toBe("SAML_METADATA_NO_SP");
  });

  test.each(["", `protocolSupportEnumeration=" urn:oasis:names:tc:SAML:1.1:protocol\n${protocol} "`])(
    "may have these attributes: %p",
    (provider) => {
      expect(parse(metadata({ provider })).assertionConsumerServices).toHaveLength(1);
    },
  );

  test("that counts is the first of SAML 2.0 that has not expired", () => {
    const old = 'validUntil="2020-01-01T00:00:00Z"';
    const before = [
      `protocolSupportEnumeration="a" ${old}`,
      `protocolSupportEnumeration="${protocol}" ${old}`,
    ]
      .map(
        (provider) =>
          `<md:SPSSODescriptor ${provider}>${service("https://old.example/")}</md:SPSSODescriptor>`,
      )
      .join("");
    const [first, ...others] = parse(metadata({ before })).assertionConsumerServices;
    expect([first?.location, others]).toEqual(["https://sp.example.com/acs", []]);
  });
});

describe("validUntil", () => {
  test.each([
    "2026-06-01T12:00:00Z",
    "2026-06-01T12:00:00.000Z",
    "2026-06-01T12:00:00",
    "2026-06-01T13:00:00+01:00",
    "2020-02-29T24:00:00Z",
    " 2020-01-01T00:00:00Z ",
  ])("has passed: %s", (validUntil) => {
    const entity = `validUntil="${validUntil}"`;
    expect(reasonOf(metadata({ entity }))).toBe("SAML_METADATA_EXPIRED");
    expect(reasonOf(metadata({ provider: entity }))).toBe("SAML_METADATA_EXPIRED");
  });

  test.each([
    "2026-06-01T12:00:00.001Z",
    "2026-06-01T12:00:01",
    "2026-06-01T11:30:00-01:00",
    "9999-12-31T23:59:59.9999999Z",
  ])("is to come: %s", (validUntil) => {
    const entity = `validUntil="${validUntil}"`;
    expect(parse(metadata({ entity })).entityId).toBe("https://sp.example.com/metadata");
    expect(parse(metadata({ provider: entity })).entityId).toBe("https://sp.example.com/metadata");
  });

  test.each([
    "",
    "tomorrow",
    "2030",
    "2030-01-01",
    "2030-02-30T00:00:00Z",
    "2030-13-01T00:00:00Z",
    "2030-01-01T25:00:00Z",
    "2030-01-01T24:00:01Z",
    "2030-01-01T00:60:00Z",
    "2030-01-01 00:00:00Z",
    "2030-01-01T00:00:00z",
    "2030-01-01T00:00:00+99:00",
    "Fri, 01 Jan 2030 00:00:00 GMT",
  ])("is no instant: %p", (validUntil) => {
    expect(reasonOf(metadata({ entity: `validUntil="${validUntil}"` }))).toBe("SAML_METADATA_MALFORMED");
  });
});

describe("an AssertionConsumerService", () => {
  test.each([
    ["there is none", ""],
    [
      "it is of another namespace",
      service()
        .replace("<md:", "<md:Extensions><md:")
        .replace("/>", ' xmlns:md="urn:other"/></md:Extensions>'),
    ],
    ["it is further down", `<md:Extensions>${service()}</md:Extensions>`],
    ["it has no namespace", '<AssertionConsumerService xmlns="" Location="https://sp.example.com/"/>'],
  ])("is missing when %s", (_name, services) => {
    expect(reasonOf(metadata({ services }))).toBe("SAML_METADATA_NO_ACS");
  });

  test.each([
    "",
    "javascript:alert(1)",
    "JavaScript:alert(1)",
    "&#106;avascript:alert(1)",
    "data:text/html,x",
    "http://sp.example.com/acs",
    "ftp://sp.example.com/acs",
    "//sp.example.com/acs",
    "/acs",
    "https:sp.example.com",
    "https://",
    " https://sp.example.com/acs",
    "https://sp.example.com/&#10;acs",
    "https://user@sp.example.com/acs",
    "https://sp.example.com/acs#fragment",
  ])("must have an https URL as Location, not %p", (location) => {
    expect(reasonOf(metadata({ services: service(location) }))).toBe("SAML_METADATA_ACS_LOCATION");
    expect(reasonOf(metadata({ services: service(location) }), true)).toBe("SAML_METADATA_ACS_LOCATION");
    expect(reasonOf(metadata({ services: service() + service(location, "index='1'") }))).toBe(
      "SAML_METADATA_ACS_LOCATION",
    );
  });

  test("must have a Location", () => {
    const services = service().replace(/Location="[^"]*"/, "");
    expect(reasonOf(metadata({ services }))).toBe("SAML_METADATA_ACS_LOCATION");
  });

  test.each([
    "http://localhost:3000/acs",
    "http://127.0.0.1/acs",
    "http://[::1]/acs",
    "http://app.localhost/",
  ])("may be on loopback over http only with dev: %s", (location) => {
    const xml = metadata({ services: service(location) });
    expect(parse(xml, true).assertionConsumerServices[0]?.location).toBe(location);
    expect(reasonOf(xml)).toBe("SAML_METADATA_ACS_LOCATION");
  });

  test.each([
    "ftp://localhost/acs",
    "http://10.0.0.1/acs",
    "http://localhost.example.com/",
    "javascript://localhost/",
  ])("may not be this with dev: %s", (location) => {
    expect(reasonOf(metadata({ services: service(location) }), true)).toBe("SAML_METADATA_ACS_LOCATION");
  });

  test.each([
    ["no Binding", service().replace(/Binding="[^"]*"/, "")],
    ["an empty Binding", service().replace(/Binding="[^"]*"/, 'Binding=" "')],
    ["a negative index", service(undefined, 'index="-1"')],
    ["an index too large", service(undefined, 'index="65536"')],
    ["an index of words", service(undefined, 'index="first"')],
    ["an empty index", service(undefined, 'index=""')],
    ["an index in another notation", service(undefined, 'index="0x1"')],
    ["the index of another one", service() + service()],
    ["the index of another one, spelt differently", service() + service(undefined, 'index="00"')],
    ["isDefault that is neither", service(undefined, 'index="0" isDefault="yes"')],
    ["isDefault in capitals", service(undefined, 'index="0" isDefault="TRUE"')],
  ])("must be as SAML demands, not with %s", (_name, services) => {
    expect(reasonOf(metadata({ services }))).toBe("SAML_METADATA_MALFORMED");
  });

  test("without index gets the smallest that is free", () => {
    const services = [
      service(undefined, ""),
      service(undefined, 'index=" 0 "'),
      service(undefined, 'index="65535"'),
      service(undefined, ""),
    ];
    const read = parse(metadata({ services: services.join("") })).assertionConsumerServices;
    expect(read.map(({ index }) => index)).toEqual([1, 0, 65_535, 2]);
  });

  // SAML Metadata §2.2.3
  test.each([
    ["the first that says so", ["", "false", "true", "1"], 2],
    ["the first that does not deny it", ["false", "0", "", ""], 2],
    ["the first", ["false", "0", "false"], 0],
  ])("is the default when it is %s", (_name, said, at) => {
    const services = said.map((text, index) =>
      service(undefined, `index="${index}" ${text === "" ? "" : `isDefault="${text}"`}`),
    );
    const read = parse(metadata({ services: services.join("") })).assertionConsumerServices;
    expect(read.map(({ isDefault }) => isDefault)).toEqual(said.map((_text, index) => index === at));
  });
});
