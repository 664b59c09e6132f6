import type { Exchange } from "../../../kernel/http/exchanges/exchange.ts";
import type { Reply } from "../../../kernel/http/exchanges/reply.ts";
import { html } from "../markup/html.ts";
import type { Layout } from "../layout.ts";
import type { ErrorText, Texts } from "../texts/texts.ts";

/** Returns the words for a logout; `isPartial`: not every application may have heard of it (SAML Core §3.7.3.2, PartialLogout). */
export function chooseLogoutWords({ logout }: Texts, isPartial: boolean): ErrorText {
  return isPartial ? logout.partial : logout.done;
}

/** Makes the page after a logout that leads nowhere else. */
export function renderLogoutOutcome(
  layout: Pick<Layout, "renderPage">,
  page: { readonly texts: Texts; readonly isPartial: boolean; readonly cookies: readonly string[] },
): Reply {
  const { title, sentence } = chooseLogoutWords(page.texts, page.isPartial);
  return layout.renderPage({
    texts: page.texts,
    title,
    body: html`<p class="lead">${sentence}</p>`,
    headers: { "set-cookie": [...page.cookies] },
  });
}

/** Adds to a path, which may have a query, that not every application has heard of the logout. */
export function toPartialPath(path: string): string {
  return `${path}${path.includes("?") ? "&" : "?"}${partialParameter}=1`;
}

/** Says whether the path of a page says so. Everybody can write such a link: it may decide nothing but words. */
export function isPartialPath({ query }: Pick<Exchange, "query">): boolean {
  return new URLSearchParams(query).has(partialParameter);
}

const partialParameter = "partial";
