import { Problem } from "../../base/problem.ts";

/** Returns the problem of a field that cannot be decoded. `field` is the proto path as far as it is known. */
export function fieldUndecodable(field: string, complaint: string): Problem {
  return new Problem({
    kind: "invalid",
    reason: "INVALID_REQUEST",
    message: `${field}: ${complaint}`,
    violations: [{ field, description: complaint }],
  });
}

/** Returns the problem of a path that nothing answers. RPC protocols say `unimplemented`, JSON `not-found`. */
export function routeNotFound(kind: "not-found" | "unimplemented"): Problem {
  return new Problem({
    kind,
    reason: "ROUTE_NOT_FOUND",
    message: "no operation has this path; GET /openapi.json lists all of them",
  });
}

/** Returns the problem of a path that is known, but not for this verb. */
export function methodNotAllowed(allowed: readonly string[]): Problem {
  const allow = allowed.toSorted().join(", ");
  return new Problem({
    kind: "unimplemented",
    reason: "METHOD_NOT_ALLOWED",
    message: `this path does not take the verb of the request; use ${allow}`,
    metadata: { allow },
  });
}

/** Returns the problem of a body in a content type that the path does not take. */
export function contentTypeUnsupported(message: string): Problem {
  return new Problem({ kind: "invalid", reason: "CONTENT_TYPE_UNSUPPORTED", message });
}

/** Returns the problem of a compression that the service does not know. */
export function encodingUnsupported(supported: readonly string[]): Problem {
  const list = supported.join(", ");
  return new Problem({
    kind: "unimplemented",
    reason: "ENCODING_UNSUPPORTED",
    message: `the compression of the request is not supported; use one of: ${list}`,
    metadata: { supported: list },
  });
}

/**
 * Returns the problem of a message that says that it is compressed in a call that does not say how. INTERNAL, as gRPC and
 * Connect have it (https://github.com/grpc/grpc/blob/master/doc/compression.md#test-cases).
 */
export function compressionUnnamed(): Problem {
  return new Problem({
    kind: "protocol",
    reason: "INVALID_REQUEST",
    message: "the message is compressed, but no header says how",
  });
}

/**
 * Returns the problem of a call that takes one message and got none, or several. UNIMPLEMENTED, as gRPC and Connect have it
 * (https://github.com/grpc/grpc/blob/master/doc/statuscodes.md).
 */
export function notOneMessage(sent: "none" | "more than one"): Problem {
  return new Problem({
    kind: "unimplemented",
    reason: "INVALID_REQUEST",
    message: `the call takes one message, but ${sent} was sent`,
  });
}

/** Returns the problem of a message that is over the limit, compressed or not. */
export function messageTooLarge(maxBytes: number): Problem {
  return new Problem({
    kind: "exhausted",
    reason: "MESSAGE_TOO_LARGE",
    message: `the message is larger than ${maxBytes} bytes`,
    metadata: { max_bytes: String(maxBytes) },
  });
}

/** Returns the problem of a header block that is over the limit. */
export function headersTooLarge(maxBytes: number): Problem {
  return new Problem({
    kind: "exhausted",
    reason: "HEADERS_TOO_LARGE",
    message: `the headers of the request are larger than ${maxBytes} bytes`,
    metadata: { max_bytes: String(maxBytes) },
  });
}

/** Returns the problem of a stream, or of a request on it, beyond how many of its kind are served. */
export function tooManyStreams(message: string): Problem {
  return new Problem({ kind: "exhausted", reason: "TOO_MANY_STREAMS", message });
}

/** Returns the problem of a call that was not done by its deadline. */
export function deadlineExceeded(): Problem {
  return new Problem({
    kind: "deadline",
    reason: "DEADLINE_EXCEEDED",
    message: "the call was not done by its deadline; what was not committed by then is not committed",
  });
}

/** Returns the problem of a body that does not arrive. */
export function bodyTooSlow(timeoutMs: number): Problem {
  return new Problem({
    kind: "deadline",
    reason: "DEADLINE_EXCEEDED",
    message: `the body did not arrive within ${timeoutMs} ms`,
    metadata: { timeout_ms: String(timeoutMs) },
  });
}

/** Returns the problem of a caller who is gone. Nobody reads it; it ends the work and names it in the log. */
export function cancelled(): Problem {
  return new Problem({
    kind: "cancelled",
    reason: "CANCELLED",
    message: "the caller cancelled the call",
  });
}

/** Returns the problem of a service that has no room, or no time left, for the call. A retry is safe. */
export function overloaded(message: string): Problem {
  return new Problem({ kind: "unavailable", reason: "OVERLOADED", message, retryAfterMs: 1000 });
}

/** Returns the problem that stands for a bug: the caller learns the request id only, the log has the cause. */
export function internal(requestId: string, cause: unknown): Problem {
  return new Problem({
    kind: "internal",
    reason: "INTERNAL",
    message: `internal error; request id ${requestId}`,
    metadata: { request_id: requestId },
    cause,
  });
}
