import { Code, ConnectError } from "@connectrpc/connect";
import { BadRequestSchema, ErrorInfoSchema } from "../../../gen/console/google/rpc/error_details_pb.ts";

/** One broken rule. `field` is the name in the message as scripts write it, such as `redirectUris` or `oidc.issuer`. */
export interface Violation {
  readonly field: string;
  readonly message: string;
}

/** Why a call failed: all that the service said about it. */
export interface CallProblem {
  /** The code of gRPC in words, such as `not_found`. */
  readonly code: string;
  /** The reason from the catalogue, such as `ALREADY_EXISTS`; `UNREACHABLE` when no answer came. */
  readonly reason: string;
  readonly message: string;
  readonly violations: readonly Violation[];
  /** The id of the request, by which the log of the service finds it. */
  readonly requestId: string | undefined;
  readonly metadata: Readonly<Record<string, string>>;
}

/** Reads what a call, or anything else, failed with. */
export function readProblem(error: unknown): CallProblem {
  const failure = ConnectError.from(error);
  const [info] = failure.findDetails(ErrorInfoSchema);
  const violations = failure
    .findDetails(BadRequestSchema)
    .flatMap(({ fieldViolations }) =>
      fieldViolations.map(({ field, description }) => ({ field: toFieldName(field), message: description })),
    );
  return {
    code: (Code[failure.code] ?? "unknown").replaceAll(/(?<!^)([A-Z])/g, "_$1").toLowerCase(),
    reason: info?.reason ?? (isUnreachable(failure) ? "UNREACHABLE" : "UNKNOWN"),
    message: failure.rawMessage,
    violations,
    requestId: failure.metadata.get("x-request-id") ?? undefined,
    metadata: info?.metadata ?? {},
  };
}

/** Makes an error that a form shows at the field, like an error of the service. `field` is its name in scripts. */
export function toFieldError(field: string, message: string): ConnectError {
  const violations = { fieldViolations: [{ field, description: message }] };
  return new ConnectError(message, Code.InvalidArgument, undefined, [
    { desc: BadRequestSchema, value: violations },
  ]);
}

/** Writes the path of a field in the proto as scripts write it: `redirect_uris[1]` becomes `redirectUris`. */
export function toFieldName(path: string): string {
  return path
    .replaceAll(/\[[^\]]*\]/g, "")
    .replaceAll(/_([a-z0-9])/g, (_match, letter: string) => letter.toUpperCase());
}

/** Says whether the object is no longer the one that was read (`if-match`). */
export function isConflict(problem: CallProblem): boolean {
  return problem.reason === "SEQUENCE_MISMATCH";
}

/** Says whether a repeat of the same call may help. */
export function isTransient(problem: CallProblem): boolean {
  return ["UNREACHABLE", "OVERLOADED", "TOO_MANY_CALLS", "DEADLINE_EXCEEDED", "OUTCOME_UNKNOWN"].includes(
    problem.reason,
  );
}

/** Fetch says nothing but a TypeError when there was no answer. */
function isUnreachable(failure: ConnectError): boolean {
  return failure.cause instanceof TypeError;
}
