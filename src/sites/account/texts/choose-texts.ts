import type { Exchange } from "../../../kernel/http/exchanges/exchange.ts";
import { type Language, languages } from "../../../identity/texts/languages.ts";
import type { Layout } from "../../login/layout.ts";
import { type Texts, toPageTexts, toTexts } from "../../login/texts/texts.ts";
import type { AccountTexts } from "./texts.ts";

/** All that a page of the account says, in one language: the texts of all pages, and those of the account. */
export interface AccountWords {
  readonly texts: Texts;
  readonly words: AccountTexts;
}

/** Chooses the language of a page as the pages of signing in do, by what the browser prefers. */
export function chooseAccountTexts(
  layout: Pick<Layout, "chooseLanguage">,
  exchange: Pick<Exchange, "header">,
): AccountWords {
  return toAccountWords(layout.chooseLanguage({ acceptLanguage: exchange.header("accept-language") }));
}

/** Returns the texts of the pages of the account. */
export function toAccountWords(language: Language): AccountWords {
  return ofProduct.get(language) ?? makeAccountWords(language);
}

function makeAccountWords(language: Language): AccountWords {
  return { texts: toTexts(language), words: toPageTexts<"account">(language.words.account) };
}

/** Where nobody has changed them. */
const ofProduct: ReadonlyMap<Language, AccountWords> = new Map(
  languages.map((language) => [language, makeAccountWords(language)]),
);
