import { consoleHomeOf } from "../../identity/applications/oidc/console.ts";
import type { Exchange } from "../../kernel/http/exchanges/exchange.ts";
import type { Reply } from "../../kernel/http/exchanges/reply.ts";
import { type Brands, noBrands } from "../../identity/branding/brands.ts";
import { html } from "../login/markup/html.ts";
import { createLayout, type Layout } from "../login/layout.ts";
import { accountPath } from "../login/standalone/account-path.ts";
import { toPageTexts, toTexts } from "../login/texts/texts.ts";

/** Runs `setup link` where this process was installed: in a checkout, or from the npm package. */
const setupCommand = `${import.meta.url.endsWith(".ts") ? "npm run gatehouse --" : "gatehouse"} setup link`;

type Asking = Pick<Exchange, "header">;

/**
 * Renders what a browser finds first: what this is, and where to go from here. It says the same whether there is an administrator
 * or not, so that a stranger learns nothing.
 */
export function renderStart(
  exchange: Asking,
  {
    issuer,
    adminLinkFile,
    brands,
  }: {
    readonly issuer: string;
    readonly adminLinkFile: string | undefined;
    readonly brands: Brands;
  },
): Reply {
  const layout = createLayout(brands);
  const { texts, own } = textsOf(layout, exchange);
  const words = own.start;
  const body = html`<p class="lead">${words.lead}</p>
<div class="ways">
<a class="button" href="${consoleHomeOf(issuer)}">${words.openConsole}</a>
<a class="button second" href="${accountPath}">${texts.toAccount}</a>
</div>
<div class="links">
${
  adminLinkFile !== undefined &&
  html`<p>${words.firstAdministrator} <code>${adminLinkFile}</code></p>
<p>${words.anotherLink} <code>${setupCommand}</code></p>`
}
<p>${words.api} <a href="/openapi.json">openapi.json</a></p>
<p><code>curl -s ${issuer}/v1/users/me -H "authorization: Bearer $TOKEN"</code></p>
</div>`;
  return layout.renderPage({ texts, title: words.title, body, isIsolated: true });
}

/** Renders that nobody has built the console, and how to. */
export function renderNotBuilt(exchange: Asking): Reply {
  const layout = createLayout(noBrands);
  const { texts, own } = textsOf(layout, exchange);
  const { title, lead } = own.notBuilt;
  const body = html`<p class="lead">${lead}</p>
<p class="lead"><code>npm run prepare</code></p>`;
  return layout.renderPage({ texts, title, body, status: 503, isIsolated: true });
}

function textsOf({ chooseLanguage }: Pick<Layout, "chooseLanguage">, exchange: Asking) {
  const language = chooseLanguage({ acceptLanguage: exchange.header("accept-language") });
  return { texts: toTexts(language), own: toPageTexts<"front">(language.words.front) };
}
