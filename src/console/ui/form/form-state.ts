import type { ObjectVersion } from "../../api/call-options.ts";
import type { CallProblem } from "../../api/call-problem.ts";
import type { Language } from "../../texts/language.ts";
import type { Draft } from "./drafts.ts";

/** What is stored: values of a form, and the version of the object that they are of. */
export interface StoredValues<Values> {
  readonly values: Values;
  /** Undefined for what is not stored yet. */
  readonly version: ObjectVersion | undefined;
}

/** What a form knows. */
export interface FormState<Values> extends StoredValues<Values> {
  /** What the form was filled with. `version` is that of these values, so that a change of others in between is a conflict. */
  readonly base: Values;
  readonly errors: Readonly<Record<string, string>>;
  /** The language of the errors, if it is not that of the console: the service says its own in English. */
  readonly errorLanguage: Language | undefined;
  readonly problem: CallProblem | undefined;
  readonly isBusy: boolean;
  readonly isRestored: boolean;
  readonly conflict: StoredValues<Values> | undefined;
}

type AnyValues = Readonly<Record<string, unknown>>;

/**
 * Fills a form with what is stored, or with what was typed before. A draft brings along what its form was filled with, and the version of
 * that: what others have changed since is no base of what was typed.
 */
export function beginForm<Values extends AnyValues>(
  stored: StoredValues<Values>,
  draft: Draft | undefined,
): FormState<Values> {
  const restore = (kept: AnyValues): Values => {
    const known = Object.entries(kept).filter(([name, value]) => isOfKind(value, stored.values[name]));
    return { ...stored.values, ...Object.fromEntries(known) };
  };
  const values = restore(draft?.values ?? {});
  const hasVersion = draft?.version !== undefined && stored.version !== undefined;
  return {
    values,
    base: hasVersion ? restore(draft.base) : stored.values,
    version: hasVersion ? draft.version : stored.version,
    errors: {},
    errorLanguage: undefined,
    problem: undefined,
    isBusy: false,
    isRestored: !isSame(values, stored.values),
    conflict: undefined,
  };
}

/**
 * Follows what was read again. A form in which nothing is typed shows it; one in which something is takes its version only if its own
 * values are still those it was filled with.
 */
export function followStored<Values>(
  state: FormState<Values>,
  { values, version }: StoredValues<Values>,
): FormState<Values> {
  if (state.isBusy || version === undefined || state.version === undefined) return state;
  if (version.sequence <= state.version.sequence) return state;
  if (isSame(state.values, state.base)) return { ...state, values, base: values, version, isRestored: false };
  return isSame(state.base, values) ? { ...state, version } : state;
}

/**
 * Takes in what is stored after somebody else has changed it. Where that is nothing that the form shows, the next try may be about the new
 * version; else the user chooses between both.
 */
export function meetConflict<Values>(
  { base }: Pick<FormState<Values>, "base">,
  stored: StoredValues<Values> | undefined,
  problem: CallProblem,
): Partial<FormState<Values>> {
  if (stored === undefined) return { problem };
  return isSame(stored.values, base) ? { problem, version: stored.version } : { conflict: stored };
}

/** Compares values of forms. */
export function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function isOfKind(value: unknown, pattern: unknown): boolean {
  return (
    pattern !== undefined &&
    typeof value === typeof pattern &&
    Array.isArray(value) === Array.isArray(pattern)
  );
}
