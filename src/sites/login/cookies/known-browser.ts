import { findBrowserName } from "../../../identity/logins/known-browsers/repository.ts";
import { readKnownBrowserCookie } from "./known-browser-cookies.ts";
import type { FeatureContext } from "../../../identity/context.ts";
import type { Exchange } from "../../../kernel/http/exchanges/exchange.ts";

/**
 * Finds the name of a browser in which the user of that name has logged in before: it has counters of its own, so that strangers who use
 * up the tries of the name do not shut the user out. Undefined for any other browser.
 */
export async function findKnownBrowser(
  {
    exchange,
    issuer,
    ports,
  }: {
    readonly exchange: Pick<Exchange, "header">;
    readonly issuer: string;
    readonly ports: { readonly context: Pick<FeatureContext, "database" | "clock"> };
  },
  username: string,
): Promise<string | undefined> {
  const hash = readKnownBrowserCookie(exchange, issuer);
  if (hash === undefined) return undefined;
  const { database, clock } = ports.context;
  return await database.read((tx) => findBrowserName(tx, { hash, username, nowMs: clock.nowMs() }));
}
