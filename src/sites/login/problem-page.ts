import type { Problem } from "../../kernel/base/problem.ts";
import {
  httpStatusOf,
  problemHeaders,
  retryAfterSecondsOf,
} from "../../kernel/http/errors/problem-status.ts";
import type { ErrorPageOptions } from "./layout.ts";
import { statusOfRefusal } from "./page-refusal.ts";
import type { PageRefusalKind } from "./texts/page-refusal-kind.ts";

/** Chooses the page of a problem of the port: a wrong verb, a body that is too large, overload, a bug. Its status stays. */
export function pageOfProblem(problem: Problem): readonly [PageRefusalKind, ErrorPageOptions] {
  const status = httpStatusOf(problem);
  const retryAfterSeconds = retryAfterSecondsOf(problem);
  return [kindOf(status), { status, headers: problemHeaders(problem), retryAfterSeconds }];
}

function kindOf(status: number): PageRefusalKind {
  if (status >= 500) return status === 503 || status === 504 ? "unavailable" : "fault";
  const kinds: readonly PageRefusalKind[] = ["wrong-verb", "too-large", "too-many-requests"];
  return kinds.find((kind) => statusOfRefusal[kind] === status) ?? "bad-request";
}
