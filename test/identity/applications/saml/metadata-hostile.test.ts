import { describe, expect, test } from "@jest/globals";
import * as fc from "fast-check";
import { Problem } from "../../../../src/kernel/base/problem.ts";
import { parseSamlMetadata, type SamlMetadata } from "../../../../src/identity/applications/saml/metadata.ts";
import { metadata, service } from "./metadata-document.ts";

/** Returns what the document says, or the problem that it is refused with. */
function judge(document: string | Uint8Array): SamlMetadata | Problem {
  const bytes = typeof document === "string" ? new Uint8Array(Buffer.from(document)) : document;
  try {
    return parseSamlMetadata(bytes, { nowMs: Date.UTC(2026, 5, 1), dev: false, field: "metadata_xml" });
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
}

function around(content: string): string {
  return metadata({ before: `<md:Extensions>${content}</md:Extensions>` });
}

function fill(unit: string, length = 490_000): string {
  return unit.repeat(Math.floor(length / unit.length));
}

function many(count: number, make: (index: number) => string): string {
  return Array.from({ length: count }, (_, index) => make(index)).join("");
}

const malformed = "SAML_METADATA_MALFORMED";

describe("what is not well-formed", () => {
  test.each([
    ["nothing", ""],
    ["white space", " \n "],
    ["text", "text"],
    ["JSON", "{}"],
    ["no root", '<?xml version="1.0"?><!-- nothing -->'],
    ["text in front", metadata({ prolog: "x" })],
    ["text behind", metadata({ epilog: "x" })],
    ["a reference behind", metadata({ epilog: "&#32;" })],
    ["a CDATA section in front", metadata({ prolog: "<![CDATA[ ]]>" })],
    ["a CDATA section behind", metadata({ epilog: "<![CDATA[ ]]>" })],
    ["a byte order mark too many", metadata({ prolog: "\uFEFF\uFEFF" })],
    ["white space before the declaration", metadata({ prolog: ' <?xml version="1.0"?>' })],
    ["a declaration without version", metadata({ prolog: '<?xml encoding="UTF-8"?>' })],
    ["a second declaration", metadata({ prolog: '<?xml version="1.0"?><?xml version="1.0"?>' })],
    ["an end that is missing", metadata({}).replace("</md:EntityDescriptor>", "")],
    ["an end too many", metadata({ epilog: "</md:EntityDescriptor>" })],
    ["an end cut off", metadata({}).slice(0, -1)],
    ["ends in the wrong order", around("<a><b></a></b>")],
    ["an end in another case", around("<a></A>")],
    ["an end with an attribute", around('<a></a b="c">')],
    ["an end with a line break and more", around("<a></a\nb>")],
    [
      "a comment inside the name",
      metadata({}).replace("<md:EntityDescriptor", "<md:Entity<!-- -->Descriptor"),
    ],
    [
      "a comment inside the tag",
      metadata({}).replace("<md:EntityDescriptor", "<md:EntityDescriptor<!-- -->"),
    ],
    ["a comment that is not closed", around("<!-- ")],
    ["a comment with two hyphens", around("<!-- -- -->")],
    ["a comment with three hyphens at its end", around("<!-- --->")],
    ["a comment of one piece", around("<!--->")],
    ["an instruction that is not closed", around("<?a ")],
    ["an instruction without name", around("<? ?>")],
    ["a CDATA section that is not closed", around("<![CDATA[ ]]")],
    ["another declaration", around("<!ELEMENT a ANY>")],
    ["]]> in text", around("]]>")],
    ["a bare ampersand", around("a & b")],
    ["a bare ampersand at the end", around("a &")],
    ["an ampersand in an attribute", around('<a b="c&d=e"/>')],
    ["an entity that XML has not", around("&nbsp;")],
    ["an entity without semicolon", around("&amp ")],
    ["a reference to NUL", around("&#0;")],
    ["a reference to a control character", around("&#x1;")],
    ["a reference to a surrogate", around("&#xD800;")],
    ["a reference to a noncharacter", around("&#xFFFE;")],
    ["a reference beyond Unicode", around("&#x110000;")],
    ["a reference in wrong digits", around("&#xg;")],
    ["a reference with a capital X", around("&#X41;")],
    ["a NUL", around("\0")],
    ["a control character", around("\u0001")],
    ["a noncharacter", around("\uFFFF")],
    ["< in an attribute", around('<a b="<"/>')],
    ["an attribute without quotes", around("<a b=c/>")],
    ["an attribute without value", around("<a b/>")],
    ["an attribute without equals sign", around('<a b"c"/>')],
    ["an attribute without white space before it", around('<a b="c"d="e"/>')],
    ["entityID twice", metadata({ entity: 'entityID="other"' })],
    ["a name that begins with a digit", around("<1a/>")],
    ["a name with a control character for white space", around("<a\u0080b='c'/>")],
    ["an attribute that begins with a digit", around('<a 1b="c"/>')],
    ["a space before the name", around("< a/>")],
    ["a slash in the middle", around("<a / b='c'/>")],
    ["an empty name", around("<></>")],
    ["the same ID twice", around('<a ID="x"/><b ID="x"/>')],
    ["the same ID in elements in each other", metadata({ entity: 'ID="x"', before: '<a ID="x"/>' })],
    [
      "the same ID under the name of XML, declared",
      around('<a Id="x"/><b xmlns:xml="http://www.w3.org/XML/1998/namespace" xml:id="x"/>'),
    ],
  ])("is refused: %s", (_name, document) => {
    expect(judge(document)).toMatchObject({ reason: malformed });
  });
});

// What XML can be abused for, each as large as it may be.
describe("a hostile document", () => {
  const nested = "<a>".repeat(100_000) + "</a>".repeat(100_000);
  const refused: readonly (readonly [name: string, document: string, reason: string])[] = [
    [
      "an entity bomb",
      `<!DOCTYPE a [<!ENTITY a "b">${fill('<!ENTITY b "&a;&a;">')}]><a>&b;</a>`,
      "SAML_METADATA_DOCTYPE",
    ],
    ["a million character references", around("&#9;".repeat(1_000_000)), "SAML_METADATA_TOO_LARGE"],
    ["all character references that fit", around(fill("&#9;")), malformed],
    ["character references in an attribute", around(`<a b="${fill("&#9;")}"/>`), malformed],
    ["100,000 nested elements", nested, "SAML_METADATA_TOO_LARGE"],
    ["all nested elements that fit", around("<a>".repeat(70_000) + "</a>".repeat(70_000)), malformed],
    ["nested elements that do not end", fill("<a>"), malformed],
    ["a level more than there may be", around("<a>".repeat(49) + "</a>".repeat(49)), malformed],
    [
      "a level more than there may be, empty",
      around(`${"<a>".repeat(48)}<a/>${"</a>".repeat(48)}`),
      malformed,
    ],
    ["elements side by side", around(fill("<a/>")), malformed],
    ["an element more than there may be", around("<a/>".repeat(9997)), malformed],
    [
      "an attribute more than there may be",
      around(`<a ${many(19_995, (index) => `a${index}="" `)}/>`),
      malformed,
    ],
    ["a comment more than there may be", around("<!---->".repeat(1001)), malformed],
    ["a reference more than there may be", around("&#65;".repeat(5001)), malformed],
    ["an attribute of a byte more than 64 KiB", around(`<a b="${"x".repeat(65_537)}"/>`), malformed],
    ["an attribute of two bytes more than 64 KiB", around(`<a b="${"é".repeat(32_769)}"/>`), malformed],
    [
      "a service more than there may be",
      metadata({ services: many(2001, () => service(undefined, "")) }),
      malformed,
    ],
    ["an attribute of 400 kB", metadata({ entity: `a="${"a".repeat(400_000)}"` }), malformed],
    ["attributes without end", around(`<a ${many(40_000, (index) => `a${index}="" `)}/>`), malformed],
    ["namespaces without end", around(`<a ${many(20_000, (index) => `xmlns:a${index}="u" `)}/>`), malformed],
    ["comments without end", around(fill("<!---->")), malformed],
    ["instructions without end", around(fill("<?a?>")), malformed],
    ["CDATA sections without end", around(fill("<![CDATA[]]>")), malformed],
    ["an open comment", `<!--${fill("- ")}`, malformed],
    ["an open instruction", `<?a ${fill(" ")}`, malformed],
    ["an open attribute", `<a b="${fill("c")}`, malformed],
    ["an open tag", `<a${fill(" ")}`, malformed],
    ["an open name", `<${fill("a")}`, malformed],
    ["an end of white space", `<a></a${fill(" ")}b>`, malformed],
    ["only <", fill("<"), malformed],
    ["only &", around(fill("&")), malformed],
    ["only colons", `<${fill(":")}/>`, malformed],
    ["white space only", fill(" "), malformed],
    ["a declaration without end", `<?xml ${fill(" encoding=")}`, malformed],
    ["a name of 490 kB", `<${fill("a")}/>`, "SAML_METADATA_ROOT"],
    ["the name of an attribute of 490 kB", `<a ${fill("b")}=""/>`, "SAML_METADATA_ROOT"],
    ["more than 500,000 bytes", around("x".repeat(500_000)), "SAML_METADATA_TOO_LARGE"],
  ];

  test.each(refused)("is refused: %s", (_name, document, reason) => {
    expect(judge(document)).toMatchObject({ reason });
  });

  // The largest that are accepted: they too must not hold up other callers. The worst are those of many namespaces.
  const filled = (count: number, make: (index: number) => string) =>
    around(many(count, make) + "t".repeat(499_000 - Buffer.byteLength(around(many(count, make)))));
  const accepted: readonly (readonly [name: string, document: string])[] = [
    ["elements", filled(9996, () => "<a></a>")],
    ["elements with text", around(many(9996, () => `<md:a>${"t".repeat(25)}</md:a> \r`))],
    ["elements with two attributes", around(many(9996, () => `<a b="" c="${"v".repeat(20)}"/> `))],
    ["elements with a namespace each", filled(9996, (index) => `<a xmlns="urn:${index}"/>`)],
    ["elements with a prefix each", filled(9996, (index) => `<p:a xmlns:p="urn:${index}" p:b=""/>`)],
    ["elements with an ID each", filled(9996, (index) => `<a ID="i${index}"/>`)],
    ["levels", around(many(208, () => "<a>".repeat(48) + "</a>".repeat(48)))],
    [
      "levels with namespaces",
      around(many(200, () => '<a xmlns:x="u" xmlns:y="v">'.repeat(48) + "</a>".repeat(48))),
    ],
    ["attributes", around(`<a ${many(19_994, (index) => `a${index}="v" `)}/>`)],
    ["attributes with a prefix", around(`<a xmlns:p="u" ${many(19_990, (index) => `p:a${index}="" `)}/>`)],
    [
      "attributes in a long namespace",
      around(`<a xmlns:p="${"u".repeat(65_536)}" ${many(19_990, (index) => `p:a${index}="" `)}/>`),
    ],
    ["namespaces", around(`<a ${many(19_990, (index) => `xmlns:a${index}="u${index}" `)}/>`)],
    [
      "namespaces in scope",
      around(
        `<a ${many(9990, (index) => `xmlns:a${index}="u" `)}>${many(9000, () => '<b xmlns:z="u"/>')}</a>`,
      ),
    ],
    ["long attributes", around(many(7, () => `<a b="${"x".repeat(65_536)}"/>`))],
    ["long attributes of two bytes a character", around(many(7, () => `<a b="${"é".repeat(32_768)}"/>`))],
    ["references", around(fill("&#65;", 24_990) + "x".repeat(460_000))],
    ["references in attributes", around(many(4990, () => '<a b="&lt;"/>'))],
    ["comments", around(many(1000, () => `<!--${"c".repeat(480)}-->`))],
    ["one comment", around(`<!--${fill("c")}-->`)],
    ["CDATA sections", around(many(990, () => `<![CDATA[${"]".repeat(480)}]]>`))],
    ["line ends", around(fill("\r"))],
    ["text", around(fill("é", 240_000))],
    [
      "services",
      metadata({
        services: many(2000, (index) => service("https://sp.example.com/acs", `index="${index}"`)),
      }),
    ],
    [
      "services without index",
      metadata({ services: many(2000, () => service("https://sp.example.com/acs", "")) }),
    ],
  ];

  test.each(accepted)("is accepted with as many as there may be: %s", (_name, document) => {
    expect(judge(document)).toMatchObject({ entityId: "https://sp.example.com/metadata" });
  });

  test.each([...refused, ...accepted].map(([name, document]) => [name, document] as const))(
    "is judged within 100 ms of CPU: %s",
    (_name, document) => {
      const bytes = new Uint8Array(Buffer.from(document));
      // Of this process alone, as other tests run beside it; a collection of garbage may slow one of them.
      const isQuick = [1, 2, 3, 4, 5].some(() => {
        const before = process.cpuUsage();
        judge(bytes);
        const { user, system } = process.cpuUsage(before);
        return user + system < 100_000;
      });
      expect(isQuick).toBe(true);
    },
  );
});

describe("any document", () => {
  const sample = metadata({
    prolog: '<?xml version="1.0" encoding="UTF-8"?><!-- a -->',
    entity: 'ID="i" validUntil="2030-01-01T00:00:00Z"',
    before: "<md:Extensions><a xmlns='u' b='&amp;'>&#65;<![CDATA[c]]></a></md:Extensions>",
    services: service() + service("https://sp.example.com/b", 'index="1" isDefault="true"'),
  });

  const pieces = [
    "<",
    ">",
    "/",
    "&",
    ";",
    '"',
    "'",
    "=",
    " ",
    "\n",
    "\0",
    "<!--",
    "-->",
    "]]>",
    "<![CDATA[",
    "<?",
    "?>",
  ].concat([
    "md:",
    "xmlns",
    "xmlns:md",
    "&#",
    "x",
    "é",
    "\u2028",
    "\uFFFD",
    "javascript:",
    "http://",
    "#",
    "index",
    "-1",
  ]);

  const edit = fc.record({
    at: fc.nat({ max: sample.length }),
    length: fc.nat({ max: 12 }),
    text: fc.oneof(fc.constantFrom(...pieces), fc.string({ maxLength: 3 })),
  });

  test("that was changed is refused with a reason or still safe to use", () => {
    fc.assert(
      fc.property(fc.array(edit, { minLength: 1, maxLength: 3 }), (edits) => {
        let document = sample;
        for (const { at, length, text } of edits)
          document = document.slice(0, at) + text + document.slice(at + length);
        const outcome = judge(document);
        const locations = outcome instanceof Problem ? [] : outcome.assertionConsumerServices;
        expect(locations.every(({ location }) => new URL(location).protocol === "https:")).toBe(true);
        expect(outcome instanceof Problem ? outcome.reason : "SAML_METADATA_").toMatch(/^SAML_METADATA_/);
      }),
      { numRuns: 300 },
    );
  });

  test("of any bytes is refused with a reason", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        expect(judge(bytes)).toMatchObject({ reason: expect.stringMatching(/^SAML_METADATA_/) });
      }),
      { numRuns: 100 },
    );
  });
});
