import { Problem, type ProblemKind } from "../../base/problem.ts";
import type { Reason } from "../../base/reason.ts";
import { internal } from "./refusals.ts";

const statusOfKind: Readonly<Record<ProblemKind, number>> = {
  cancelled: 499,
  invalid: 400,
  deadline: 504,
  "not-found": 404,
  "already-exists": 409,
  denied: 403,
  exhausted: 429,
  precondition: 400,
  conflict: 409,
  unimplemented: 501,
  protocol: 400,
  internal: 500,
  unavailable: 503,
  unauthenticated: 401,
};

/** Reasons for which HTTP has a status of its own. */
const statusOfReason: Readonly<Partial<Record<Reason, number>>> = {
  ROUTE_NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  SEQUENCE_MISMATCH: 412,
  MESSAGE_TOO_LARGE: 413,
  CONTENT_TYPE_UNSUPPORTED: 415,
  ENCODING_UNSUPPORTED: 415,
  HOST_FORBIDDEN: 421,
  HEADERS_TOO_LARGE: 431,
};

/**
 * Converts an error to the problem that a caller may see: a Problem as it is, everything else as INTERNAL with the
 * error as its cause.
 */
export function toProblem(error: unknown, requestId: string): Problem {
  if (!(error instanceof Problem)) return internal(requestId, error);
  return error.kind === "internal" ? internal(requestId, error) : error;
}

/** Returns the HTTP status of a problem. */
export function httpStatusOf(problem: Problem): number {
  return statusOfReason[problem.reason] ?? statusOfKind[problem.kind];
}

/** Returns how long to wait before a retry, as `retry-after` says it; undefined when waiting does not help. */
export function retryAfterSecondsOf({ retryAfterMs }: Problem): number | undefined {
  return retryAfterMs === undefined ? undefined : Math.max(1, Math.ceil(retryAfterMs / 1000));
}

/** Lists the headers that belong to a problem whatever the shape of its answer: `retry-after` and `allow`. */
export function problemHeaders(problem: Problem): Record<string, string> {
  const headers: Record<string, string> = {};
  const retryAfterSeconds = retryAfterSecondsOf(problem);
  if (retryAfterSeconds !== undefined) headers["retry-after"] = String(retryAfterSeconds);
  const allow = problem.metadata["allow"];
  if (problem.reason === "METHOD_NOT_ALLOWED" && allow !== undefined) headers["allow"] = allow;
  return headers;
}
