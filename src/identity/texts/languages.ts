import { arabic } from "./languages/ar.ts";
import { english } from "./languages/en.ts";
import { french } from "./languages/fr.ts";
import { german } from "./languages/de.ts";
import { italian } from "./languages/it.ts";
import { japanese } from "./languages/ja.ts";
import { portuguese } from "./languages/pt.ts";
import { spanish } from "./languages/es.ts";
import { listTexts, type PartlyWords, replaceTexts, type WordsLike } from "./languages/words.ts";

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

/** What a translation does not have yet stays English. */
function complete(translation: PartlyWords<AllWords>): WordsLike<AllWords> {
  const texts = new Map(listTexts(translation)); // absent keys are no entries
  return replaceTexts<WordsLike<AllWords>>(english, texts);
}

/** Every language, English first: it serves everybody whose own is missing. */
export const languages: readonly [Language, ...Language[]] = [
  englishLanguage,
  { tag: "de", locale: "de", direction: "ltr", words: german },
  { tag: "fr", locale: "fr", direction: "ltr", words: complete(french) },
  { tag: "es", locale: "es", direction: "ltr", words: complete(spanish) },
  { tag: "it", locale: "it", direction: "ltr", words: complete(italian) },
  { tag: "pt", locale: "pt", direction: "ltr", words: complete(portuguese) },
  { tag: "ar", locale: "ar-u-nu-latn", direction: "rtl", words: complete(arabic) },
  { tag: "ja", locale: "ja", direction: "ltr", words: complete(japanese) },
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
