import { readLook } from "../../../identity/branding/brands.ts";
import type { Language } from "../../../identity/texts/languages.ts";
import type { ReadTransaction } from "../../../kernel/base/database.ts";
import type { Exchange } from "../../../kernel/http/exchanges/exchange.ts";
import type { PageLabel } from "../brand/brand-markup.ts";
import { chooseLabel, type LoginState } from "../login-state.ts";
import type { LoginPorts } from "../ports.ts";
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
  {
    exchange,
    ports,
  }: { readonly exchange: Pick<Exchange, "header">; readonly ports: Pick<LoginPorts, "brands"> },
): Promise<ShownLogin> {
  const organization = chooseLabel(state);
  const { uiLocales } = state.interaction.request;
  const preferred = chooseLanguage({ uiLocales, acceptLanguage: exchange.header("accept-language") });
  const asked = { language: preferred, organizationId: organization?.id };
  const { brand, language } = await readLook(tx, ports.brands, asked);
  return { state, label: { organization, brand }, language };
}
