import type { Reason } from "./reason.ts";

/** The kind of a problem, in terms of the domain. `sites/rpc/errors` maps each kind to a status code. */
export type ProblemKind =
  | "invalid"
  | "unauthenticated"
  | "denied"
  | "not-found"
  | "already-exists"
  | "precondition"
  | "conflict"
  | "exhausted"
  | "unimplemented"
  | "unavailable"
  | "deadline"
  | "cancelled"
  /** A caller broke the protocol of their calls. gRPC calls this internal, but it is not a fault of the service. */
  | "protocol"
  | "internal";

/** One broken rule. `field` is the proto path (`jwt_endpoint`, `role_keys[1]`). */
export interface FieldViolation {
  readonly field: string;
  readonly description: string;
}

/**
 * The object that a not-found or already-exists problem is about: its noun, and the value that the caller sent for
 * it.
 */
export interface Resource {
  readonly type: string;
  readonly name: string;
}

/** Everything that a problem tells its caller, and the cause, which stays in the log. */
export interface ProblemInit {
  readonly kind: ProblemKind;
  readonly reason: Reason;
  /** Tells the caller what to do. Everything that varies in it is also in `metadata`. Never holds a secret. */
  readonly message: string;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly violations?: readonly FieldViolation[];
  readonly resource?: Resource;
  /** How long to wait before a retry; absent when waiting does not help. */
  readonly retryAfterMs?: number;
  /** What the header `www-authenticate` says; absent: the usual. */
  readonly challenge?: string;
  readonly cause?: unknown;
}

/** The only error class that callers of the service see. A bug throws a plain Error instead. */
export class Problem extends Error {
  readonly kind: ProblemKind;
  readonly reason: Reason;
  readonly metadata: Readonly<Record<string, string>>;
  readonly violations: readonly FieldViolation[];
  readonly resource: Resource | undefined;
  readonly retryAfterMs: number | undefined;
  readonly challenge: string | undefined;

  constructor(init: ProblemInit) {
    super(init.message, { cause: init.cause });
    this.name = "Problem";
    this.kind = init.kind;
    this.reason = init.reason;
    this.metadata = init.metadata ?? {};
    this.violations = init.violations ?? [];
    this.resource = init.resource;
    this.retryAfterMs = init.retryAfterMs;
    this.challenge = init.challenge;
  }
}

/** Makes the header `www-authenticate` of the answer to a caller who is not known. */
export function toChallenge({ challenge, reason }: Pick<Problem, "challenge" | "reason">): string {
  // RFC 6750 §3: no error code when the request carries no token at all.
  const error = reason === "TOKEN_MISSING" ? "" : ', error="invalid_token"';
  return challenge ?? `Bearer realm="gatehouse"${error}`;
}

/** Returns the problem of a request whose fields break rules, with every broken rule. */
export function fieldsInvalid(violations: readonly FieldViolation[]): Problem {
  const first = violations[0];
  const more = violations.length > 1 ? ` (and ${violations.length - 1} more)` : "";
  return new Problem({
    kind: "invalid",
    reason: "FIELD_INVALID",
    message: first === undefined ? "the request is invalid" : `${first.field}: ${first.description}${more}`,
    violations,
  });
}

/** Returns the problem of one field that breaks a rule which depends on stored state. */
export function fieldInvalid(field: string, description: string): Problem {
  return fieldsInvalid([{ field, description }]);
}

/** Returns the problem of a URL that the service does not connect to. */
export function urlForbidden(field: string, description: string): Problem {
  return new Problem({
    kind: "invalid",
    reason: "URL_FORBIDDEN",
    message: `${field}: ${description}`,
    violations: [{ field, description }],
  });
}

/** Returns the problem of a request that cannot be decoded; `field` where the input names one. */
export function requestInvalid(message: string, field?: string): Problem {
  return new Problem({
    kind: "invalid",
    reason: "INVALID_REQUEST",
    message,
    violations: field === undefined ? [] : [{ field, description: message }],
  });
}

/** Returns the problem of an object that is absent or that the caller may not see; both look the same. */
export function notFound(type: string, name: string): Problem {
  return new Problem({
    kind: "not-found",
    reason: "NOT_FOUND",
    message: `${type} ${JSON.stringify(name)} does not exist`,
    metadata: { resource_type: type },
    resource: { type, name },
  });
}

/** Refuses one object more than the limit. Raises LIMIT_REACHED; `retryAfterMs` is given where objects expire. */
export function requireBelowLimit(
  count: number,
  limit: { readonly type: string; readonly max: number; readonly retryAfterMs?: number },
): void {
  if (count >= limit.max) throw limitReached(limit.type, limit.max, limit.retryAfterMs);
}

/** Returns the problem of a limit on the number of objects; `retryAfterMs` is for objects that expire. */
export function limitReached(type: string, limit: number, retryAfterMs?: number): Problem {
  return new Problem({
    kind: "exhausted",
    reason: "LIMIT_REACHED",
    message: `the limit of ${limit} for ${type} is reached`,
    metadata: { type, limit: String(limit) },
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
}

/**
 * Returns the problem of a call beyond the limit of calls in progress. It was refused before it did anything, so a
 * retry is safe.
 */
export function tooManyCalls(limit: number): Problem {
  return new Problem({
    kind: "exhausted",
    reason: "TOO_MANY_CALLS",
    message: `the limit of ${limit} calls in progress is reached; nothing was done; try again later`,
    metadata: { limit: String(limit) },
    retryAfterMs: 1000,
  });
}

/** Returns the problem of a value that must be unique and is taken. */
export function alreadyExists(type: string, name: string, message?: string): Problem {
  return new Problem({
    kind: "already-exists",
    reason: "ALREADY_EXISTS",
    message: message ?? `${type} ${JSON.stringify(name)} already exists; choose another one`,
    metadata: { resource_type: type },
    resource: { type, name },
  });
}

/**
 * Returns the problem of a caller who lacks `permission` on the organization; undefined when they may not learn which
 * one.
 */
export function permissionDenied(
  permission: string,
  organizationId: string | undefined,
  message?: string,
): Problem {
  return new Problem({
    kind: "denied",
    reason: "PERMISSION_DENIED",
    message: message ?? `the permission ${permission} is missing`,
    metadata: { permission, ...(organizationId === undefined ? {} : { organization_id: organizationId }) },
  });
}

/** Returns the problem of an operation that the state of the object does not allow. */
export function stateConflict(resource: Resource, state: string, message: string): Problem {
  return new Problem({
    kind: "precondition",
    reason: "STATE_CONFLICT",
    message,
    metadata: { resource_type: resource.type, state },
  });
}

/** Returns the problem of an operation that does not fit the kind of the object it names. */
export function wrongKind(message: string, resource: Resource): Problem {
  return new Problem({
    kind: "precondition",
    reason: "WRONG_KIND",
    message,
    metadata: { resource_type: resource.type },
  });
}
