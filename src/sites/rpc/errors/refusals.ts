import { Problem } from "../../../kernel/base/problem.ts";

/** Refuses a field that cannot be decoded. `field` is its proto path as far as known. */
export function fieldUndecodable(field: string, complaint: string): Problem {
  return new Problem({
    kind: "invalid",
    reason: "INVALID_REQUEST",
    message: `${field}: ${complaint}`,
    violations: [{ field, description: complaint }],
  });
}

/** Refuses an unknown path. RPC protocols say `unimplemented`, JSON says `not-found`. */
export function routeNotFound(kind: "not-found" | "unimplemented"): Problem {
  return new Problem({
    kind,
    reason: "ROUTE_NOT_FOUND",
    message: "no operation has this path; GET /openapi.json lists all of them",
  });
}

/**
 * Refuses a message marked as compressed in a call that names no compression. INTERNAL, as in gRPC and Connect
 * (https://github.com/grpc/grpc/blob/master/doc/compression.md#test-cases).
 */
export function compressionUnnamed(): Problem {
  return new Problem({
    kind: "protocol",
    reason: "INVALID_REQUEST",
    message: "the message is compressed, but no header says how",
  });
}

/**
 * Refuses none or several messages in a call that takes one. UNIMPLEMENTED, as in gRPC and Connect
 * (https://github.com/grpc/grpc/blob/master/doc/statuscodes.md).
 */
export function notOneMessage(sent: "none" | "more than one"): Problem {
  return new Problem({
    kind: "unimplemented",
    reason: "INVALID_REQUEST",
    message: `the call takes one message, but ${sent} was sent`,
  });
}

/** Refuses a stream, or a request on it, beyond the limit. */
export function tooManyStreams(message: string): Problem {
  return new Problem({ kind: "exhausted", reason: "TOO_MANY_STREAMS", message });
}

/** Ends a call that was not done by its deadline. */
export function deadlineExceeded(): Problem {
  return new Problem({
    kind: "deadline",
    reason: "DEADLINE_EXCEEDED",
    message: "the deadline passed before the call was done; no change was committed after it",
  });
}
