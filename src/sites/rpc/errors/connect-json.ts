import type { JsonValue } from "@bufbuild/protobuf";
import type { Problem, ProblemKind } from "../../../kernel/base/problem.ts";
import { toStatus } from "./status.ts";

/** How Connect spells the canonical codes. */
const names: Readonly<Record<ProblemKind, string>> = {
  cancelled: "canceled",
  invalid: "invalid_argument",
  deadline: "deadline_exceeded",
  "not-found": "not_found",
  "already-exists": "already_exists",
  denied: "permission_denied",
  exhausted: "resource_exhausted",
  precondition: "failed_precondition",
  conflict: "aborted",
  unimplemented: "unimplemented",
  protocol: "internal",
  internal: "internal",
  unavailable: "unavailable",
  unauthenticated: "unauthenticated",
};

/** Converts the problem to Connect's shape: the code by its name, details as type and base64 without padding. */
export function toConnectJson(problem: Problem): JsonValue {
  const { message, details } = toStatus(problem);
  return {
    code: names[problem.kind],
    message,
    details: details.map(({ typeUrl, value }) => ({
      type: typeUrl.slice(typeUrl.lastIndexOf("/") + 1),
      value: Buffer.from(value).toString("base64").replaceAll("=", ""),
    })),
  };
}
