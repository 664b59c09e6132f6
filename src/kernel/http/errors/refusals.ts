import { Problem } from "../../base/problem.ts";

/** Refuses the verb of a request. The header `allow` lists the verbs of the path. */
export function methodNotAllowed(allowed: readonly string[]): Problem {
  const allow = allowed.toSorted().join(", ");
  return new Problem({
    kind: "unimplemented",
    reason: "METHOD_NOT_ALLOWED",
    message: `this path does not support the method of the request; use ${allow}`,
    metadata: { allow },
  });
}

/** Refuses a content type that the path does not accept. */
export function contentTypeUnsupported(message: string): Problem {
  return new Problem({ kind: "invalid", reason: "CONTENT_TYPE_UNSUPPORTED", message });
}

/** Refuses a compression that the service does not know. */
export function encodingUnsupported(supported: readonly string[]): Problem {
  const list = supported.join(", ");
  return new Problem({
    kind: "unimplemented",
    reason: "ENCODING_UNSUPPORTED",
    message: `the compression of the request is not supported; use one of: ${list}`,
    metadata: { supported: list },
  });
}

/** Refuses a message over the limit, compressed or not. */
export function messageTooLarge(maxBytes: number): Problem {
  return new Problem({
    kind: "exhausted",
    reason: "MESSAGE_TOO_LARGE",
    message: `the message is larger than ${maxBytes} bytes`,
    metadata: { max_bytes: String(maxBytes) },
  });
}

/** Refuses headers over the limit. */
export function headersTooLarge(maxBytes: number): Problem {
  return new Problem({
    kind: "exhausted",
    reason: "HEADERS_TOO_LARGE",
    message: `the headers of the request are larger than ${maxBytes} bytes`,
    metadata: { max_bytes: String(maxBytes) },
  });
}

/** Refuses a body that did not arrive in time. */
export function bodyTooSlow(timeoutMs: number): Problem {
  return new Problem({
    kind: "deadline",
    reason: "DEADLINE_EXCEEDED",
    message: `the body did not arrive within ${timeoutMs} ms`,
    metadata: { timeout_ms: String(timeoutMs) },
  });
}

/** Ends the work for a caller who is gone. Nobody reads this problem, but the log names it. */
export function cancelled(): Problem {
  return new Problem({
    kind: "cancelled",
    reason: "CANCELLED",
    message: "the caller cancelled the call",
  });
}

/** Refuses a request for which the service has no capacity or no time left. A retry is safe. */
export function overloaded(message: string): Problem {
  return new Problem({ kind: "unavailable", reason: "OVERLOADED", message, retryAfterMs: 1000 });
}

/** Stands for a bug: the caller learns only the request id; the log has the cause. */
export function internal(requestId: string, cause: unknown): Problem {
  return new Problem({
    kind: "internal",
    reason: "INTERNAL",
    message: `internal error; request id ${requestId}`,
    metadata: { request_id: requestId },
    cause,
  });
}
