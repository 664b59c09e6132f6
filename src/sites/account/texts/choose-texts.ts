import type { Exchange } from "../../../kernel/http/exchanges/exchange.ts";
import { chooseLanguage } from "../../login/texts/choose-texts.ts";
import { type Texts, toPageTexts, toTexts } from "../../login/texts/texts.ts";
import type { AccountTexts } from "./texts.ts";

/** All that a page of the account says, in one language: the texts of all pages, and those of the account. */
export interface AccountWords {
  readonly texts: Texts;
  readonly words: AccountTexts;
}

/** Chooses the language of a page as the pages of signing in do, by what the browser prefers. */
export function chooseAccountTexts(exchange: Pick<Exchange, "header">): AccountWords {
  const language = chooseLanguage({ acceptLanguage: exchange.header("accept-language") });
  return { texts: toTexts(language), words: toPageTexts<"account">(language.words.account) };
}
