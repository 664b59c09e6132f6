import type { Exchange } from "./exchange.ts";

/** The longest path and query that a page repeats. Requests of SAML, the longest that browsers bring, take a few thousand characters. */
export const maxRetryPathLength = 8000;

/**
 * A path of this origin (RFC 3986 §4.2): browsers read `//` and `/\` as the beginning of another host, and a backslash anywhere as a
 * slash. Only visible ASCII, because browsers leave out tabs and line breaks before they look.
 */
const ownPath = /^\/(?![/\\])[!-~]*$/;

/**
 * Returns path and query of a request by GET, for a link that sends it once more; undefined for other verbs, which a link cannot
 * repeat, and for what may lead away from this origin, or is too long. Not escaped: that is up to the page.
 */
export function retryPathOf({
  verb,
  path,
  query,
}: Pick<Exchange, "verb" | "path" | "query">): string | undefined {
  const target = query === undefined ? path : `${path}?${query}`;
  if (!["GET", "HEAD"].includes(verb) || target.length > maxRetryPathLength) return undefined;
  return ownPath.test(target) && !/[\\#]/.test(path) ? target : undefined;
}
