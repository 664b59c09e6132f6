import { hash } from "node:crypto";
import type { Random } from "../../../kernel/base/random.ts";
import { Secret } from "../../../kernel/base/secret.ts";
import type { Exchange } from "../../../kernel/http/exchanges/exchange.ts";

/** A cookie of the pages. Each holds 32 random bytes and nothing else: what it stands for is in the database. */
export interface PageCookie {
  /** Without the prefix, such as `gh_session`. */
  readonly name: string;
  readonly issuer: string;
}

const valuePattern = /^[A-Za-z0-9_-]{43}$/;

/** Makes the value of a cookie. */
export function newCookieValue(random: Random): Secret {
  return new Secret(Buffer.from(random.bytes(32)).toString("base64url"));
}

/** Hashes the value of a cookie for storage. Plain SHA-256 is enough: it holds 256 random bits. */
export function hashCookie(value: Secret): string {
  return hash("sha256", value.reveal(), "base64url");
}

/** Reads a cookie; undefined when there is none, or when two have the name, of which neither can be trusted. */
export function readCookie(
  exchange: Pick<Exchange, "header">,
  { name, issuer }: PageCookie,
): Secret | undefined {
  const full = fullNameOf(name, issuer);
  const values = listCookies(exchange).filter((cookie) => cookie.name === full);
  const [first] = values;
  if (first === undefined || values.length > 1 || !valuePattern.test(first.value)) return undefined;
  return new Secret(first.value);
}

/** Lists the names of the browser's cookies that begin with `prefix`, without what every name of an https issuer begins with. */
export function listCookieNames(
  exchange: Pick<Exchange, "header">,
  { name: prefix, issuer }: PageCookie,
): readonly string[] {
  const full = fullNameOf(prefix, issuer);
  const names = listCookies(exchange).map(({ name }) => name);
  return names.filter((name) => name.startsWith(full)).map((name) => name.slice(full.length - prefix.length));
}

/**
 * Makes the header `set-cookie`. The prefix `__Host-` keeps other hosts of the domain from setting the cookie; it needs https
 * (RFC 6265bis §4.1.3.2). Without `maxAgeSeconds` the cookie lives as long as the browser is open.
 */
export function toCookieHeader(
  { name, issuer }: PageCookie,
  value: Secret,
  maxAgeSeconds: number | undefined,
): string {
  return toHeader({ name, issuer }, value.reveal(), maxAgeSeconds);
}

/** Makes the header `set-cookie` that takes a cookie away from the browser. */
export function toCookieRemoval(cookie: PageCookie): string {
  return toHeader(cookie, "", 0);
}

function toHeader({ name, issuer }: PageCookie, value: string, maxAgeSeconds: number | undefined): string {
  const age = maxAgeSeconds === undefined ? "" : `; Max-Age=${maxAgeSeconds}`;
  const secure = isSecure(issuer) ? "; Secure" : "";
  return `${fullNameOf(name, issuer)}=${value}; Path=/${age}; HttpOnly; SameSite=Lax${secure}`;
}

function fullNameOf(name: string, issuer: string): string {
  return isSecure(issuer) ? `__Host-${name}` : name;
}

/** Whatever the connection is: a proxy may end TLS. */
function isSecure(issuer: string): boolean {
  return issuer.startsWith("https:");
}

function listCookies(exchange: Pick<Exchange, "header">) {
  return (exchange.header("cookie") ?? "").split(";").map((pair) => {
    const equals = pair.indexOf("=");
    return { name: pair.slice(0, Math.max(equals, 0)).trim(), value: pair.slice(equals + 1).trim() };
  });
}
