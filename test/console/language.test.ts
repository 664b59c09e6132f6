import { expect, test } from "@jest/globals";
import { chooseLanguage } from "../../src/console/texts/language.ts";

test.each([
  [null, ["de-CH", "en"], "de"],
  [null, ["fr", "de"], "de"],
  [null, ["fr"], "en"],
  [null, [], "en"],
  ["en", ["de"], "en"],
  ["tlh", ["DE-at"], "de"],
] as const)("chosen %j, preferred %j: %s", (chosen, preferred, language) => {
  expect(chooseLanguage(chosen, preferred)).toBe(language);
});
