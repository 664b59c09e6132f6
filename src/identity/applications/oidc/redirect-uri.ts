import { hasLoopbackHost, urlViolation } from "../../../kernel/base/url.ts";
import type { OidcAppType, OidcSettings } from "./oidc-application.ts";

/** What decides which URIs an application may register. */
export interface UriRule {
  readonly appType: OidcAppType;
  readonly isDevMode: boolean;
}

/**
 * Says what is wrong with a URI that browsers may be sent to with a code or after a logout, in words that follow the name of a field,
 * or returns undefined. It must be absolute, without fragment (RFC 6749 §3.1.2), user info and wildcard. Servers and browsers take
 * https; what runs on a device also http on itself, or a scheme of its own with a dot (RFC 8252 §7).
 */
export function redirectUriViolation(uri: string, rule: UriRule): string | undefined {
  const scheme = /^([a-z][a-z\d+.-]*):/i.exec(uri)?.[1]?.toLowerCase();
  if (scheme === undefined || !uriCharacters.test(uri))
    return "must be an absolute URI, in which other characters are percent-encoded (RFC 3986)";
  if (uri.includes("#")) return "must not contain a fragment";
  if (uri.includes("*")) return "must not contain a wildcard";
  const isOfWeb = scheme === "https" || scheme === "http";
  return isOfWeb ? webViolation(uri, rule) : privateViolation(uri, scheme, rule);
}

/** Says what is wrong with an origin of pages, as a rule for its URIs does: no path, as browsers write it (RFC 6454 §6.2). */
export function originViolation(origin: string, rule: UriRule): string | undefined {
  const violation = redirectUriViolation(origin, rule);
  if (violation !== undefined) return violation;
  return URL.parse(origin)?.origin === origin
    ? undefined
    : "must be an origin: a scheme in lower case, a host and a port other than the default, nothing else";
}

/**
 * Says whether the application has registered the redirect URI: byte for byte (RFC 9700 §4.1.3), but what runs on a device may use
 * any port on itself (RFC 8252 §7.3).
 */
export function isRedirectUriRegistered(
  { redirectUris, appType }: Pick<OidcSettings, "redirectUris" | "appType">,
  uri: string,
): boolean {
  return isRegistered(redirectUris, appType, uri);
}

/** Says whether the application has registered the URI for the time after a logout, compared as a redirect URI is. */
export function isPostLogoutRedirectUriRegistered(
  { postLogoutRedirectUris, appType }: Pick<OidcSettings, "postLogoutRedirectUris" | "appType">,
  uri: string,
): boolean {
  return isRegistered(postLogoutRedirectUris, appType, uri);
}

/** RFC 3986 §2, without the rest of what a reader might repair. */
const uriCharacters = /^[\w\-.~:/?#[\]@!$&'()*+,;=%]+$/;

/** The ways to name the device itself, and the port, which ends where a path, a query or the URI does. */
const loopbackUri =
  /^(?<host>http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost))(?::(?<port>[1-9]\d{0,4}))?(?=[/?]|$)/;
const maxPort = 65_535;

/** What they name is executed, or read, where they are opened: they are never anybody's own. */
const forbiddenSchemes: ReadonlySet<string> = new Set([
  "javascript",
  "data",
  "vbscript",
  "file",
  "blob",
  "about",
]);

function webViolation(uri: string, { appType, isDevMode }: UriRule): string | undefined {
  const violation = urlViolation(uri, { allowQuery: true });
  const url = URL.parse(uri);
  if (violation !== undefined || url === null) return violation ?? "must be an absolute URI";
  if (url.protocol === "https:") return undefined;
  if (appType === "NATIVE")
    return loopbackUri.test(uri)
      ? undefined
      : "must be https, http on 127.0.0.1, [::1] or localhost, or have a private scheme";
  return isDevMode && hasLoopbackHost(url) ? undefined : "must be https; with dev_mode also http on loopback";
}

function privateViolation(uri: string, scheme: string, { appType, isDevMode }: UriRule): string | undefined {
  if (forbiddenSchemes.has(scheme)) return `must not have the scheme ${scheme}`;
  if (appType !== "NATIVE") return "must be https; only NATIVE applications have private schemes";
  if (!scheme.includes(".") && !isDevMode)
    return "must have a private scheme with a dot, such as com.example.app; others only with dev_mode";
  if (/^[^:]+:\/\/[^/?]*@/.test(uri)) return "must not contain user info";
  return URL.canParse(uri) ? undefined : "must be an absolute URI";
}

function isRegistered(registered: readonly string[], appType: OidcAppType, uri: string): boolean {
  if (registered.includes(uri)) return true;
  const bare = appType === "NATIVE" ? withoutPort(uri) : undefined;
  return bare !== undefined && registered.some((each) => withoutPort(each) === bare);
}

/** Returns a URI of the device itself without its port; undefined for any other URI, and for a port that cannot be. */
function withoutPort(uri: string): string | undefined {
  const found = loopbackUri.exec(uri);
  const { host, port = "1" } = found?.groups ?? {};
  if (found === null || host === undefined || Number(port) > maxPort) return undefined;
  return `${host}${uri.slice(found[0].length)}`;
}
