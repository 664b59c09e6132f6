import type { Instant } from "../../kernel/base/clock.ts";
import type { Scope } from "../../kernel/base/permission.ts";
import { isInPeriod, type Period } from "../rights-in-time/period.ts";

/** What a step is about. */
export type StepKind =
  | "USER"
  | "ORGANIZATION"
  | "PROJECT"
  | "APPLICATION"
  | "PROJECT_GRANT"
  | "USER_GRANT"
  | "GROUP_GRANT"
  | "MEMBERSHIP"
  | "GROUP"
  | "POLICY";

/** Why a step allows or denies. */
export type StepReason =
  | "ACTIVE"
  | "INACTIVE"
  | "LOCKED"
  | "IN_TIME"
  | "NOT_STARTED"
  | "ENDED"
  | "GIVEN"
  | "NOT_GIVEN"
  | "SIGN_IN_ALLOWED"
  | "NO_SIGN_IN_ALLOWED"
  | "SERVICE_USER";

/** One thing that decides. */
export interface Step {
  readonly kind: StepKind;
  readonly id: string;
  readonly isMet: boolean;
  readonly reason: StepReason;
  /** Whether the caller may read it. What it says of itself is told to no other caller, nor that it is there. */
  readonly isVisible: boolean;
  /** The right that it is or belongs to; empty: it counts in any case. */
  readonly rightId: string;
  /** Of a group: the groups from that of the user to that of the right. */
  readonly groupIds?: readonly string[];
  readonly period?: Period;
  /** What would make it allow; undefined: nothing that a proposal could name. */
  readonly remedy?: Change | undefined;
}

/** A change that a proposal names. */
export type Change =
  | { readonly kind: "ACTIVATE" | "ALLOW_SIGN_IN"; readonly object: StepKind; readonly id: string }
  /** `userId` is the member if the object is a group. */
  | { readonly kind: "SET_DATES"; readonly object: StepKind; readonly id: string; readonly userId?: string }
  | { readonly kind: "ADD_ROLE"; readonly object: StepKind; readonly id: string; readonly role: string }
  | {
      readonly kind: "ADD";
      readonly object: "USER_GRANT" | "PROJECT_GRANT";
      readonly projectId: string;
      readonly organizationId: string;
      /** Empty: any role. */
      readonly role: string;
    }
  | { readonly kind: "ADD"; readonly object: "MEMBERSHIP"; readonly scope: Scope; readonly role: string };

/** One way to what is needed: a right, and all that it rests on. Each step must allow it. */
export interface Way {
  readonly steps: readonly Step[];
}

/** Something that is needed, by at least one of the ways. */
export interface AccessNeed {
  readonly ways: readonly Way[];
  /** What opens one more way, each alone. None if the caller may not read it. */
  readonly openings: readonly Change[];
}

/** Everything that decides a question: each of the steps, and each of the needs. */
export interface AccessFacts {
  readonly steps: readonly Step[];
  readonly needs: readonly AccessNeed[];
}

/** The answer to a question. */
export interface AccessExplanation {
  /** Undefined: what the caller may not read decides. */
  readonly isAllowed: boolean | undefined;
  /** Those that the caller may read. */
  readonly steps: readonly Step[];
}

/**
 * Answers a question by what the caller may read. Whatever the caller may not read counts as unknown, whether it allows or denies, so that
 * the answer is the same in both cases.
 */
export function answer({ steps, needs }: AccessFacts): AccessExplanation {
  const isAllowed = all([...steps.map(verdictOf), ...needs.map(({ ways }) => some(ways.map(verdictOfWay)))]);
  const shown = needs.flatMap(({ ways }) => ways.filter(isShown).flatMap((way) => way.steps));
  return { isAllowed, steps: distinct([...steps, ...shown].filter(({ isVisible }) => isVisible)) };
}

/** Says whether the caller may know of the way: of the right, and that the user is in the group. What they rest on may be hidden. */
export function isShown({ steps }: Way): boolean {
  return steps.every(
    ({ kind, id, rightId, isVisible }) => isVisible || !(kind === "GROUP" || id === rightId),
  );
}

/** Makes the step of an object that is active or not. */
export function stateStep(
  of: Pick<Step, "kind" | "id" | "isVisible" | "rightId">,
  state: "ACTIVE" | "INACTIVE" | "LOCKED",
): Step {
  const remedy: Change = { kind: "ACTIVATE", object: of.kind, id: of.id };
  return { ...of, isMet: state === "ACTIVE", reason: state, remedy };
}

/** Makes the step of a right that is in effect from its start until its end. `userId` is the member if the object is a group. */
export function timeStep(
  of: Pick<Step, "kind" | "id" | "isVisible" | "rightId" | "groupIds">,
  { period, now, userId }: { readonly period: Period; readonly now: Instant; readonly userId?: string },
): Step {
  const isMet = isInPeriod(period, now);
  const reason = isMet
    ? "IN_TIME"
    : (period.endDate ?? now) <= now && period.endDate !== undefined
      ? "ENDED"
      : "NOT_STARTED";
  const member = userId === undefined ? {} : { userId };
  const remedy: Change = { kind: "SET_DATES", object: of.kind, id: of.id, ...member };
  return { ...of, isMet, reason, period, remedy };
}

type Verdict = boolean | undefined;

function verdictOf({ isVisible, isMet }: Step): Verdict {
  return isVisible ? isMet : undefined;
}

function verdictOfWay({ steps }: Way): Verdict {
  return all(steps.map(verdictOf));
}

function all(verdicts: readonly Verdict[]): Verdict {
  if (verdicts.includes(false)) return false;
  return verdicts.includes(undefined) ? undefined : true;
}

function some(verdicts: readonly Verdict[]): Verdict {
  if (verdicts.includes(true)) return true;
  return verdicts.includes(undefined) ? undefined : false;
}

/** Several ways share the steps of their right. */
function distinct(steps: readonly Step[]): readonly Step[] {
  const keyOf = ({ kind, id, rightId, reason, groupIds = [] }: Step) =>
    [kind, id, rightId, reason, ...groupIds].join(" ");
  return [...new Map(steps.map((step) => [keyOf(step), step])).values()];
}
