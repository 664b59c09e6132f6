import { describe, expect, test } from "@jest/globals";
import { reasonOf as problemReason } from "../../../support/problems.ts";
import { parseSamlMetadata } from "../../../../src/identity/applications/saml/metadata.ts";
import { metadata } from "./metadata-document.ts";

function parse(document: string | Uint8Array) {
  const bytes = typeof document === "string" ? new Uint8Array(Buffer.from(document)) : document;
  return parseSamlMetadata(bytes, { nowMs: Date.UTC(2026, 5, 1, 12), dev: false, field: "metadata_xml" });
}

const reasonOf = (document: string | Uint8Array) => problemReason(() => parse(document));

describe("the encoding", () => {
  const xml = metadata({ prolog: '<?xml version="1.0"?>' });
  const utf16 = Buffer.from(xml, "utf16le");
  const marked = (text: string, isBigEndian = false) => {
    const bytes = Buffer.from(`\uFEFF${text}`, "utf16le");
    return new Uint8Array(isBigEndian ? bytes.swap16() : bytes);
  };

  test.each([
    ["UTF-7, declared", metadata({ prolog: '<?xml version="1.0" encoding="UTF-7"?>' })],
    ["UTF-16, declared only", metadata({ prolog: '<?xml version="1.0" encoding="UTF-16"?>' })],
    ["ISO-8859-1, declared", metadata({ prolog: "<?xml version='1.0' encoding = 'ISO-8859-1' ?>" })],
    ["an empty one", metadata({ prolog: '<?xml version="1.0" encoding=""?>' })],
    [
      "another one, far behind",
      metadata({ prolog: `<?xml version="1.0"${" ".repeat(1000)}encoding="UTF-16"?>` }),
    ],
    [
      "UTF-16 with mark that declares UTF-8",
      marked(metadata({ prolog: '<?xml version="1.0" encoding="UTF-8"?>' })),
    ],
    [
      "UTF-16 with mark that declares UTF-16BE",
      marked(metadata({ prolog: '<?xml version="1.0" encoding="UTF-16BE"?>' })),
    ],
    ["UTF-16 with mark that is cut off in a character", marked(xml).subarray(0, -1)],
    ["UTF-16 with mark and half a pair of surrogates", marked(`${xml}\ud800`)],
    ["UTF-16 with two marks", marked(`\u0000${xml}`)],
    [
      "UTF-32 LE with mark",
      new Uint8Array(Buffer.concat([Buffer.from([0xff, 0xfe, 0, 0]), Buffer.from("<\0\0\0")])),
    ],
    ["UTF-16 LE without mark", new Uint8Array(utf16)],
    ["UTF-16 BE without mark", new Uint8Array(Buffer.from(utf16).swap16())],
    ["Latin-1 bytes", new Uint8Array(Buffer.from(metadata({ entityId: "https://zoë.example" }), "latin1"))],
    ["an overlong form", new Uint8Array(Buffer.concat([Buffer.from(xml), Buffer.from([0xc0, 0xbc])]))],
    ["a surrogate", new Uint8Array(Buffer.concat([Buffer.from(xml), Buffer.from([0xed, 0xa0, 0x80])]))],
  ])("must be UTF-8: %s", (_name, document) => {
    expect(reasonOf(document)).toBe("SAML_METADATA_ENCODING");
  });

  test.each([false, true])(
    "may be UTF-16 with a byte order mark (XML 1.0 §4.3.3), big endian: %s",
    (isBigEndian) => {
      const entityId = "https://zoë.example/\u{1F600}";
      const of = (prolog: string) => parse(marked(metadata({ prolog, entityId }), isBigEndian));
      expect(of("").entityId).toBe(entityId);
      expect(of('<?xml version="1.0"?>').xml).toBe(metadata({ prolog: '<?xml version="1.0"?>', entityId }));
      const stored = of('<?xml version="1.0" encoding = "utf-16" standalone="no"?>').xml;
      expect(stored).toBe(
        metadata({ prolog: '<?xml version="1.0" encoding = "UTF-8" standalone="no"?>', entityId }),
      );
      expect(parse(stored).entityId).toBe(entityId); // it is read again from what is stored
    },
  );

  test("as UTF-16 it has no more than 500,000 bytes, nor in UTF-8", () => {
    const fill = (text: string, bytes: number) => metadata({ epilog: `<!--${text.repeat(bytes)}-->` });
    const rest = 249_999 - fill("", 0).length;
    expect(parse(marked(fill("x", rest))).entityId).toBe("https://sp.example.com/metadata");
    expect(reasonOf(marked(fill("x", rest + 1)))).toBe("SAML_METADATA_TOO_LARGE");
    expect(reasonOf(marked(fill("\u3042", 200_000)))).toBe("SAML_METADATA_TOO_LARGE");
  });

  test.each(['encoding="UTF-8"', "encoding='utf-8'", 'encoding="Utf-8" standalone="no"', 'standalone="yes"'])(
    "may be declared as %s",
    (declaration) => {
      expect(parse(metadata({ prolog: `<?xml version="1.0" ${declaration}?>` })).xml).toContain(declaration);
    },
  );

  test("UTF-7 that is not declared is no XML", () => {
    expect(reasonOf("+ADw-md:EntityDescriptor/+AD4-")).toBe("SAML_METADATA_MALFORMED");
  });
});
