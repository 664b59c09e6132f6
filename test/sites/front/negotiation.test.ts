import { describe, expect, test } from "@jest/globals";
import { chooseCoding, isTagNamed, prefersPage } from "../../../src/sites/front/negotiation.ts";

describe("a page is for those who name it", () => {
  test.each([
    ["text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", true],
    ["text/html", true],
    ["TEXT/HTML; charset=utf-8", true],
    ["text/*;q=0.5, application/json;q=0.4", true],
    ["application/json;q=0.9, text/html;q=0.9", true],
    ["application/json, text/html;q=0.9", false],
    ["application/*, text/html;q=0.1", false],
    ["*/*", false],
    ["text/html;q=0", false],
    ["text/html;q=2", false],
    ["text/html;q=x", false],
    ["application/json", false],
    ["", false],
    [undefined, false],
  ])("%s: %s", (accept, expected) => {
    expect(prefersPage(accept)).toBe(expected);
  });
});

describe("a coding is chosen among those that there are", () => {
  test.each([
    ["gzip, deflate, br, zstd", "br"],
    ["gzip", "gzip"],
    ["gzip;q=1.0, br;q=0.5", "gzip"],
    ["*", "br"],
    ["br;q=0, *", "gzip"],
    ["br;q=0, gzip;q=0", undefined],
    ["identity", undefined],
    ["", undefined],
    [undefined, undefined],
  ])("%s: %s", (acceptEncoding, expected) => {
    expect(chooseCoding(acceptEncoding, () => true)).toBe(expected);
  });

  test("none that is not there", () => {
    expect(chooseCoding("br, gzip", (coding) => coding === "gzip")).toBe("gzip");
    expect(chooseCoding("br, gzip", () => false)).toBeUndefined();
  });
});

test("a tag is found in a list, weak or strong, and by a star", () => {
  for (const header of ['"a"', '"b", "a"', 'W/"a"', '"b",W/"a"', "*", " * "])
    expect(isTagNamed(header, '"a"')).toBe(true);
  for (const header of ['"b"', "a", '"a-br"', "", undefined]) expect(isTagNamed(header, '"a"')).toBe(false);
});
