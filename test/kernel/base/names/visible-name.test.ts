import { describe, expect, test } from "@jest/globals";
import * as fc from "fast-check";
import {
  checkVisible,
  isVisible,
  requireVisible,
  withoutInvisible,
} from "../../../../src/kernel/base/names/visible-name.ts";
import { anyCharacter } from "../../../support/any-character.ts";

/** A name, and what is left of it without what is not seen. */
const hiding: readonly (readonly [string, string, string])[] = [
  ...["\u202a", "\u202b", "\u202c", "\u202d", "\u202e", "\u2066", "\u2067", "\u2068", "\u2069"].map(
    (control) =>
      [`the control U+${control.codePointAt(0)?.toString(16)}`, `Bank${control}knab`, "Bankknab"] as const,
  ),
  ["the marks of direction", "\u200eA\u200fb\u061c", "Ab"],
  ["blanks without width", "Gree\u200bter\u2060 x\ufeff", "Greeter x"],
  ["a soft hyphen", "Green\u00adter", "Greenter"],
  ["the fillers of Hangul", "\u115f\u1160\u3164\uffa0", ""],
  ["tags", "A\u{e0041}\u{e007f}", "A"],
  ["annotations", "A\ufff9b\ufffac\ufffb", "Abc"],
  ["a grapheme joiner", "a\u034fb", "ab"],
  ["joiners at an end", "\u200cab\u200d", "ab"],
  [
    "joiners between others than letters",
    "1\u200d2 \u{1f469}\u200d\u{1f4bb} a-\u200cb",
    "12 \u{1f469}\u{1f4bb} a-b",
  ],
  ["several joiners", "a\u200d\u200db", "ab"],
  ["a selector without base", "\ufe0fA \ufe0f", "A "],
  ["a selector behind another", "A\ufe0e\ufe0f", "A\ufe0e"],
];

const shown: readonly (readonly [string, string])[] = [
  ["Latin", "Ada Lovelace"],
  ["Arabic and Hebrew", "\u0639\u0644\u064a \u05d3\u05d5\u05d3"],
  ["Persian with a non-joiner", "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645"],
  ["Hindi with a joiner behind a virama", "\u0915\u094d\u200d\u0937"],
  ["Bengali with a joiner before a virama", "\u09b0\u200d\u09cd\u09af\u09be\u09ac"],
  ["emoji with a selector, and a keycap", "\u2764\ufe0f 1\ufe0f\u20e3"],
  ["an ideograph with a selector", "\u845b\u{e0100}\u98fe"],
  ["Mongolian with a selector", "\u182d\u180b\u1820"],
];

describe("a name", () => {
  test.each(hiding)("does not show %s", (_what, name, rest) => {
    expect(isVisible(name)).toBe(false);
    expect(withoutInvisible(name)).toBe(rest);
  });

  test.each(shown)("shows %s", (_what, name) => {
    expect(isVisible(name)).toBe(true);
    expect(withoutInvisible(name)).toBe(name);
  });

  test("shows all that is left of it", () => {
    const text = fc.string({
      unit: fc.oneof(
        anyCharacter,
        fc.constantFrom("\u200c", "\u200d", "\ufe0f", "\u094d", "\u0915", "\u200b", "a"),
      ),
      maxLength: 12,
    });
    fc.assert(
      fc.property(text, (name) => isVisible(withoutInvisible(name))),
      { numRuns: 3000 },
    );
  });

  test("is searched in no time, however many marks it has", () => {
    const name = `a${"\u0301".repeat(100)}\u200d`.repeat(2);
    expect(isVisible(name)).toBe(false);
  });
});

describe("of the names of an object", () => {
  const names = { name: "Bank\u202e", group: "a\u200bb", description: "fine" };

  test("each that hides something is named", () => {
    expect(checkVisible(names).map(({ field }) => field)).toEqual(["name", "group"]);
    expect(() => requireVisible(names)).toThrow(
      expect.objectContaining({ kind: "invalid", reason: "FIELD_INVALID" }),
    );
  });

  test("those that are kept pass, and those that were changed do not", () => {
    expect(checkVisible(names, { ...names, description: "" })).toEqual([]);
    expect(checkVisible(names, { ...names, group: "a\u200b" }).map(({ field }) => field)).toEqual(["group"]);
  });
});
