import { describe, expect, test } from "@jest/globals";
import { languages } from "../../../src/identity/texts/languages.ts";
import { listPlaceholders, listTexts, type Words } from "../../../src/identity/texts/languages/words.ts";

const [english, ...others] = languages;
const expected = listTexts(english.words);

describe.each(others)("the texts in $tag", ({ tag }) => {
  /** As the file has them, without what English fills in. */
  async function readTexts(): Promise<ReadonlyMap<string, string>> {
    const file = (await import(`../../../src/identity/texts/languages/${tag}.ts`)) as Record<string, Words>;
    return new Map(Object.values(file).flatMap((words) => listTexts(words)));
  }

  test("have the keys of English in its order", async () => {
    expect([...(await readTexts()).keys()]).toEqual(expected.map(([key]) => key));
  });

  test("have the placeholders of English", async () => {
    const texts = await readTexts();
    const placeholders = (text: string) => listPlaceholders(text).toSorted().join();
    const differing = expected.filter(
      ([key, text]) => placeholders(text) !== placeholders(texts.get(key) ?? ""),
    );
    expect(differing).toEqual([]);
  });

  test("are neither empty nor framed by spaces", async () => {
    expect([...(await readTexts())].filter(([, text]) => text === "" || text !== text.trim())).toEqual([]);
  });
});
