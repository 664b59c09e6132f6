import type { Exchange } from "../../../kernel/http/exchanges/exchange.ts";
import type { FeatureContext } from "../../../identity/context.ts";
import { type Language, languages } from "../../../identity/texts/languages.ts";
import { readLanguage } from "../../../identity/texts/repository.ts";
import type { Layout } from "../../login/layout.ts";
import { chooseLanguage } from "../../login/texts/choose-texts.ts";
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

/** Does the same, with what the organization of the user says. */
export async function readAccountTexts(
  { database }: Pick<FeatureContext, "database">,
  exchange: Pick<Exchange, "header">,
  organizationId: string,
): Promise<AccountWords> {
  const language = chooseLanguage({ acceptLanguage: exchange.header("accept-language") });
  return toAccountWords(await database.read((tx) => readLanguage(tx, language, organizationId)));
}

function toAccountWords(language: Language): AccountWords {
  return ofProduct.get(language) ?? makeAccountWords(language);
}

function makeAccountWords(language: Language): AccountWords {
  return { texts: toTexts(language), words: toPageTexts<"account">(language.words.account) };
}

/** Where nobody has changed them. */
const ofProduct: ReadonlyMap<Language, AccountWords> = new Map(
  languages.map((language) => [language, makeAccountWords(language)]),
);
