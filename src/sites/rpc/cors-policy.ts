import type { CorsPolicy } from "../../kernel/http/cors.ts";

/** Lets pages of these origins make calls and read all headers of an answer. */
export function corsPolicyFor(origins: CorsPolicy["origins"]): CorsPolicy {
  return { origins, verbs: ["GET", "POST", "PUT", "DELETE"], allowedHeaders, exposedHeaders };
}

const allowedHeaders = [
  "content-type",
  "authorization",
  "dpop",
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
