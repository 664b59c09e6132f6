import { describe, expect, test } from "@jest/globals";
import { canonicalize } from "../../../src/kernel/xml/canonical.ts";
import { XmlError } from "../../../src/kernel/xml/scan.ts";
import { parseTextXml, type TextElement } from "../../../src/kernel/xml/text-document.ts";
import { sized } from "../../support/size.ts";
import { canonicalizeByXmlCrypto, canonicalizeInclusively } from "./support/canonical-by-others.ts";
import { writeRandomDocument } from "./support/random-document.ts";

/** Returns the canonical form of the root of a document. */
function formOf(text: string, inclusivePrefixes: readonly string[] = []): string {
  return canonicalize(parseTextXml(text).root, { inclusivePrefixes: new Set(inclusivePrefixes) });
}

/** Returns the canonical form of the first element with that name, inside of what is around it. */
function formOfPart(text: string, name: string, prefixes: readonly string[] | "all" = []): string {
  const path = findPath(parseTextXml(text).root, name);
  const element = path.at(-1);
  if (element === undefined) throw new Error(`no element ${name}`);
  const ancestors = path.slice(0, -1);
  return canonicalize(element, {
    ancestors,
    inclusivePrefixes: prefixes === "all" ? prefixes : new Set(prefixes),
  });
}

function findPath(element: TextElement, name: string): readonly TextElement[] {
  if (element.name === name) return [element];
  for (const child of element.children) {
    const path = findPath(child, name);
    if (path.length > 0) return [element, ...path];
  }
  return [];
}

describe("random documents have the form that xml-crypto gives them", () => {
  const documents = sized({ small: 300, full: 3000 });

  test("without a list of prefixes", () => {
    for (let seed = 1; seed <= documents; seed++) {
      const text = writeRandomDocument(seed);
      expect({ seed, text, form: formOf(text) }).toEqual({ seed, text, form: canonicalizeByXmlCrypto(text) });
    }
  });

  test("with a list of prefixes", () => {
    for (let seed = 1; seed <= documents / 2; seed++) {
      const text = writeRandomDocument(seed);
      const list = ["a", "c", "unknown"];
      const form = canonicalizeByXmlCrypto(text, list);
      expect({ seed, text, form: formOf(text, list) }).toEqual({ seed, text, form });
    }
  });

  test("with all prefixes, which makes it the inclusive form", () => {
    for (let seed = 1; seed <= documents / 2; seed++) {
      const text = writeRandomDocument(seed);
      const form = canonicalize(parseTextXml(text).root, { inclusivePrefixes: "all" });
      expect({ seed, text, form }).toEqual({ seed, text, form: canonicalizeInclusively(text) });
    }
  });

  test("which is the form of itself", () => {
    for (let seed = 1; seed <= documents / 2; seed++) {
      const form = formOf(writeRandomDocument(seed));
      expect({ seed, form: formOf(form) }).toEqual({ seed, form });
    }
  });
});

describe("Exclusive XML Canonicalization §2.2: a part of a document", () => {
  // The example of the specification: the same element in two surroundings.
  const alone =
    '<n1:elem2 xmlns:n1="http://example.net" xml:lang="en"><n3:stuff xmlns:n3="ftp://example.org"/></n1:elem2>';
  const form =
    '<n1:elem2 xmlns:n1="http://example.net" xml:lang="en"><n3:stuff xmlns:n3="ftp://example.org"></n3:stuff></n1:elem2>';
  const around = (text: string) =>
    `<n0:pdu xmlns:n0='http://a.example' xmlns:n1='http://example.net' xml:lang='fr' xml:space='retain'>${text}</n0:pdu>`;

  test("has the form that it has alone", () => {
    expect(formOf(alone)).toBe(form);
    expect(formOfPart(around(alone), "n1:elem2")).toBe(form);
  });

  test("gets the declarations of what is around it", () => {
    expect(formOfPart(around('<n1:elem2 xml:lang="en"/>'), "n1:elem2")).toBe(
      '<n1:elem2 xmlns:n1="http://example.net" xml:lang="en"></n1:elem2>',
    );
  });

  test("gets those of the list of prefixes too", () => {
    expect(formOfPart(around("<n1:elem2/>"), "n1:elem2", ["n0"])).toBe(
      '<n1:elem2 xmlns:n0="http://a.example" xmlns:n1="http://example.net"></n1:elem2>',
    );
    expect(formOfPart('<a xmlns="u"><x:b xmlns:x="v"/></a>', "x:b", [""])).toBe(
      '<x:b xmlns="u" xmlns:x="v"></x:b>',
    );
  });

  test("gets all of them in the inclusive form", () => {
    const text = '<a xmlns="u" xmlns:p="v"><b xmlns:p="w" xmlns:q="x"><c/></b></a>';
    expect(formOfPart(text, "c", "all")).toBe('<c xmlns="u" xmlns:p="w" xmlns:q="x"></c>');
  });

  test("lacks the element that is left out, and nothing else", () => {
    const { root } = parseTextXml("<a> <b><c/>1</b>\n<b/><!-- d -->2</a>");
    expect(canonicalize(root, { without: root.children[0] })).toBe("<a> \n<b></b>2</a>");
  });
});

describe("a declaration is written", () => {
  test.each([
    [
      "where the prefix is used",
      '<a xmlns:x="u"><b><x:c/><x:c/></b></a>',
      '<a><b><x:c xmlns:x="u"></x:c><x:c xmlns:x="u"></x:c></b></a>',
    ],
    [
      "once on the way down",
      '<x:a xmlns:x="u"><x:b xmlns:x="u"/></x:a>',
      '<x:a xmlns:x="u"><x:b></x:b></x:a>',
    ],
    [
      "again when a prefix means again what it did before",
      '<x:a xmlns:x="u"><x:b xmlns:x="v"><x:c xmlns:x="u"/></x:b></x:a>',
      '<x:a xmlns:x="u"><x:b xmlns:x="v"><x:c xmlns:x="u"></x:c></x:b></x:a>',
    ],
    [
      "for a default that ends",
      '<a xmlns="u"><b xmlns=""><c/></b></a>',
      '<a xmlns="u"><b xmlns=""><c></c></b></a>',
    ],
    ["for no default that never was", '<a xmlns=""><b xmlns=""/></a>', "<a><b></b></a>"],
    [
      "not for the default by attributes",
      '<x:a xmlns="u" xmlns:x="v" b=""/>',
      '<x:a xmlns:x="v" b=""></x:a>',
    ],
    ["with its namespace escaped", "<a xmlns='?a&amp;b&quot;&lt;'/>", '<a xmlns="?a&amp;b&quot;&lt;"></a>'],
    [
      "not for xml",
      '<a xmlns:xml="http://www.w3.org/XML/1998/namespace" xml:lang="de"/>',
      '<a xml:lang="de"></a>',
    ],
    [
      "sorted by prefixes, and attributes by namespaces",
      '<z:a b:z="" a:y="" xml:a="" c="" B="" xmlns:z="urn:a" xmlns:b="urn:1" xmlns:a="urn:2"/>',
      '<z:a xmlns:a="urn:2" xmlns:b="urn:1" xmlns:z="urn:a" B="" c="" xml:a="" b:z="" a:y=""></z:a>',
    ],
    ["sorted by code points, not by UTF-16", '<a \u{10000}="" \uFA0E=""/>', '<a \uFA0E="" \u{10000}=""></a>'],
  ])("%s", (_name, text, form) => {
    expect(formOf(text)).toBe(form);
  });
});

describe("Canonical XML 1.0 §3: what stands in an element", () => {
  test.each([
    ["instructions", "<a><?b?><?c   d ?></a>", "<a><?b?><?c d ?></a>"],
    ["instructions with line ends", "<a><?b \r\nc\rd?></a>", "<a><?b c\nd?></a>"],
    ["nothing outside of the root", "<?b c?><!-- d --><a/>\n<?e?>", "<a></a>"],
    ["no comments", "<a>1<!-- b -->2</a>", "<a>12</a>"],
    ["CDATA as text", '<a><![CDATA[<&>"]]></a>', '<a>&lt;&amp;&gt;"</a>'],
    ["line ends", "<a>\r\n\r&#13;&#10;</a>", "<a>\n\n&#xD;\n</a>"],
    ["values", "<a b='\r\n&#13;&#9;\"&apos;&gt;'/>", `<a b=" &#xD;&#x9;&quot;'>"></a>`],
  ])("%s", (_name, text, form) => {
    expect(formOf(text)).toBe(form);
  });
});

describe("a form that becomes long", () => {
  const { root } = parseTextXml(`<a xmlns:b="${"u".repeat(1000)}">${"<b:c/>".repeat(900)}</a>`);
  const { length } = canonicalize(root);

  test("ends where it may no longer grow", () => {
    expect(length).toBeGreaterThan(900_000);
    expect(canonicalize(root, { maxLength: length })).toHaveLength(length);
    for (const maxLength of [length - 1, 100_000, 0])
      expect(() => canonicalize(root, { maxLength })).toThrow(XmlError);
  });

  test("sorts attributes of long namespaces without comparing them for each", () => {
    const same = "u".repeat(30_000);
    const attributes = Array.from({ length: 2000 }, (_, at) => ` ${at % 2 === 0 ? "b" : "c"}:x${at}=""`);
    const text = `<a xmlns:b="${same}2" xmlns:c="${same}1"${attributes.join("")}/>`;
    const parsed = parseTextXml(text, {}).root;
    const begin = process.cpuUsage().user;
    const names = [...canonicalize(parsed).matchAll(/ ([bc]):x/g)].map(([, prefix]) => prefix);
    // Some 5 ms, against 300 ms and more.
    expect(process.cpuUsage().user - begin).toBeLessThan(100_000);
    expect(names.join("")).toBe("c".repeat(1000) + "b".repeat(1000));
  });
});
