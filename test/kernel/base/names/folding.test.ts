import { describe, expect, test } from "@jest/globals";
import * as fc from "fast-check";
import { foldName, lowerAscii } from "../../../../src/kernel/base/names/folding.ts";
import { anyCharacter } from "../../../support/any-character.ts";
import { largeTest } from "../../../support/large.ts";

const anyText = fc.string({ unit: anyCharacter, maxLength: 30 });

describe("foldName", () => {
  test.each([
    ["letters of another case", "Acme", "aCME"],
    ["blanks around it", " \t\u00a0Acme\u3000", "Acme"],
    ["composed and decomposed accents", "Caf\u00e9", "Cafe\u0301"],
    ["ligatures", "\ufb01nance", "finance"],
    ["full width forms", "\uff21\uff43\uff4d\uff45", "Acme"],
    ["circled digits", "Team \u2460", "Team 1"],
    ["sharp s", "Stra\u00dfe", "STRASSE"],
    ["capital sharp s", "STRA\u1e9eE", "stra\u00dfe"],
    ["joiners and selectors", "a\u200db\u200cc\u2764\ufe0f", "abc\u2764"],
    ["what an older name may hold", "\u202eAc\u200bme\u00ad", "acme"],
    ["accents around what is not seen", "Cafe\u034f\u0301", "Caf\u00e9"],
    ["the two small sigmas", "\u03a3\u03bf\u03c6\u03cc\u03c2", "\u03c3\u03bf\u03c6\u03cc\u03c3"],
  ])("takes names as the same that differ in %s", (_difference, left, right) => {
    expect(foldName(left)).toBe(foldName(right));
  });

  test.each([
    ["an accent", "Bar", "B\u00e4r"],
    ["a blank inside", "Ac me", "Acme"],
    ["an alphabet", "A", "\u0410"],
    ["the dot above a Turkish capital i", "\u0130", "I"],
  ])("keeps names apart that differ in %s", (_difference, left, right) => {
    expect(foldName(left)).not.toBe(foldName(right));
  });

  test("changes nothing any more when it is applied again, on any text", () => {
    fc.assert(
      fc.property(anyText, (text) => foldName(foldName(text)) === foldName(text)),
      { numRuns: 2000 },
    );
  });

  largeTest("changes nothing any more when it is applied again, on every character", () => {
    const assigned = 0x20000; // beyond it there are only ideographs, tags and nothing
    const texts = Array.from({ length: assigned }, (_, code) => String.fromCodePoint(code));
    expect(texts.filter((text) => foldName(foldName(text)) !== foldName(text))).toEqual([]);
  });

  test("does not see how a text was normalized", () => {
    const form = fc.constantFrom("NFC", "NFD", "NFKC", "NFKD");
    fc.assert(
      fc.property(anyText, form, (text, name) => foldName(text.normalize(name)) === foldName(text)),
      { numRuns: 2000 },
    );
  });
});

test("lowerAscii changes A to Z only, as lower() of the databases does", () => {
  expect(lowerAscii("Ada.LOVELACE@Example.com [ÄΣİ]")).toBe("ada.lovelace@example.com [ÄΣİ]");
});
