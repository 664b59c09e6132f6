import type { DescMessage, JsonObject, JsonValue, MessageInitShape } from "@bufbuild/protobuf";
import { create, createRegistry, toJson } from "@bufbuild/protobuf";
import type { Any } from "@bufbuild/protobuf/wkt";
import { AnySchema, anyPack } from "@bufbuild/protobuf/wkt";
import { toChallenge, type Problem, type ProblemKind } from "../../../kernel/base/problem.ts";
import { problemHeaders } from "../../../kernel/http/errors/problem-status.ts";
import type { Status } from "../../../../gen/google/rpc/status_pb.ts";
import { StatusSchema } from "../../../../gen/google/rpc/status_pb.ts";
import {
  BadRequestSchema,
  ErrorInfoSchema,
  ResourceInfoSchema,
  RetryInfoSchema,
} from "../../../../gen/google/rpc/error_details_pb.ts";

/** The canonical codes of gRPC. */
const codes: Readonly<Record<ProblemKind, number>> = {
  cancelled: 1,
  invalid: 3,
  deadline: 4,
  "not-found": 5,
  "already-exists": 6,
  denied: 7,
  exhausted: 8,
  precondition: 9,
  conflict: 10,
  unimplemented: 12,
  protocol: 13,
  internal: 13,
  unavailable: 14,
  unauthenticated: 16,
};

const maxMessageCharacters = 1000;

/** The types of the details of a google.rpc.Status. */
export const detailRegistry = createRegistry(
  ErrorInfoSchema,
  BadRequestSchema,
  ResourceInfoSchema,
  RetryInfoSchema,
);

/** Returns the canonical gRPC code. */
export function codeOf(problem: Problem): number {
  return codes[problem.kind];
}

/** Lists the headers that go with the problem on every lane: `www-authenticate`, `retry-after`, `allow`. */
export function headersOf(problem: Problem): Record<string, string> {
  if (problem.kind !== "unauthenticated") return problemHeaders(problem);
  return { "www-authenticate": toChallenge(problem), ...problemHeaders(problem) };
}

/** Limits for a problem in an answer. */
export interface StatusBounds {
  /** Number of broken rules. Default: all. */
  readonly maxViolations?: number;
  /** Characters of each text. Default: 1000. */
  readonly maxCharacters?: number;
}

/**
 * Converts the problem to google.rpc.Status, with its details in the order ErrorInfo, BadRequest, ResourceInfo,
 * RetryInfo. Shortens the caller's own texts, which may be as long as a message.
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

/** Converts the problem to the error body of JSON: google.rpc.Status in protobuf JSON. */
export function toStatusJson(problem: Problem): JsonValue {
  const { code, message, details } = toStatus(problem);
  const toDetail = (detail: Any): JsonValue => {
    const json = toJson(AnySchema, detail, { registry: detailRegistry, alwaysEmitImplicit: true });
    return { "@type": detail.typeUrl, ...(json as JsonObject) }; // an Any of a message is an object
  };
  return { code, message, details: details.map(toDetail) };
}

function pack<D extends DescMessage>(schema: D, init: MessageInitShape<D>) {
  return anyPack(schema, create(schema, init));
}

function shortened(message: string, maxCharacters: number): string {
  const text = message.toWellFormed();
  return text.length <= maxCharacters ? text : `${text.slice(0, maxCharacters).toWellFormed()}…`;
}
