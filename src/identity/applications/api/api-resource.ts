import { hasLoopbackHost, parseHttpUrl, urlViolation } from "../../../kernel/base/url.ts";
import { alreadyExists, type Problem } from "../../../kernel/base/problem.ts";

/** Whether tokens are given for the resource of an API. */
export type ApiResourceState = "PENDING" | "VERIFIED";

/** What is needed to check the resource of an API. */
export interface ResourceRule {
  readonly isDevMode: boolean;
  /** Undefined: there is none. */
  readonly issuer: string | undefined;
}

/**
 * Says what is wrong with a resource (RFC 8707 §2), in words that follow the name of a field; undefined when it is good. It is compared
 * as text, so only the one spelling of the URL Standard is taken.
 */
export function resourceViolation(resource: string, { isDevMode, issuer }: ResourceRule): string | undefined {
  if (/^urn:/i.test(resource)) return urnViolation(resource);
  const violation = urlViolation(resource, { allowQuery: true });
  if (violation !== undefined)
    return "must be an absolute https URI without user info and fragment, or a URN";
  const url = new URL(resource);
  const isDevelopment = isDevMode && hasLoopbackHost(url);
  if (url.protocol !== "https:" && !isDevelopment)
    return isDevMode ? "must be https, or http on loopback" : "must be https";
  if (url.href !== resource) return `must be written as ${url.href}`;
  if (issuer !== undefined && url.origin === new URL(issuer).origin)
    return "must not be on the host of the issuer";
  return undefined;
}

/** Returns the text that stands for a resource when two are compared: a final slash means nothing. */
export function toResourceKey(resource: string): string {
  return resource.endsWith("/") ? resource.slice(0, -1) : resource;
}

/** Says whether somebody has to vouch for the resource. What others than its owner can claim anyway, nobody has. */
export function needsVouching(resource: string): boolean {
  return resource.startsWith("https:");
}

/** Returns where a protected resource publishes its metadata (RFC 9728 §3.1): between host and path. Undefined for a URN. */
export function metadataUrlOf(resource: string): string | undefined {
  const url = parseHttpUrl(resource);
  if (url === undefined) return undefined;
  const path = url.pathname === "/" ? "" : url.pathname;
  return `${url.origin}/.well-known/oauth-protected-resource${path}${url.search}`;
}

/** Returns the problem of a resource that another API has. */
export function resourceTaken(resource: string): Problem {
  return alreadyExists("api_resource", resource);
}

/** RFC 8141 §2, in the characters that URLs may have; our own names are not for others. */
function urnViolation(resource: string): string | undefined {
  if (!/^urn:[a-z0-9][a-z0-9-]{1,31}:[A-Za-z0-9()+,\-.:=@;$_!*'%/?&~]+$/i.test(resource))
    return "must be a URN without fragment";
  const written = new URL(resource).href;
  if (written !== resource) return `must be written as ${written}`;
  return /^urn:(?:zitadel|gatehouse):/i.test(resource)
    ? "must not be below urn:zitadel: and urn:gatehouse:"
    : undefined;
}
