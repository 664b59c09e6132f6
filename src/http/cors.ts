/** Headers that let browsers of configured origins call the service. No credentials are ever allowed. */
export interface Cors {
  /** Returns the headers of an answer to a request with that `origin` header; none when it is not allowed. */
  headersFor(origin: string | undefined): Readonly<Record<string, string>>;
  /** Returns the further headers that answer a preflight; undefined when the request is none that is allowed. */
  preflightHeadersFor(request: {
    readonly verb: string;
    readonly origin: string | undefined;
    readonly requestedVerb: string | undefined;
  }): Readonly<Record<string, string>> | undefined;
}

const allowedHeaders = [
  "content-type",
  "authorization",
  "x-service-orgid",
  "idempotency-key",
  "if-match",
  "x-service-validate-only",
  "connect-protocol-version",
  "connect-timeout-ms",
  "connect-accept-encoding",
  "connect-content-encoding",
  "grpc-timeout",
  "x-grpc-web",
  "x-user-agent",
];

const exposedHeaders = [
  "grpc-status",
  "grpc-message",
  "grpc-status-details-bin",
  "deprecation",
  "link",
  "www-authenticate",
  "retry-after",
  "etag",
  "allow",
  "x-request-id",
  "idempotency-replayed",
  "x-service-validated-only",
];

const none = {};

/** Without origins nothing about CORS is ever sent. Origins are compared as they stand, such as `https://a.example`. */
export function createCors(origins: readonly string[]): Cors {
  const allowed = new Set(origins);
  const isAllowed = (origin: string | undefined): origin is string =>
    origin !== undefined && allowed.has(origin);
  return {
    headersFor(origin) {
      if (allowed.size === 0) return none;
      if (!isAllowed(origin)) return { vary: "origin" };
      return {
        vary: "origin",
        "access-control-allow-origin": origin,
        "access-control-expose-headers": exposedHeaders.join(","),
      };
    },
    preflightHeadersFor({ verb, origin, requestedVerb }) {
      if (verb !== "OPTIONS" || requestedVerb === undefined || !isAllowed(origin)) return undefined;
      return {
        "access-control-allow-methods": "GET,POST,PUT,DELETE",
        "access-control-allow-headers": allowedHeaders.join(","),
        "access-control-max-age": "7200",
      };
    },
  };
}
