import type { Exchange } from "../../../kernel/http/exchanges/exchange.ts";
import { knownBrowserMs } from "../../../identity/logins/known-browsers/known-browser.ts";
import { hashCookie, readCookie, toCookieHeader } from "./cookies.ts";
import type { Secret } from "../../../kernel/base/secret.ts";

const name = "gh_known";

/** Returns the hash of the cookie by which a browser is known; undefined for one in which nobody has logged in. */
export function readKnownBrowserCookie(
  exchange: Pick<Exchange, "header">,
  issuer: string,
): string | undefined {
  const value = readCookie(exchange, { name, issuer });
  return value && hashCookie(value);
}

/** Makes the header `set-cookie` by which the browser is known from now on. */
export function toKnownBrowserCookie(issuer: string, value: Secret): string {
  return toCookieHeader({ name, issuer }, value, knownBrowserMs / 1000);
}
