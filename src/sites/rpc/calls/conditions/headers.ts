import type { Details } from "../../../../kernel/base/details.ts";
import { Problem, requestInvalid } from "../../../../kernel/base/problem.ts";
import { Effect } from "../../../../../gen/gatehouse/v1/effect_pb.ts";

/** The conditions of a call. */
export interface Conditions {
  /** Names the call, so that a repeat is answered instead of done again. */
  readonly idempotencyKey: string | undefined;
  /** The sequence that the object must have. `*`: any, as long as the object exists. */
  readonly ifMatch: string | undefined;
  /** Whether the call is only tried and then undone. */
  readonly isDryRun: boolean;
}

type Header = (name: string) => string | undefined;

/** Reads the conditions of a call; undefined when there are none, as in most calls. Raises INVALID_REQUEST. */
export function readConditions(effect: Effect, header: Header): Conditions | undefined {
  const ifMatch = readIfMatch(effect, header("if-match"));
  if (effect === Effect.READ) return undefined;
  const idempotencyKey = readIdempotencyKey(header("idempotency-key"));
  const isDryRun = readValidateOnly(header("x-service-validate-only"));
  if (ifMatch === undefined && idempotencyKey === undefined && !isDryRun) return undefined;
  return { idempotencyKey, ifMatch, isDryRun };
}

function readIdempotencyKey(value: string | undefined): string | undefined {
  if (value !== undefined && !/^[\x20-\x7e]{1,200}$/.test(value))
    throw requestInvalid("the header idempotency-key must have 1 to 200 characters of printable ASCII");
  return value;
}

/** Takes one strong tag or `*` of what RFC 9110 §13.1.1 allows: an object has one state at a time. */
function readIfMatch(effect: Effect, value: string | undefined): string | undefined {
  if (value === undefined) return undefined;
  if (effect !== Effect.CHANGE)
    throw requestInvalid("the header if-match is for calls that change one object; leave it out");
  return parseIfMatch(value, "the header if-match");
}

/** Parses a tag into the sequence that it names, or `*`. `where` names it in the problem. Raises INVALID_REQUEST. */
export function parseIfMatch(value: string, where: string): string {
  const [, sequence] = /^"(\d{1,20})"$/.exec(value) ?? [];
  if (sequence === undefined && value !== "*")
    throw requestInvalid(`${where} must be * or one sequence in quotes, such as "1767225600000000"`);
  return sequence ?? value;
}

function readValidateOnly(value: string | undefined): boolean {
  if (value === undefined || value === "false") return false;
  if (value !== "true") throw requestInvalid("the header x-service-validate-only must be true or false");
  return true;
}

/** Compares the object of one call with the version that its caller expects. */
export interface Match {
  readonly require: (details: Details) => void;
  /** Throws when no object was compared, because the command did not say which one it changes. */
  readonly finish: () => void;
}

/** Creates the comparison with an `ifMatch` that `readConditions` has read. `require` raises SEQUENCE_MISMATCH. */
export function createMatch(ifMatch: string): Match {
  let isCompared = false;
  return {
    require({ sequence }) {
      isCompared = true;
      if (ifMatch !== "*" && ifMatch !== String(sequence)) throw sequenceMismatch(sequence);
    },
    finish() {
      if (!isCompared) throw new Error("a call with if-match did not name the object that it changes");
    },
  };
}

function sequenceMismatch(sequence: number): Problem {
  return new Problem({
    kind: "conflict",
    reason: "SEQUENCE_MISMATCH",
    message: `the object has the sequence ${sequence}, not the one of if-match; nothing was done; read it again`,
    metadata: { sequence: String(sequence) },
  });
}
