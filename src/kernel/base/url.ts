/** Says whether a URL may carry a query; an OIDC issuer may not (OpenID Connect Discovery §2). */
export interface UrlRule {
  readonly allowQuery: boolean;
}

/**
 * Says what is wrong with the text as an absolute http or https URL without user info or fragment, in words that
 * follow the name of a field (`must not contain a fragment`). Returns undefined when it is valid.
 *
 * The text must be such a URL as it is. Refuses what the WHATWG parser would repair: `https:example.com`,
 * `https:///example.com`, backslashes, white space and control characters anywhere, an empty user info or fragment.
 */
export function urlViolation(text: string, rule: UrlRule): string | undefined {
  const authority = /^https?:\/\/(?<authority>[^/?#]+)/i.exec(text)?.groups?.["authority"];
  if (authority === undefined) return mustBeUrl;
  if (!text.isWellFormed() || unrepairable.test(text))
    return `${mustBeUrl}, without spaces, control characters or backslashes`;
  if (authority.includes("@")) return "must not contain user info";
  if (text.includes("#")) return "must not contain a fragment";
  if (!rule.allowQuery && text.includes("?")) return "must not contain a query";
  const url = URL.parse(text);
  return url === null ? mustBeUrl : hostViolation(url);
}

/**
 * Says why the host or the port of an http or https URL cannot exist, in words that follow the name of a field, or
 * returns undefined. The WHATWG parser accepts `https://./`, `https://a..b/` and `https://a:0/`. A name may end with
 * the dot of the root (RFC 1034 §3.1) and have underscores and hyphens anywhere: the DNS has such names.
 */
export function hostViolation({ hostname, port }: URL): string | undefined {
  if (port === "0") return "must not contain port 0"; // reserved, RFC 6335 §6
  const name = hostname.replace(/\.$/, "");
  const isAddress = hostname.startsWith("["); // an IPv4 address is of labels, as a name is
  return isAddress || (name.length <= maxNameLength && hostName.test(name)) ? undefined : mustBeName;
}

/** Parses an absolute http or https URL; a query is allowed. Returns undefined when `urlViolation` refuses it. */
export function parseHttpUrl(text: string): URL | undefined {
  return urlViolation(text, { allowQuery: true }) === undefined ? new URL(text) : undefined;
}

/**
 * Says whether the host of the URL, as written, is this machine: `localhost` and names below it (RFC 6761 §6.3),
 * 127.0.0.0/8, ::1. Resolves nothing.
 */
export function hasLoopbackHost(url: URL): boolean {
  return /^(?:(?:.+\.)?localhost\.?|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url.hostname);
}

/**
 * Returns the host as `URL.hostname` spells it: a name or an address, without port. An IPv6 address may come without its
 * brackets. Returns undefined for anything else.
 */
export function parseHost(text: string): string | undefined {
  const host = /^[\da-f.]*:[\da-f:.]*$/i.test(text) ? `[${text}]` : text;
  const url = URL.parse(`https://${host}/`);
  if (url === null || url.href !== `https://${url.hostname}/`) return undefined;
  return hostViolation(url) === undefined ? url.hostname : undefined;
}

const mustBeUrl = "must be an absolute http or https URL";
const mustBeName =
  "must be an absolute http or https URL whose host has labels of 1 to 63 letters, digits, hyphens or underscores, 253 characters in all";

const maxNameLength = 253; // RFC 1035 §2.3.4: 255 bytes on the wire
const hostName = /^[a-z\d_-]{1,63}(?:\.[a-z\d_-]{1,63})*$/;

// oxlint-disable-next-line no-control-regex -- control characters are what it looks for
const unrepairable = /[\s\u0000-\u001f\u007f-\u009f\\]/;
