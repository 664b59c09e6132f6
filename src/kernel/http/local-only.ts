import { Problem } from "../base/problem.ts";
import type { Exchange } from "./exchanges/exchange.ts";
import type { RequestHeaders } from "./exchanges/request-headers.ts";

/** What is looked at of a request. */
type Asked = Pick<Exchange, "verb" | "header"> & { readonly request: Pick<RequestHeaders, "url"> };

const localHost = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?$/i;
const localOrigin = /^https?:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?$/;

/** Says whether an origin, as written in the header, is this machine: a page of any port here. */
export function isLocalOrigin(origin: string): boolean {
  return localOrigin.test(origin);
}

/**
 * Returns the problem of a request that a page of elsewhere may have caused; undefined for all others. A page of elsewhere whose name
 * was made to resolve to this machine (DNS rebinding) still has that name in the Host. Browsers name the origin of a page in each
 * request that could change something or be read, and say of all others whether they come from elsewhere (Fetch Metadata §2.3); of
 * these only a visit is let through: somebody follows a link.
 */
export function findForeign(exchange: Asked): Problem | undefined {
  const host = exchange.header(":authority") ?? exchange.header("host");
  if (host === undefined || !localHost.test(host) || !isLocalTarget(exchange.request.url))
    return hostForbidden();
  const origin = exchange.header("origin");
  const site = exchange.header("sec-fetch-site");
  if (origin === undefined) return site !== "cross-site" || isVisit(exchange) ? undefined : originForbidden();
  // A form of a page with the policy no-referrer, as ours are, hides its origin (Fetch §3.2); only the browser can say that it is ours.
  const isLocal = origin === "null" ? site === "same-origin" : isLocalOrigin(origin);
  return isLocal ? undefined : originForbidden();
}

/** RFC 9112 §3.2.2: the host of a target in absolute form replaces the Host. */
function isLocalTarget(target: string | undefined): boolean {
  const [, authority] = /^https?:\/\/([^/?#]*)/i.exec(target ?? "") ?? [];
  return authority === undefined || localHost.test(authority);
}

/** The browser shows the answer as a page of its own, in no frame. */
function isVisit(exchange: Pick<Asked, "verb" | "header">): boolean {
  return (
    (exchange.verb === "GET" || exchange.verb === "HEAD") &&
    exchange.header("sec-fetch-mode") === "navigate" &&
    exchange.header("sec-fetch-dest") === "document"
  );
}

function hostForbidden(): Problem {
  return new Problem({
    kind: "denied",
    reason: "HOST_FORBIDDEN",
    message: "an emulator answers only requests for localhost, 127.0.0.1 or [::1]",
  });
}

function originForbidden(): Problem {
  return new Problem({
    kind: "denied",
    reason: "ORIGIN_FORBIDDEN",
    message: "an emulator answers only pages of localhost, 127.0.0.1 or [::1]",
  });
}
