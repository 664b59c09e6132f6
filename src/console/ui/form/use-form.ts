import type { DescMessage } from "@bufbuild/protobuf";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { type Breach, boundsOf, type FieldBounds, findBreach } from "../../api/bounds.ts";
import { keyFor, type ObjectVersion, type SentKey } from "../../api/call-options.ts";
import { type CallProblem, isConflict, readProblem } from "../../api/call-problem.ts";
import { useLeaveGuard, useNavigation } from "../../routing/navigation.tsx";
import type { Language } from "../../texts/language.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { uiTexts } from "../texts.ts";
import { type Draft, keepDraft, personOfTab, takeDraft, toDraft } from "./drafts.ts";
import {
  beginForm,
  followStored,
  type FormState,
  isSame,
  meetConflict,
  type StoredValues,
} from "./form-state.ts";

/** The values of a form, by the names of the fields in the request. */
export type FormValues = Readonly<Record<string, string | boolean | number | readonly string[]>>;

/** What a form needs of its page. */
export interface FormInit<Values extends FormValues> {
  /** The request that the form makes: its rules are those of the fields, by their names. */
  readonly request: DescMessage;
  /** What the form is about, where a page has several of one kind, such as the key of the role that it changes. */
  readonly of?: string;
  /** What the fields hold at first. */
  readonly initial: Values;
  /** The details of the object that `initial` was read from; absent: the form changes nothing that is there. */
  readonly version?: ObjectVersion | undefined;
  /** Names of fields that hold secrets: they are never kept in the tab. */
  readonly secrets?: readonly (keyof Values & string)[];
  /**
   * Sends the values; throws what the call throws. `key` is for `withKey` of a creation: the same as long as the values are. `version`
   * is for `ifUnchanged` of a change: that of what the form was filled with, which need not be what the page has read last.
   */
  submit(values: Values, key: string, version: ObjectVersion | undefined): Promise<void>;
  /** Says what else is wrong before the form is sent, field by field: what follows from several fields. Default: nothing. */
  check?(values: Values): Readonly<Record<string, string>>;
  /** Reads what is stored now, with its version, after somebody else has changed it. */
  readStored?(): Promise<StoredValues<Values>>;
}

/** A field that is shown. */
export interface ShownField {
  readonly label: string;
  /** Writes a value as the field shows it, such as the label of an option. Absent: as it is. */
  show?(value: string): string;
}

/** A form: its values, what is wrong with them, and what can be done. */
export interface Form<Values extends FormValues> {
  readonly id: string;
  readonly values: Values;
  readonly bounds: Readonly<Record<string, FieldBounds>>;
  /** What is wrong with a field. */
  errorOf(name: string): string | undefined;
  /** The language of these errors, if it is not that of the console. */
  readonly errorLanguage: Language | undefined;
  /** Why the call failed, unless fields say so. */
  readonly problem: CallProblem | undefined;
  readonly isBusy: boolean;
  readonly isDirty: boolean;
  readonly isRestored: boolean;
  /** What is stored, if somebody else has changed it. */
  readonly conflict: Values | undefined;
  /** The fields that are shown, by their names, for the dialog of a conflict. */
  readonly fields: Map<string, ShownField>;
  set<Name extends keyof Values & string>(name: Name, value: Values[Name]): void;
  submit(): Promise<void>;
  /** Goes back to what is stored, or to what the form began with. */
  reset(): void;
  /** Sends the values again, after a conflict. */
  keepMine(): Promise<void>;
  /** Takes the stored values, after a conflict. */
  takeStored(): void;
}

/** Creates a form. A page shows it with `FormView` and fields; a form of another object needs another `key` of its component. */
export function useForm<Values extends FormValues>(init: FormInit<Values>): Form<Values> {
  const { request, of = "", submit, readStored, secrets = [] } = init;
  const texts = useTexts(uiTexts);
  const id = [request.name, useNavigation().place.path, of].join(".");
  const sent = useRef<SentKey>(undefined);
  const stored: StoredValues<Values> = { values: init.initial, version: init.version };
  const [state, setState] = useState<FormState<Values>>(() => begin(stored, id, sent));
  const fields = useRef(new Map<string, ShownField>());
  const bounds = useMemo(() => boundsOf(request), [request]);
  const latest = useRef(state);
  latest.current = state;
  const isDirty = !isSame(state.values, state.base);
  /** Whether what was typed last is sent, so that it is no draft even if the page is left before the answer was shown. */
  const isSent = useRef(false);

  useLeaveGuard(isDirty && !state.isBusy, texts.form.unsaved);
  useDraft(id, () => {
    const { values, base, version } = latest.current;
    const isUnsaved = !isSent.current && !isSame(values, base);
    return isUnsaved ? toDraft({ values, base, version, key: sent.current?.key }, secrets) : undefined;
  });
  useEffect(() => {
    setState((last) => followStored(last, stored));
  }, [stored.version?.sequence, state.isBusy, isDirty]);

  const patch = (change: Partial<FormState<Values>>): void => setState((last) => ({ ...last, ...change }));

  const send = async (version = latest.current.version): Promise<void> => {
    const { values } = latest.current;
    sent.current = keyFor(sent.current, values, () => crypto.randomUUID());
    patch({ isBusy: true, errors: {}, problem: undefined, conflict: undefined });
    try {
      isSent.current = true;
      await submit(values, sent.current.key, version);
      sent.current = undefined;
      patch({ isBusy: false, base: values, isRestored: false });
    } catch (error) {
      isSent.current = false;
      await refuse(readProblem(error));
    }
  };

  const refuse = async (problem: CallProblem): Promise<void> => {
    if (isConflict(problem) && readStored !== undefined) {
      const now = await readStored().catch(() => undefined);
      setState((last) => ({ ...last, isBusy: false, ...meetConflict(last, now, problem) }));
      return;
    }
    const errors = toFieldErrors(problem, fields.current);
    const isExplained = problem.violations.length > 0 && problem.violations.length === errors.length;
    patch({
      isBusy: false,
      errors: Object.fromEntries(errors),
      errorLanguage: problem.requestId === undefined ? undefined : "en",
      problem: isExplained ? undefined : problem,
    });
    focusFirst(fields.current, Object.fromEntries(errors), id);
  };

  return {
    id,
    values: state.values,
    bounds,
    errorOf: (name) => state.errors[name],
    errorLanguage: state.errorLanguage,
    problem: state.problem,
    isBusy: state.isBusy,
    isDirty,
    isRestored: state.isRestored,
    conflict: state.conflict?.values,
    fields: fields.current,
    set(name, value) {
      isSent.current = false;
      setState((last) => ({
        ...last,
        values: { ...last.values, [name]: value },
        errors: without(last.errors, name),
      }));
    },
    async submit() {
      const errors = { ...init.check?.(state.values), ...findErrors(state.values, bounds, texts.form) };
      patch({ errors, errorLanguage: undefined });
      if (Object.keys(errors).length > 0) focusFirst(fields.current, errors, id);
      else await send();
    },
    reset: () => patch({ values: state.base, errors: {}, problem: undefined, isRestored: false }),
    async keepMine() {
      if (state.conflict === undefined) return;
      const { values: base, version } = state.conflict;
      patch({ base, version });
      await send(version);
    },
    takeStored() {
      if (state.conflict === undefined) return;
      const { values, version } = state.conflict;
      patch({ values, base: values, version, conflict: undefined, isRestored: false });
    },
  };
}

/** Keeps the draft when the page is left, for the person who was there when it appeared. */
function useDraft(id: string, read: () => Draft | undefined): void {
  useEffect(() => {
    const person = personOfTab();
    const keep = (): void => {
      const draft = read();
      if (draft !== undefined) keepDraft(id, draft, person);
    };
    addEventListener("pagehide", keep);
    return () => removeEventListener("pagehide", keep);
  }, [id]);
}

function begin<Values extends FormValues>(
  stored: StoredValues<Values>,
  id: string,
  sent: { current: SentKey | undefined },
): FormState<Values> {
  const draft = takeDraft(id);
  const state = beginForm(stored, draft);
  if (draft?.key !== undefined) sent.current = { key: draft.key, sent: JSON.stringify(state.values) };
  return state;
}

/** Returns the violations of fields that are shown, each with the name of its field. */
function toFieldErrors(
  { violations }: CallProblem,
  shown: ReadonlyMap<string, ShownField>,
): readonly (readonly [name: string, message: string])[] {
  // A field that stands for a list of messages has the violations of what is in them: `attributes.name` is one of `attributes`.
  return violations.flatMap(({ field, message }) => {
    const name = shown.has(field) ? field : (field.split(".", 1)[0] ?? "");
    return shown.has(name) ? [[name, message] as const] : [];
  });
}

function without(errors: Readonly<Record<string, string>>, name: string): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(errors).filter(([each]) => each !== name));
}

type RuleTexts = (typeof uiTexts)["en"]["form"];

function findErrors(
  values: FormValues,
  bounds: Readonly<Record<string, FieldBounds>>,
  texts: RuleTexts,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => {
      const breach = findBreach(value, bounds[name] ?? {});
      return breach === undefined ? [] : [[name, describe(breach, texts)]];
    }),
  );
}

function describe({ rule, bound = 0 }: Breach, texts: RuleTexts): string {
  const text = texts[rule];
  return typeof text === "string" ? text : text(bound);
}

/** The element ids of fields are made of the form's and their name. */
function focusFirst(
  shown: ReadonlyMap<string, ShownField>,
  errors: Readonly<Record<string, string>>,
  id: string,
): void {
  const first = [...shown.keys()].find((name) => errors[name] !== undefined);
  if (first !== undefined) setTimeout(() => document.getElementById(`${id}.${first}`)?.focus());
}
