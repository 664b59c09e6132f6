import { describe, expect, test } from "@jest/globals";
import * as fc from "fast-check";
import { canonicalize } from "../../../src/kernel/xml/canonical.ts";
import { parseTextXml } from "../../../src/kernel/xml/text-document.ts";
import { element } from "../../../src/kernel/xml/write.ts";
import { anyCharacter } from "../../support/any-character.ts";

describe("an element that is written", () => {
  test("has its attributes in the canonical order, and those that are undefined left out", () => {
    const attributes = {
      b: "2",
      "x:z": "4",
      "xmlns:x": "u",
      a: "1",
      none: undefined,
      "x:a": "3",
      xmlns: "v",
      "xmlns:w": "w",
    };
    expect(element("w:e", attributes).xml).toBe(
      '<w:e xmlns="v" xmlns:w="w" xmlns:x="u" a="1" b="2" x:a="3" x:z="4"></w:e>',
    );
  });

  test("holds texts, which are escaped, and elements in their order", () => {
    expect(element("a", { b: '<"\t' }, ["1<", element("c", {}), undefined, "&\r>"]).xml).toBe(
      '<a b="&lt;&quot;&#x9;">1&lt;<c></c>&amp;&#xD;&gt;</a>',
    );
  });

  test("is its own canonical form, whatever its texts are", () => {
    const text = fc.string({ unit: anyCharacter });
    fc.assert(
      fc.property(text, text, (value, content) => {
        const { xml } = element("x:a", { "xmlns:x": "u", b: value }, [content]);
        expect(canonicalize(parseTextXml(xml).root)).toBe(xml);
      }),
    );
  });

  test("holds U+FFFD for what XML cannot hold", () => {
    const { root } = parseTextXml(element("a", { b: "1\u0000\uffff" }, ["\ud800x\u001b"]).xml);
    expect([root.attributes, root.text]).toEqual([[["b", "1\ufffd\ufffd"]], "\ufffdx\ufffd"]);
  });

  test("has no attributes of two prefixes, whose order is unknown", () => {
    expect(() => element("a", { "x:b": "", "y:b": "" })).toThrow("several prefixes");
  });
});
