import { describe, expect, test } from "@jest/globals";
import { defaultLabel } from "../../../src/identity/branding/label-policy.ts";
import {
  contrastOf,
  findLowContrasts,
  type Palette,
  toPalette,
} from "../../../src/identity/branding/palette.ts";

describe("the contrast of two colors", () => {
  // The first and last are the bounds of WCAG 2.2; the others were computed by the checker of WebAIM.
  test.each([
    ["#000000", "#ffffff", 21],
    ["#777777", "#ffffff", 4.48],
    ["#767676", "#ffffff", 4.54],
    ["#ff0000", "#ffffff", 4],
    ["#123456", "#123456", 1],
  ])("of %s on %s is %d", (one, other, contrast) => {
    expect(contrastOf(one, other)).toBeCloseTo(contrast, 1);
    expect(contrastOf(other, one)).toBe(contrastOf(one, other));
  });
});

describe("colors that cannot be told apart", () => {
  test("are found, with the nearest ones that pass", () => {
    const [low, ...others] = findLowContrasts({ ...defaultLabel.light, primary: "#777777" });
    expect(others).toEqual([]);
    expect(low).toMatchObject({ name: "primary", color: "#777777", background: "#ffffff" });
    expect(low?.nearestColor).toBe("#767676");
    expect(findLowContrasts({ ...defaultLabel.light, primary: low?.nearestColor ?? "" })).toEqual([]);
  });

  test("have a nearest color on every ground", () => {
    for (let grey = 0; grey < 256; grey += 5) {
      const background = `#${grey.toString(16).padStart(2, "0").repeat(3)}`;
      for (const low of findLowContrasts({
        primary: background,
        background,
        warn: "#808080",
        font: "#7f7f80",
      })) {
        expect(contrastOf(low.nearestColor, background)).toBeGreaterThanOrEqual(4.5);
        expect(contrastOf(low.color, low.nearestBackground)).toBeGreaterThanOrEqual(4.5);
      }
    }
  });

  test("are none in the look of the product", () => {
    expect([defaultLabel.light, defaultLabel.dark].flatMap(findLowContrasts)).toEqual([]);
  });
});

test.each([
  defaultLabel.light,
  defaultLabel.dark,
  // Each just passes.
  { primary: "#767676", background: "#ffffff", warn: "#767676", font: "#767676" },
  { primary: "#8f8f8f", background: "#1b1e23", warn: "#8f8f8f", font: "#8f8f8f" },
  { primary: "#000000", background: "#ffe600", warn: "#b30000", font: "#333333" },
])("every text of a page can be read in %j", (colors) => {
  const palette = toPalette(colors);
  const texts: readonly (readonly [keyof Palette, keyof Palette])[] = [
    ["text", "card"],
    ["text", "page"],
    ["quiet", "card"],
    ["quiet", "page"],
    ["accent", "card"],
    ["accent", "page"],
    ["onAccent", "accent"],
    ["onAccent", "accentStrong"],
    ["wrong", "card"],
    ["wrong", "wrongPage"],
  ];
  expect(texts.filter(([text, ground]) => contrastOf(palette[text], palette[ground]) < 4.5)).toEqual([]);
  expect(contrastOf(palette.line, palette.card)).toBeGreaterThanOrEqual(3);
});
