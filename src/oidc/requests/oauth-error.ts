import type { Problem } from "../../base/problem.ts";
import { httpStatusOf, problemHeaders } from "../../http/errors/problem-status.ts";
import type { Reply } from "../../http/exchanges/reply.ts";

/** The errors of OAuth (RFC 6749 §5.2, RFC 7009 §2.2.1), and those for what is our fault (§4.1.2.1). */
export type OAuthErrorCode =
  | "invalid_request"
  | "invalid_client"
  | "invalid_grant"
  | "unauthorized_client"
  | "unsupported_grant_type"
  | "unsupported_token_type"
  | "invalid_scope"
  | "temporarily_unavailable"
  | "server_error";

/** A refusal in the words of OAuth. The description tells a developer what to do; it never holds a value of the request. */
export class OAuthError extends Error {
  readonly code: OAuthErrorCode;
  readonly status: number;
  /** How long to wait before a retry; undefined when waiting does not help. */
  readonly retryAfterMs: number | undefined;

  constructor(
    code: OAuthErrorCode,
    description: string,
    { status = code === "invalid_client" ? 401 : 400, retryAfterMs }: OAuthErrorOptions = {},
  ) {
    super(description);
    this.name = "OAuthError";
    this.code = code;
    this.status = status;
    this.retryAfterMs = retryAfterMs;
  }
}

/** What differs from the usual answer to an error: 401 for invalid_client, 400 for all others. */
export interface OAuthErrorOptions {
  readonly status?: number;
  readonly retryAfterMs?: number | undefined;
}

/** Makes the answer of an error: JSON that is never cached (RFC 6749 §5.2). With 401 it says how to authenticate (RFC 9110 §15.5.2). */
export function toErrorReply(error: OAuthError): Reply {
  const { retryAfterMs, status } = error;
  return {
    status,
    headers: {
      "content-type": "application/json",
      "cache-control": "no-store",
      ...(status === 401 ? { "www-authenticate": 'Basic realm="gatehouse"' } : {}),
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
