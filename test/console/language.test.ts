import { expect, test } from "@jest/globals";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
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

// A thing has one name, on every page.
test.each([
  ["Rollenzuweisung", /Benutzerfreigabe|Benutzergenehmigung/],
  ["Anmelderegelung", /Anmelderichtlinie/],
  ["Zugriffstoken", /Zugangstoken/],
])("German texts say %s, never %s", (_word, others) => {
  const root = join(import.meta.dirname, "../..");
  const folders = ["src/console", "src/account", "src/login"];
  const files = folders.flatMap((folder) => globSync(`${folder}/**/*.{ts,tsx}`, { cwd: root }));
  expect(files.length).toBeGreaterThan(300);
  expect(files.filter((file) => others.test(readFileSync(join(root, file), "utf8")))).toEqual([]);
});
