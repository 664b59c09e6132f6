import { describe, expect, test } from "@jest/globals";
import { parseTextXml } from "../../../src/kernel/xml/text-document.ts";
import { XmlError } from "../../../src/kernel/xml/scan.ts";

const textOf = (inner: string) => parseTextXml(`<a>${inner}</a>`).root.text;

describe("the text of an element", () => {
  test.each([
    ["", ""],
    [" b \n", " b \n"],
    ["&lt;&amp;&#x41;&#13;", "<&A\r"],
    ["1\r\n2\r3", "1\n2\n3"],
    ["]] >", "]] >"],
  ])("is that of one run: %j", (inner, text) => {
    expect(textOf(inner)).toBe(text);
  });

  test("is empty in an empty tag", () => {
    expect(parseTextXml("<a/>").root.text).toBe("");
  });

  test.each([
    ["a comment", "user@a<!-- -->.example"],
    ["a comment at the begin", "<!-- -->user"],
    ["a comment at the end", "user<!-- -->"],
    ["a comment alone", "<!-- -->"],
    ["a CDATA section", "us<![CDATA[er]]>"],
    ["a CDATA section alone", "<![CDATA[user]]>"],
    ["an empty CDATA section", "user<![CDATA[]]>"],
    ["an instruction", "us<?b?>er"],
    ["an element", "us<b/>er"],
    ["an element alone", "<b/>"],
  ])("is unknown with %s", (_name, inner) => {
    expect(textOf(inner)).toBeUndefined();
  });

  test("is its own, not that of what is around it", () => {
    const { root, elements } = parseTextXml("<a>1<b>2</b>3<c/></a>");
    expect(elements.map(({ localName, text }) => [localName, text])).toEqual([
      ["a", undefined],
      ["b", "2"],
      ["c", ""],
    ]);
    expect(root.content.map((each) => (typeof each === "string" ? each : "element"))).toEqual([
      "1",
      "element",
      "3",
      "element",
    ]);
  });
});

describe("a document is refused", () => {
  const judge = (text: string) => () => parseTextXml(text);

  test("with the name of a namespace of more than 1,024 characters", () => {
    for (const name of ["xmlns", "xmlns:b"]) {
      const named = (length: number) => `<a><c ${name}="${"u".repeat(length)}"/></a>`;
      expect(judge(named(1024))).not.toThrow();
      expect(judge(named(1025))).toThrow(XmlError);
      expect(() => parseTextXml(named(1025), {})).not.toThrow();
    }
  });

  test.each(["ID", "Id", "xml:id"])("with an ID that %s repeats", (name) => {
    expect(judge(`<a ID="1"><b/><c ${name}="1"/></a>`)).toThrow(
      new XmlError("must not have the same ID twice"),
    );
    expect(judge(`<a ID="1"><b/><c ${name}="2"/></a>`)).not.toThrow();
  });

  test.each([
    ["elements", 1000, (count: number) => `<a>${"<b/>".repeat(count - 1)}</a>`],
    [
      "attributes",
      3000,
      (count: number) => `<a ${Array.from({ length: count }, (_, at) => `b${at}=""`).join(" ")}/>`,
    ],
    ["levels of elements", 50, (count: number) => "<a>".repeat(count) + "</a>".repeat(count)],
  ])("with more %s than %d", (words, most, write) => {
    expect(judge(write(most))).not.toThrow();
    expect(judge(write(most + 1))).toThrow(new XmlError(`must not have more than ${most} ${words}`));
  });

  test.each([
    ["a DOCTYPE", "<!DOCTYPE a><a/>"],
    ["a DOCTYPE in it", "<a><!DOCTYPE b></a>"],
    ["an entity of its own", "<a>&b;</a>"],
    ["two roots", "<a/><a/>"],
    ["no root", ""],
    ["an element that is not closed", "<a><b></a>"],
    ["a prefix without namespace", "<a><b:c/></a>"],
  ])("with %s", (_name, text) => {
    expect(judge(text)).toThrow(XmlError);
  });
});
