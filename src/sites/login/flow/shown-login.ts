import { readOwnBrand } from "../../../identity/branding/brands.ts";
import type { Language } from "../../../identity/texts/languages.ts";
import { readLanguage } from "../../../identity/texts/repository.ts";
import type { ReadTransaction } from "../../../kernel/base/database.ts";
import type { Exchange } from "../../../kernel/http/exchanges/exchange.ts";
import type { PageLabel } from "../brand/brand-markup.ts";
import { chooseLabel, type LoginState } from "../login-state.ts";
import { chooseLanguage } from "../texts/choose-texts.ts";

/** A login, and how its page looks and speaks. */
export interface ShownLogin {
  readonly state: LoginState;
  readonly label: PageLabel;
  readonly language: Language;
}

/** Finds out how the page of a login looks and speaks. */
export async function toShown(
  tx: ReadTransaction,
  state: LoginState,
  exchange: Pick<Exchange, "header">,
): Promise<ShownLogin> {
  const organization = chooseLabel(state);
  const { uiLocales } = state.interaction.request;
  const language = chooseLanguage({ uiLocales, acceptLanguage: exchange.header("accept-language") });
  return {
    state,
    label: { organization, brand: organization && (await readOwnBrand(tx, organization.id)) },
    language: await readLanguage(tx, language, organization?.id),
  };
}
