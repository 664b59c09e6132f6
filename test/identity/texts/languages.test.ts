import { describe, expect, test } from "@jest/globals";
import { languages } from "../../../src/identity/texts/languages.ts";
import { listPlaceholders, type Words } from "../../../src/identity/texts/languages/words.ts";

/** Every text of a tree by the path of its key. */
function listTexts(words: Words, path = ""): readonly (readonly [string, string])[] {
  return Object.entries(words).flatMap(([key, value]) =>
    typeof value === "string" ? [[`${path}${key}`, value] as const] : listTexts(value, `${path}${key}.`),
  );
}

const [english, ...others] = languages;
const expected = listTexts(english.words);

describe.each(others)("the texts in $tag", ({ words }) => {
  const texts = new Map(listTexts(words));

  test("have the keys of English in its order", () => {
    expect([...texts.keys()]).toEqual(expected.map(([key]) => key));
  });

  test("have the placeholders of English", () => {
    const placeholders = (text: string) => listPlaceholders(text).toSorted();
    const differing = expected.filter(
      ([key, text]) => placeholders(text).join() !== placeholders(texts.get(key) ?? "").join(),
    );
    expect(differing).toEqual([]);
  });

  test("are neither empty nor framed by spaces", () => {
    expect([...texts].filter(([, text]) => text === "" || text !== text.trim())).toEqual([]);
  });
});
