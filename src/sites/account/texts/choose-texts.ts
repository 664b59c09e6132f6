import type { Exchange } from "../../../kernel/http/exchanges/exchange.ts";
import { chooseTexts } from "../../login/texts/choose-texts.ts";
import type { Texts } from "../../login/texts/texts.ts";
import { accountGerman } from "./de.ts";
import { accountEnglish } from "./en.ts";
import type { AccountTexts } from "./texts.ts";

/** All that a page of the account says, in one language: the texts of all pages, and those of the account. */
export interface AccountWords {
  readonly texts: Texts;
  readonly words: AccountTexts;
}

const languages: Readonly<Record<string, AccountTexts>> = {
  en: accountEnglish,
  de: accountGerman,
};

/** Chooses the language of a page as the pages of signing in do, by what the browser prefers. */
export function chooseAccountTexts(exchange: Pick<Exchange, "header">): AccountWords {
  const texts = chooseTexts({ acceptLanguage: exchange.header("accept-language") });
  return { texts, words: languages[texts.language] ?? accountEnglish };
}
