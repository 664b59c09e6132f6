import type { DescMessage, JsonObject, JsonValue, MessageInitShape } from "@bufbuild/protobuf";
import { create, createRegistry, toBinary, toJson } from "@bufbuild/protobuf";
import type { Any } from "@bufbuild/protobuf/wkt";
import { AnySchema, anyPack } from "@bufbuild/protobuf/wkt";
import type { ProblemKind } from "../../base/problem.ts";
import { Problem } from "../../base/problem.ts";
import type { Reason } from "../../base/reason.ts";
import type { Status } from "../../../gen/google/rpc/status_pb.ts";
import { StatusSchema } from "../../../gen/google/rpc/status_pb.ts";
import {
  BadRequestSchema,
  ErrorInfoSchema,
  ResourceInfoSchema,
  RetryInfoSchema,
} from "../../../gen/google/rpc/error_details_pb.ts";
import { internal } from "../../http/refusals.ts";

interface Canonical {
  readonly code: number;
  readonly httpStatus: number;
  /** The name in Connect's error shape. */
  readonly connectCode: string;
}

/** Canonical codes of gRPC, what HTTP says for them (decision 3), and how Connect spells them. */
const canonical: Readonly<Record<ProblemKind, Canonical>> = {
  cancelled: { code: 1, httpStatus: 499, connectCode: "canceled" },
  invalid: { code: 3, httpStatus: 400, connectCode: "invalid_argument" },
  deadline: { code: 4, httpStatus: 504, connectCode: "deadline_exceeded" },
  "not-found": { code: 5, httpStatus: 404, connectCode: "not_found" },
  "already-exists": { code: 6, httpStatus: 409, connectCode: "already_exists" },
  denied: { code: 7, httpStatus: 403, connectCode: "permission_denied" },
  exhausted: { code: 8, httpStatus: 429, connectCode: "resource_exhausted" },
  precondition: { code: 9, httpStatus: 400, connectCode: "failed_precondition" },
  conflict: { code: 10, httpStatus: 409, connectCode: "aborted" },
  unimplemented: { code: 12, httpStatus: 501, connectCode: "unimplemented" },
  protocol: { code: 13, httpStatus: 400, connectCode: "internal" },
  internal: { code: 13, httpStatus: 500, connectCode: "internal" },
  unavailable: { code: 14, httpStatus: 503, connectCode: "unavailable" },
  unauthenticated: { code: 16, httpStatus: 401, connectCode: "unauthenticated" },
};

/** Reasons that HTTP has a status of its own for. */
const httpStatusOfReason: Readonly<Partial<Record<Reason, number>>> = {
  ROUTE_NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  SEQUENCE_MISMATCH: 412,
  MESSAGE_TOO_LARGE: 413,
  CONTENT_TYPE_UNSUPPORTED: 415,
  ENCODING_UNSUPPORTED: 415,
  HEADERS_TOO_LARGE: 431,
};

const maxMessageCharacters = 1000;

/** The messages that the details of a google.rpc.Status can be. */
export const detailRegistry = createRegistry(
  ErrorInfoSchema,
  BadRequestSchema,
  ResourceInfoSchema,
  RetryInfoSchema,
);

/** Returns the error as what a caller may see: a Problem as it is, everything else as INTERNAL with it as the cause. */
export function toProblem(error: unknown, requestId: string): Problem {
  if (!(error instanceof Problem)) return internal(requestId, error);
  return error.kind === "internal" ? internal(requestId, error) : error;
}

/** Returns the canonical code of gRPC. */
export function codeOf(problem: Problem): number {
  return canonical[problem.kind].code;
}

/** Returns the status of HTTP. */
export function httpStatusOf(problem: Problem): number {
  return httpStatusOfReason[problem.reason] ?? canonical[problem.kind].httpStatus;
}

/** Returns the headers that go with the problem on every lane: www-authenticate, retry-after, allow. */
export function headersOf(problem: Problem): Record<string, string> {
  const headers: Record<string, string> = {};
  if (problem.kind === "unauthenticated") {
    // RFC 6750 §3: no error code when the request carries no token at all.
    const error = problem.reason === "TOKEN_MISSING" ? "" : ', error="invalid_token"';
    headers["www-authenticate"] = `Bearer realm="gatehouse"${error}`;
  }
  if (problem.retryAfterMs !== undefined) {
    headers["retry-after"] = String(Math.max(1, Math.ceil(problem.retryAfterMs / 1000)));
  }
  const allow = problem.metadata["allow"];
  if (problem.reason === "METHOD_NOT_ALLOWED" && allow !== undefined) headers["allow"] = allow;
  return headers;
}

/**
 * Returns the problem as google.rpc.Status, details in the order ErrorInfo, BadRequest, ResourceInfo, RetryInfo. What
 * the caller sent stands in it shortened: it may be as long as a message. `bounds` are those of what has to fit into a header.
 */
export function toStatus(problem: Problem, bounds: StatusBounds = {}): Status {
  const { maxViolations, maxCharacters = maxMessageCharacters } = bounds;
  const shorten = (text: string): string => shortened(text, maxCharacters);
  const metadata = Object.fromEntries(
    Object.entries(problem.metadata).map(([key, value]) => [key, shorten(value)]),
  );
  const details = [pack(ErrorInfoSchema, { reason: problem.reason, domain: "gatehouse", metadata })];
  if (problem.violations.length > 0) {
    const fieldViolations = problem.violations
      .slice(0, maxViolations)
      .map(({ field, description }) => ({ field: shorten(field), description: shorten(description) }));
    details.push(pack(BadRequestSchema, { fieldViolations }));
  }
  if (problem.resource !== undefined) {
    const { type, name } = problem.resource;
    const description = shorten(problem.message);
    details.push(pack(ResourceInfoSchema, { resourceType: type, resourceName: shorten(name), description }));
  }
  if (problem.retryAfterMs !== undefined) {
    const seconds = Math.floor(problem.retryAfterMs / 1000);
    const nanos = Math.round((problem.retryAfterMs - seconds * 1000) * 1_000_000);
    details.push(pack(RetryInfoSchema, { retryDelay: { seconds: BigInt(seconds), nanos } }));
  }
  return create(StatusSchema, { code: codeOf(problem), message: shorten(problem.message), details });
}

/** Returns the error body of JSON: google.rpc.Status in protobuf JSON. */
export function toStatusJson(problem: Problem): JsonValue {
  const { code, message, details } = toStatus(problem);
  const toDetail = (detail: Any): JsonValue => {
    const json = toJson(AnySchema, detail, { registry: detailRegistry, alwaysEmitImplicit: true });
    return { "@type": detail.typeUrl, ...(json as JsonObject) }; // an Any of a message is an object
  };
  return { code, message, details: details.map(toDetail) };
}

/** Returns the error in the shape of Connect: code by name, details as type and base64 without padding. */
export function toConnectJson(problem: Problem): JsonValue {
  const details = toStatus(problem).details.map((detail) => ({
    type: detail.typeUrl.slice(detail.typeUrl.lastIndexOf("/") + 1),
    value: Buffer.from(detail.value).toString("base64").replaceAll("=", ""),
  }));
  return {
    code: canonical[problem.kind].connectCode,
    message: shortened(problem.message, maxMessageCharacters),
    details,
  };
}

interface StatusBounds {
  /** Broken rules in the list. */
  readonly maxViolations?: number;
  /** Of each text. */
  readonly maxCharacters?: number;
}

/** Largest message and google.rpc.Status in trailers: clients of gRPC refuse more than 8 KiB of metadata by default. */
const maxTrailerBytes = 7000;

/**
 * Returns the problem as google.rpc.Status that fits into trailers: of very many broken rules those that do, and of long
 * texts their beginning.
 */
export function toStatusForTrailers(problem: Problem): Status {
  let status = toStatus(problem);
  for (const bounds of boundsForTrailers) {
    if (fitsIntoTrailers(status)) break;
    status = toStatus(problem, bounds);
  }
  return status;
}

const boundsForTrailers: readonly StatusBounds[] = [
  ...[64, 32, 16, 8, 4, 2, 1].map((maxViolations) => ({ maxViolations })),
  { maxViolations: 1, maxCharacters: 100 },
];

function fitsIntoTrailers(status: Status): boolean {
  const { "grpc-message": message, "grpc-status-details-bin": details } = trailersOf(status);
  return message.length + details.length <= maxTrailerBytes;
}

/** Returns the problem as trailers of HTTP. */
export function toTrailers(problem: Problem): Record<string, string> {
  return trailersOf(toStatusForTrailers(problem));
}

/** Returns the problem as the trailers in the body of gRPC-web, which no limit of headers holds for, in their order. */
export function toWebTrailers(problem: Problem): Record<string, string> {
  const status = toStatus(problem);
  // As Connect encodes it: all clients of gRPC-web undo that.
  return { ...trailersOf(status), "grpc-message": encodeURIComponent(status.message) };
}

function trailersOf(status: Status) {
  return {
    "grpc-message": percentEncode(status.message),
    "grpc-status": String(status.code),
    "grpc-status-details-bin": Buffer.from(toBinary(StatusSchema, status))
      .toString("base64")
      .replaceAll("=", ""),
  };
}

function pack<D extends DescMessage>(schema: D, init: MessageInitShape<D>) {
  return anyPack(schema, create(schema, init));
}

function shortened(message: string, maxCharacters: number): string {
  const text = message.toWellFormed();
  return text.length <= maxCharacters ? text : `${text.slice(0, maxCharacters).toWellFormed()}…`;
}

/** Encodes as the gRPC protocol wants it: bytes outside of 0x20 to 0x7E, and `%`, in percent form. */
function percentEncode(text: string): string {
  return text.replaceAll(/[^\x20-\x24\x26-\x7e]+/g, (part) => encodeURIComponent(part));
}
