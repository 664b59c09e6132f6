import type { Problem } from "../../../kernel/base/problem.ts";
import { httpStatusOf, problemHeaders } from "../../../kernel/http/errors/problem-status.ts";
import type { Reply } from "../../../kernel/http/exchanges/reply.ts";

/**
 * The errors of OAuth (RFC 6749 §5.2, RFC 6750 §3.1, RFC 7009 §2.2.1, RFC 7591 §3.2.2, RFC 8628 §3.5, RFC 8707 §2, RFC 9449 §12.2), and those of
 * §4.1.2.1 that other endpoints need, too (RFC 9126 §2.3).
 */
export type OAuthErrorCode =
  | "invalid_request"
  | "invalid_client"
  | "invalid_grant"
  | "unauthorized_client"
  | "unsupported_grant_type"
  | "unsupported_token_type"
  | "unsupported_response_type"
  | "request_not_supported"
  | "request_uri_not_supported"
  | "registration_not_supported"
  | "invalid_scope"
  | "invalid_target"
  | "access_denied"
  | "invalid_token"
  | "insufficient_scope"
  | "invalid_dpop_proof"
  | "invalid_redirect_uri"
  | "invalid_client_metadata"
  | "unapproved_software_statement"
  | "authorization_pending"
  | "slow_down"
  | "expired_token"
  | "temporarily_unavailable"
  | "server_error";

/** What differs from 400. */
const statusOf: Readonly<Partial<Record<OAuthErrorCode, number>>> = {
  invalid_client: 401,
  invalid_token: 401,
  insufficient_scope: 403,
};

/** A refusal in the words of OAuth. The description tells a developer what to do; it never holds a value of the request. */
export class OAuthError extends Error {
  readonly code: OAuthErrorCode;
  readonly status: number;
  /** How long to wait before a retry; undefined when waiting does not help. */
  readonly retryAfterMs: number | undefined;
  /** The header `www-authenticate`; undefined: none is sent. */
  readonly challenge: string | undefined;

  constructor(code: OAuthErrorCode, description: string, options: OAuthErrorOptions = {}) {
    super(description);
    const { status = statusOf[code] ?? 400, retryAfterMs } = options;
    this.name = "OAuthError";
    this.code = code;
    this.status = status;
    this.retryAfterMs = retryAfterMs;
    this.challenge = options.challenge ?? challengeOf(code, { status, description });
  }
}

/** What differs from the usual answer to an error. */
export interface OAuthErrorOptions {
  /** Default: 401 for a client or token that is not accepted, 403 for a token without the scope, 400 for all others. */
  readonly status?: number;
  readonly retryAfterMs?: number | undefined;
  /** Default: how to authenticate, with 401 and 403. */
  readonly challenge?: string;
}

/** RFC 9110 §15.5.2: an answer 401 says how to authenticate, for a token with what is wrong (RFC 6750 §3). */
function challengeOf(
  code: OAuthErrorCode,
  { status, description }: { readonly status: number; readonly description: string },
): string | undefined {
  if (code === "invalid_token" || code === "insufficient_scope")
    return `Bearer realm="gatehouse", error="${code}", error_description="${description}"`;
  return status === 401 ? 'Basic realm="gatehouse"' : undefined;
}

/** Makes the answer of an error: JSON that is never cached (RFC 6749 §5.2). */
export function toErrorReply(error: OAuthError): Reply {
  const { challenge, retryAfterMs, status } = error;
  return {
    status,
    headers: {
      "content-type": "application/json",
      "cache-control": "no-store",
      ...(challenge === undefined ? {} : { "www-authenticate": challenge }),
      ...(retryAfterMs === undefined ? {} : { "retry-after": String(Math.ceil(retryAfterMs / 1000)) }),
    },
    body: JSON.stringify({ error: error.code, error_description: error.message }),
  };
}

/** Makes the answer of a problem of the port: a wrong verb, a body that is too large, overload, a bug. */
export function toProblemReply(problem: Problem): Reply {
  const status = httpStatusOf(problem);
  const { headers, ...answer } = toErrorReply(new OAuthError(codeOf(problem), problem.message, { status }));
  return { ...answer, headers: { ...headers, ...problemHeaders(problem) } };
}

function codeOf(problem: Problem): OAuthErrorCode {
  if (problem.kind === "internal") return "server_error";
  if (problem.kind === "unavailable" || problem.reason === "TOO_MANY_CALLS") return "temporarily_unavailable";
  return "invalid_request";
}
