import type { Secret } from "../../../kernel/base/secret.ts";
import { newCookieValue, readCookie, toCookieHeader } from "../cookies/cookies.ts";
import type { FeatureContext } from "../../../identity/context.ts";
import type { Exchange } from "../../../kernel/http/exchanges/exchange.ts";

/** A request for a page without interaction. */
export interface CookieVisit {
  readonly exchange: Pick<Exchange, "header">;
  readonly issuer: string;
  readonly ports: { readonly context: Pick<FeatureContext, "random"> };
}

/** Reads the cookie that a page without interaction has of its own, to which its forms are bound. */
export function readOwnCookie(
  { exchange, issuer }: Pick<CookieVisit, "exchange" | "issuer">,
  name: string,
): Secret | undefined {
  return readCookie(exchange, { name, issuer });
}

/** Reads that cookie, or makes one. `headers` are for the page that is shown. */
export function ownCookieOf(
  visit: CookieVisit,
  name: string,
): { readonly cookie: Secret; readonly headers: Readonly<Record<string, string[]>> } {
  const held = readOwnCookie(visit, name);
  if (held !== undefined) return { cookie: held, headers: {} }; // another tab may show a form that is bound to it
  const cookie = newCookieValue(visit.ports.context.random);
  const { issuer } = visit;
  return { cookie, headers: { "set-cookie": [toCookieHeader({ name, issuer }, cookie, undefined)] } };
}
