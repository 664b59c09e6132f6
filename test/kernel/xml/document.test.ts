import { DOMParser, type Element, onErrorStopParsing, onWarningStopParsing } from "@xmldom/xmldom";
import { describe, expect, test } from "@jest/globals";
import * as fc from "fast-check";
import { parseXml, type XmlDocument } from "../../../src/kernel/xml/document.ts";
import { type RawAttribute, XmlError } from "../../../src/kernel/xml/scan.ts";
import { productMetadata } from "../../identity/applications/saml/product-metadata.ts";
import { largeTest } from "../../support/large.ts";

const xmlNamespace = "http://www.w3.org/XML/1998/namespace";
const xmlnsNamespace = "http://www.w3.org/2000/xmlns/";

/** Returns the document, or the words that it is refused with. */
function judge(text: string): XmlDocument | string {
  try {
    return parseXml(text);
  } catch (error) {
    if (error instanceof XmlError) return error.message;
    throw error;
  }
}

describe("Namespaces in XML §7: what is not namespace-well-formed is refused", () => {
  test.each([
    ["xml for another namespace", '<a xmlns:xml="urn:x"/>'],
    ["another prefix for the namespace of xml", `<a xmlns:x="${xmlNamespace}"/>`],
    ["the namespace of xml by default", `<a xmlns="${xmlNamespace}"/>`],
    ["xmlns declared", `<a xmlns:xmlns="${xmlnsNamespace}"/>`],
    ["xmlns declared for another namespace", '<a xmlns:xmlns="urn:x"/>'],
    ["another prefix for the namespace of xmlns", `<a xmlns:x="${xmlnsNamespace}"/>`],
    ["the namespace of xmlns by default", `<a xmlns="${xmlnsNamespace}"/>`],
    ["xmlns before the name of an element", "<xmlns:a/>"],
    ["a prefix without namespace", "<x:a/>"],
    ["a prefix of an attribute without namespace", '<a x:b=""/>'],
    ["a prefix that only a sister declares", '<a><b xmlns:x="u"/><x:b/></a>'],
    ["a prefix that only a child declares", '<x:a><b xmlns:x="u"/></x:a>'],
    ["a prefix that is undeclared", '<a xmlns:x="u"><b xmlns:x=""/></a>'],
    ["a prefix declared twice", '<a xmlns:x="u" xmlns:x="u"/>'],
    ["a default declared twice", '<a xmlns="u" xmlns="v"/>'],
    ["an attribute twice", '<a b="" b=""/>'],
    ["an attribute twice by its expanded name", '<a xmlns:x="u" xmlns:y="u" x:b="" y:b=""/>'],
    ["an attribute twice by one prefix", '<a xmlns:x="u" x:b="" x:b=""/>'],
    ["two colons in the name of an element", '<x:a:b xmlns:x="u"/>'],
    ["two colons in the name of an attribute", '<a xmlns:x="u" x:b:c=""/>'],
    ["two colons in a declaration", '<a xmlns:x:y="u"/>'],
    ["a colon at the begin", "<:a/>"],
    ["a colon at the end", '<x: xmlns:x="u"/>'],
    ["a colon at the end of xmlns", '<a xmlns:="u"/>'],
    ["a prefix that begins with a digit", '<a xmlns:1x="u"/>'],
    ["a local name that begins with a digit", '<x:1a xmlns:x="u"/>'],
    ["a local name that begins with a hyphen", '<x:-a xmlns:x="u"/>'],
    ["a colon in the target of an instruction", "<a><?x:y z?></a>"],
    ["a colon in the target of an instruction in front", "<?x:y?><a/>"],
    ["an instruction for xml", "<a><?XML a?></a>"],
    ["a declaration with a colon", '<?xml:x version="1.0"?><a/>'],
    ["an end tag with another prefix for the namespace", '<x:a xmlns:x="u" xmlns:y="u"></y:a>'],
  ])("%s", (_name, text) => {
    expect(judge(text)).toMatch(/^(must not|is not well-formed)/);
  });
});

describe("what is namespace-well-formed is read", () => {
  const plainNames = (attributes: readonly RawAttribute[]) =>
    attributes.map(([name]) => name).filter((name) => !name.includes(":"));
  const namesIn = (text: string) =>
    parseXml(text).elements.map(({ namespace, localName, attributes }) =>
      [`{${namespace}}${localName}`].concat(plainNames(attributes)),
    );

  test.each([
    ["no namespace", "<a/>", [["{}a"]]],
    ["a default", '<a xmlns="u"><b/></a>', [["{u}a"], ["{u}b"]]],
    [
      "a default that is undeclared",
      '<a xmlns="u"><b xmlns=""><c/></b><d/></a>',
      [["{u}a"], ["{}b"], ["{}c"], ["{u}d"]],
    ],
    ["a prefix that is declared behind its use", '<x:a x:b="" c="" xmlns:x="u"/>', [["{u}a", "c"]]],
    [
      "a prefix used again",
      '<x:a xmlns:x="u"><x:b xmlns:x="v"/><x:c/></x:a>',
      [["{u}a"], ["{v}b"], ["{u}c"]],
    ],
    ["attributes of one local name", '<a xmlns="u" xmlns:x="u" b="" x:b=""/>', [["{u}a", "b"]]],
    ["xml without declaration", '<a xml:lang="de"/>', [["{}a"]]],
    [
      "xml declared for its namespace",
      `<a xmlns:xml="${xmlNamespace}"><xml:b/></a>`,
      [["{}a"], [`{${xmlNamespace}}b`]],
    ],
    ["prefixes that begin like xml", '<a xmlns:xmlfoo="u"><xmlfoo:b/></a>', [["{}a"], ["{u}b"]]],
    ["an element with the local name xmlns", "<a><xmlns/></a>", [["{}a"], ["{}xmlns"]]],
    ["an attribute that begins like xmlns", '<a xmlnsfoo=""/>', [["{}a", "xmlnsfoo"]]],
    ["names of other scripts", '<größe xmlns:日="u"><日:本 é=""/></größe>', [["{}größe"], ["{u}本", "é"]]],
    ["names with all that they may hold", "<_a-b.c·9 d-.9=''/>", [["{}_a-b.c·9", "d-.9"]]],
    ["comments that begin like an end", "<a><!--><b/>--><!--->--><c/></a>", [["{}a"], ["{}c"]]],
    ["instructions", "<?a?><?xml-stylesheet b:c?><a><?xmlns?></a>", [["{}a"]]],
  ])("with %s", (_name, text, names) => {
    expect(namesIn(text)).toEqual(names);
  });

  test("with values as XML 1.0 §3.3.3 has them", () => {
    const text = `<a b=" 1\t2\r\n3\n4\r5 " c="&#9;&#xA;&lt;&amp;amp;&quot;&apos;'" d='"&#x1F600;'/>`;
    expect(Object.fromEntries(parseXml(text).root.attributes)).toEqual({
      b: " 1 2 3 4 5 ",
      c: "\t\n<&amp;\"''",
      d: '"\u{1F600}',
    });
  });
});

describe("the declaration of XML is that of XML 1.0 §2.8", () => {
  test.each([
    '<?xml version="1.0"?><a/>',
    "<?xml version='1.0' encoding='UTF-8' standalone='no' ?>\n<a/>",
    '<?xml\tversion = "1.1"\r\nencoding="utf-8"?><a/>',
  ])("%j is taken", (text) => {
    expect(judge(text)).toHaveProperty("root");
  });

  test.each([
    "<?xml?><a/>",
    '<?xml encoding="UTF-8"?><a/>',
    '<?xml version="2.0"?><a/>',
    '<?xml version="1.0" standalone="no" encoding="UTF-8"?><a/>',
    '<?xml version="1.0" standalone="maybe"?><a/>',
    '<?xml version="1.0"encoding="UTF-8"?><a/>',
    '<?xml version="1.0" more=""?><a/>',
    "<?xml version=\"1.0'?><a/>",
    '<?XML version="1.0"?><a/>',
    '<a/><?xml version="1.0"?>',
  ])("%j is refused", (text) => {
    expect(judge(text)).toMatch(/^is not well-formed/);
  });
});

/** Reads the document with xmldom, which lets pass what is not well-formed, but is right about what is. */
function readByXmldom(text: string) {
  const parser = new DOMParser({
    locator: false,
    onError: text.includes("\uFFFD") ? onErrorStopParsing : onWarningStopParsing, // it warns of U+FFFD
    normalizeLineEndings: (source) => source.replaceAll(/\r\n?/g, "\n"), // its own is that of XML 1.1
  });
  const root = parser.parseFromString(text, "application/xml").documentElement;
  return root === null ? [] : [root, ...root.getElementsByTagName("*")].map(toPlain);
}

function toPlain(element: Element) {
  const attributes = [...element.attributes].filter(({ namespaceURI }) => namespaceURI === null);
  return {
    namespace: element.namespaceURI ?? "",
    localName: element.localName,
    attributes: Object.fromEntries(attributes.map(({ name, value }) => [name, value])),
    children: [...element.childNodes].filter(({ nodeType }) => nodeType === element.ELEMENT_NODE).length,
  };
}

function readByUs(text: string) {
  return parseXml(text).elements.map(({ namespace, localName, attributes, children }) => ({
    namespace,
    localName,
    attributes: Object.fromEntries(attributes.filter(([name]) => !name.includes(":"))),
    children: children.length,
  }));
}

describe("another parser, xmldom, reads the same", () => {
  test.each(productMetadata.map(({ product, document }) => [product, document.replace("\uFEFF", "")]))(
    "in the metadata of %s",
    (_product, document) => {
      expect(readByUs(document)).toEqual(readByXmldom(document));
    },
  );

  const sample =
    '<?xml version="1.0"?><!-- a --><x:a xmlns:x="u" xmlns="v" b="&amp;1\n2" x:c="3"><?p q?><d xmlns="" e=\'"\'>' +
    "&#65;<![CDATA[<]]></d>\r\n<x:f xmlns:x='w' g='&lt;'/><h xml:id=\"i\"/></x:a><!-- end -->";
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
    "\r",
    ":",
    "x:",
    "xmlns",
    "xmlns:",
    "xmlns:y='u'",
  ];
  const larger = [
    "<!--",
    "-->",
    "<!-->",
    "]]>",
    "<![CDATA[",
    "<?",
    "?>",
    "<b/>",
    "<x:b>",
    "</x:b>",
    "é",
    "&#",
    "1",
    "-",
    "\uFFFD",
  ];
  const edit = fc.record({
    at: fc.nat({ max: sample.length }),
    length: fc.nat({ max: 8 }),
    text: fc.oneof(fc.constantFrom(...pieces, ...larger), fc.string({ maxLength: 3 })),
  });

  largeTest("in whatever we take of documents that were changed", () => {
    let taken = 0;
    fc.assert(
      fc.property(fc.array(edit, { minLength: 1, maxLength: 3 }), (edits) => {
        let text = sample;
        for (const { at, length, text: piece } of edits)
          text = text.slice(0, at) + piece + text.slice(at + length);
        if (typeof judge(text) === "string") return;
        // An element may have the local name xmlns (Namespaces in XML §3 reserves the prefix); the DOM cannot hold one.
        if (/<xmlns[\s/>]/.test(text)) return;
        taken++;
        expect(readByUs(text)).toEqual(readByXmldom(text));
      }),
      { numRuns: 5000 },
    );
    expect(taken).toBeGreaterThan(100);
  });
});
