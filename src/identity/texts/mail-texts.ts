import type { AllWords } from "./languages.ts";
import { fillPlain, type Phrases, toPhrases, type Words } from "./languages/words.ts";

/** A part of the texts as emails use it. */
export type MailTexts<Part extends keyof AllWords> = Phrases<AllWords[Part], string | number, string>;

/** Makes a part of the texts ready for emails. */
export function toMailTexts<Part extends keyof AllWords>(words: Words): MailTexts<Part> {
  return toPhrases<AllWords[Part], string | number, string>(words, fillPlain);
}
