import { english } from "./languages/en.ts";
import { german } from "./languages/de.ts";
import type { WordsLike } from "./languages/words.ts";

/** All that pages and emails say, as English has it. */
export type AllWords = typeof english;

/** A language of pages and emails. */
export interface Language {
  /** As in the attribute `lang`. */
  readonly tag: string;
  /** In which dates and numbers are written (BCP 47). */
  readonly locale: string;
  readonly direction: "ltr" | "rtl";
  readonly words: WordsLike<AllWords>;
}

const englishLanguage: Language = { tag: "en", locale: "en-GB", direction: "ltr", words: english };

/** Every language, English first: it serves everybody whose own is missing. */
export const languages: readonly [Language, ...Language[]] = [
  englishLanguage,
  { tag: "de", locale: "de", direction: "ltr", words: german },
];

/** Finds the language of a tag (RFC 4647 §3.4: `de-AT` is served in `de`). */
export function findLanguage(tag: string): Language | undefined {
  const [primary] = tag.toLowerCase().split("-");
  return languages.find((language) => language.tag === primary);
}

/** The language that a user prefers; English where there are no such texts. */
export function languageOf({ preferredLanguage }: { readonly preferredLanguage: string }): Language {
  return findLanguage(preferredLanguage) ?? englishLanguage;
}
