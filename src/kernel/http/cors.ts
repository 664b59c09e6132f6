import type { Exchange } from "./exchanges/exchange.ts";
import { isLocalOrigin } from "./local-only.ts";

/** What pages of other origins may do with a site. Credentials are never allowed. */
export interface CorsPolicy {
  /**
   * Origins as written in the header, such as `https://a.example`; none: no CORS header is ever sent. "any": pages of every
   * origin, for sites that read no cookie. "local": those of any port of this machine.
   */
  readonly origins: readonly string[] | "any" | "local";
  readonly verbs: readonly string[];
  /** Headers that requests may have besides trace headers, which every site allows; "any": all but authorization (Fetch §3.3.4). */
  readonly allowedHeaders: readonly string[] | "any";
  /** Headers of answers that scripts may read. */
  readonly exposedHeaders: readonly string[];
}

/** Headers that let browsers of the origins of a policy call a site. */
export interface Cors {
  /** Lists the headers of an answer to a request with that `origin` header; none when it is not allowed. */
  headersFor(origin: string | undefined): Readonly<Record<string, string>>;
  /** Lists the further headers that answer a preflight; undefined when the request is not one that is allowed. */
  preflightHeadersFor(
    exchange: Pick<Exchange, "verb" | "header">,
  ): Readonly<Record<string, string>> | undefined;
}

const none = {};

/** What browsers with OpenTelemetry send with each request (W3C Trace Context §3, Baggage §3). It changes no answer. */
const traceHeaders = ["traceparent", "tracestate", "baggage"];

/** Creates the headers of a policy. */
export function createCors({ origins, verbs, allowedHeaders, exposedHeaders }: CorsPolicy): Cors {
  const isAny = origins === "any";
  const allowed = new Set(typeof origins === "string" ? [] : origins);
  const isNone = typeof origins !== "string" && origins.length === 0;
  const exposed = exposedHeaders.join(",");
  const requestable = allowedHeaders === "any" ? "*" : [...allowedHeaders, ...traceHeaders].join(",");
  const isAllowed = (origin: string | undefined): origin is string =>
    origin !== undefined && (isAny || allowed.has(origin) || (origins === "local" && isLocalOrigin(origin)));
  return {
    headersFor(origin) {
      if (isAny) return { "access-control-allow-origin": "*", "access-control-expose-headers": exposed };
      if (isNone) return none;
      if (!isAllowed(origin)) return { vary: "origin" };
      return {
        vary: "origin",
        "access-control-allow-origin": origin,
        "access-control-expose-headers": exposed,
      };
    },
    preflightHeadersFor(exchange) {
      if (exchange.verb !== "OPTIONS" || !isAllowed(exchange.header("origin"))) return undefined;
      if (exchange.header("access-control-request-method") === undefined) return undefined;
      return {
        "access-control-allow-methods": verbs.join(","),
        "access-control-allow-headers": requestable,
        "access-control-max-age": "7200",
      };
    },
  };
}
