import type { InteractionId } from "../../../kernel/base/ids.ts";
import type { Secret } from "../../../kernel/base/secret.ts";
import type { Exchange } from "../../../kernel/http/exchanges/exchange.ts";
import { listCookieNames, readCookie, toCookieHeader, toCookieRemoval } from "./cookies.ts";

const prefix = "gh_login_";

/** How many logins a browser may have begun at the same time. */
const maxInteractions = 20;

/** Reads the cookie of an interaction; undefined when this browser does not have it. */
export function readInteractionCookie(
  exchange: Pick<Exchange, "header">,
  issuer: string,
  id: string,
): Secret | undefined {
  return readCookie(exchange, { name: `${prefix}${id}`, issuer });
}

/**
 * Makes the headers `set-cookie` of a new interaction: its cookie, and the removal of the oldest ones where there would be too
 * many. Ids grow with time.
 */
export function toInteractionCookies(
  exchange: Pick<Exchange, "header">,
  issuer: string,
  { id, cookie }: { readonly id: InteractionId; readonly cookie: Secret },
): readonly string[] {
  return [
    ...removeOldest(exchange, issuer, maxInteractions - 1),
    toCookieHeader({ name: `${prefix}${id}`, issuer }, cookie, undefined),
  ];
}

/**
 * Makes the headers `set-cookie` that remove the oldest cookies where there are too many: a POST of another site comes without them,
 * so that none were removed when it began another interaction.
 */
export function toRemovedInteractionCookies(
  exchange: Pick<Exchange, "header">,
  issuer: string,
): readonly string[] {
  return removeOldest(exchange, issuer, maxInteractions);
}

function removeOldest(exchange: Pick<Exchange, "header">, issuer: string, kept: number): readonly string[] {
  const names = listCookieNames(exchange, { name: prefix, issuer }).map((name) => name.slice(prefix.length));
  const ids = names.filter((name) => /^[1-9][0-9]{0,18}$/.test(name));
  const newestFirst = ids.toSorted((left, right) => (BigInt(left) < BigInt(right) ? 1 : -1));
  return newestFirst.slice(kept).map((old) => toCookieRemoval({ name: `${prefix}${old}`, issuer }));
}

/** Makes the header `set-cookie` that takes the cookie of an interaction away. */
export function endedInteractionCookie(issuer: string, id: InteractionId): string {
  return toCookieRemoval({ name: `${prefix}${id}`, issuer });
}
