import type { Random } from "../../../kernel/base/random.ts";
import type { Secret } from "../../../kernel/base/secret.ts";
import type { Exchange } from "../../../kernel/http/exchanges/exchange.ts";
import { hashCookie, newCookieValue, readCookie, toCookieHeader, toCookieRemoval } from "./cookies.ts";

const name = "gh_session";

/** Returns the hash of the value of the browser's session cookie, by which its session is found; undefined without one. */
export function readSessionCookie(exchange: Pick<Exchange, "header">, issuer: string): string | undefined {
  const value = readSessionValue(exchange, issuer);
  return value && hashCookie(value);
}

/** Reads the value itself, to which the forms of a session are bound. */
export function readSessionValue(exchange: Pick<Exchange, "header">, issuer: string): Secret | undefined {
  return readCookie(exchange, { name, issuer });
}

/** A new value for the session cookie: the hash is stored, the header sent. */
export interface NewSessionCookie {
  readonly hash: string;
  /** Of `set-cookie`. */
  readonly header: string;
}

/** Makes a new value for the session cookie, which the browser keeps until the session expires. */
export function newSessionCookie(
  random: Random,
  { issuer, restMs }: { readonly issuer: string; readonly restMs: number },
): NewSessionCookie {
  const value = newCookieValue(random);
  const maxAgeSeconds = Math.max(0, Math.floor(restMs / 1000));
  return { hash: hashCookie(value), header: toCookieHeader({ name, issuer }, value, maxAgeSeconds) };
}

/** Makes the header `set-cookie` that takes the session cookie away from the browser. */
export function endedSessionCookie(issuer: string): string {
  return toCookieRemoval({ name, issuer });
}
