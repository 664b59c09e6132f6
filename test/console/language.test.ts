import { expect, test } from "@jest/globals";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { chooseLanguage, defineTexts } from "../../src/console/texts/language.ts";

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

test("a name in a text is isolated if it runs from right to left, or would turn what is around it", () => {
  const { en } = defineTexts(
    { plain: "Remove", nested: { title: (name: string, count: number) => `Remove ${name} (${count})?` } },
    { plain: "Entfernen", nested: { title: (name, count) => `${name} entfernen (${count})?` } },
  );
  const seen = ["Acme", "\u05d0\u05d1", "Bank\u202eknab", "a\u2069b"].map((name) => en.nested.title(name, 2));
  expect([en.plain, ...seen]).toEqual([
    "Remove",
    "Remove Acme (2)?",
    "Remove \u2068\u05d0\u05d1\u2069 (2)?",
    "Remove \u2068Bank\u202eknab\u2069 (2)?",
    "Remove \u2068ab\u2069 (2)?",
  ]);
});

// A thing has one name, on every page.
test.each([
  ["Rollenzuweisung", /Benutzerfreigabe|Benutzergenehmigung/],
  ["Anmelderegelung", /Anmelderichtlinie/],
  ["Zugriffstoken", /Zugangstoken/],
])("German texts say %s, never %s", (_word, others) => {
  const root = join(import.meta.dirname, "../..");
  const folders = ["src/console", "src/sites/account", "src/sites/login"];
  const files = folders.flatMap((folder) => globSync(`${folder}/**/*.{ts,tsx}`, { cwd: root }));
  expect(files.length).toBeGreaterThan(300);
  expect(files.filter((file) => others.test(readFileSync(join(root, file), "utf8")))).toEqual([]);
});
