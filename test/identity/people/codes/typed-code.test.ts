import { describe, expect, test } from "@jest/globals";
import { foldTypedCode } from "../../../../src/identity/people/codes/typed-code.ts";
import { largeTest } from "../../../support/large.ts";

describe("a code that somebody has typed", () => {
  test.each([
    ["with spaces", " 123 456\t"],
    ["with a hyphen", "123-456"],
    ["with other hyphens, as word processors make them", "12\u201034\u201156\u2013"],
    ["with a minus", "123\u2212456"],
    ["in full width", "１２３　４５６"],
    ["in Arabic", "١٢٣٤٥٦"],
    ["in Persian", "۱۲۳۴۵۶"],
    ["in Devanagari", "१२३४५६"],
    ["in several scripts", "١２३4۵६"],
    ["in digits of mathematics, which follow each other", "\u{1d7cf}\u{1d7da}\u{1d7e5}\u{1d7f0}\u{1d7fb}6"],
    ["with marks of a text from right to left", "\u200f\u2068123456\u2069\u200e"],
    ["with a line", "123456\r\n"],
  ])("counts as it was made: %s", (_how, typed) => {
    expect(foldTypedCode(typed)).toBe("123456");
  });

  test("may have letters in any case and width", () => {
    expect(foldTypedCode("abcd-ＥＦｇｈ 2345")).toBe("ABCDEFGH2345");
  });

  test.each(["", "x", "12a456", "½", "Ⅻ", "①", "1.5", "1\u0000", "1_2", "一二三"])(
    "is nothing else: %j",
    (typed) => {
      expect(foldTypedCode(typed)).toBe(typed.toUpperCase());
    },
  );

  largeTest("has every digit of Unicode", () => {
    const points = Array.from({ length: 0x110000 }, (_each, point) => point).filter(
      (each) => (each & 0x1ff800) !== 0xd800,
    );
    const digits = points
      .map((point) => String.fromCodePoint(point))
      .filter((text) => /^\p{Nd}$/u.test(text));
    expect(digits.length % 10).toBe(0);
    expect(digits.map(foldTypedCode)).toEqual(digits.map((_digit, index) => String(index % 10)));
  });
});
