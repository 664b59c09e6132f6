import { createHmac } from "node:crypto";
import { equalBytes, type Secret } from "../../kernel/base/secret.ts";
import type { Exchange } from "../../kernel/http/exchanges/exchange.ts";
import { html, type Markup } from "./markup/html.ts";
import type { PageForm } from "./page-form.ts";
import { PageRefusal } from "./page-refusal.ts";

const field = "form_token";

/** Makes the hidden field by which a form proves that our page was shown in the browser with that cookie. */
export function formTokenField(cookie: Secret): Markup {
  return html`<input type="hidden" name="${field}" value="${toFormToken(cookie).toString("base64url")}">`;
}

/**
 * Raises the refusal of a form (403) unless it comes from our page in the browser with that cookie: other pages can neither
 * read the token nor be our origin (Fetch Metadata §2.3).
 */
export function requireOwnForm(
  exchange: Pick<Exchange, "header">,
  form: PageForm,
  cookie: Secret | undefined,
): void {
  const site = exchange.header("sec-fetch-site");
  if (site !== undefined && site !== "same-origin" && site !== "none") throw new PageRefusal("foreign-form");
  const given = Buffer.from(form.get(field) ?? "", "base64url");
  if (cookie === undefined || !equalBytes(given, toFormToken(cookie))) throw new PageRefusal("foreign-form");
}

/** The cookie cannot be computed from the token. */
function toFormToken(cookie: Secret): Buffer {
  return createHmac("sha256", cookie.reveal()).update("form").digest();
}
