import type { Secret } from "../../../kernel/base/secret.ts";
import type { Exchange } from "../../../kernel/http/exchanges/exchange.ts";
import type { Reply } from "../../../kernel/http/exchanges/reply.ts";
import { formTokenField } from "../../login/form-token.ts";
import { html } from "../../login/markup/html.ts";
import type { Layout } from "../../login/layout.ts";
import { renderLogoutOutcome } from "../../login/standalone/logout-outcome.ts";
import { toTexts } from "../../login/texts/texts.ts";

/** The page that asks whether the user means to log out. Its form goes to `path`. */
export function renderQuestion(
  layout: Layout,
  exchange: Pick<Exchange, "header">,
  page: { readonly uiLocales: readonly string[]; readonly path: string; readonly cookie: Secret },
): Reply {
  const { uiLocales } = page;
  const acceptLanguage = exchange.header("accept-language");
  const texts = toTexts(layout.chooseLanguage({ uiLocales, acceptLanguage }));
  const { title, lead, submit } = texts.logout;
  return layout.renderPage({
    texts,
    title,
    body: html`<p class="lead">${lead}</p>
<form method="post" action="${page.path}">
${formTokenField(page.cookie)}
<button type="submit">${submit}</button>
</form>`,
  });
}

/** The page after a logout that leads nowhere else. */
export function renderLoggedOut(
  layout: Layout,
  exchange: Pick<Exchange, "header">,
  page: {
    readonly uiLocales: readonly string[];
    /** Whether there are applications that may not have heard of it. */
    readonly isPartial: boolean;
    readonly cookies: readonly string[];
  },
): Reply {
  const { uiLocales } = page;
  const acceptLanguage = exchange.header("accept-language");
  const texts = toTexts(layout.chooseLanguage({ uiLocales, acceptLanguage }));
  return renderLogoutOutcome(layout, { ...page, texts });
}
