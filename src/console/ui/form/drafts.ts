import type { ObjectVersion } from "../../api/call-options.ts";

const prefix = "gatehouse.draft.";

/** A form that was left by a reload or a login, to be restored when the page appears again in this tab. */
export interface Draft {
  readonly values: Readonly<Record<string, unknown>>;
  /** The values that the form was filled with, and their version; undefined if the form changes nothing that is there. */
  readonly base: Readonly<Record<string, unknown>>;
  readonly version: ObjectVersion | undefined;
  /** The idempotency key under which these values may have been sent already. */
  readonly key: string | undefined;
}

/** Makes the draft of a form, without the fields that hold secrets. */
export function toDraft({ values, base, version, key }: Draft, secrets: readonly string[]): Draft {
  const withoutSecrets = (all: Draft["values"]): Draft["values"] =>
    Object.fromEntries(Object.entries(all).filter(([name]) => !secrets.includes(name)));
  return { values: withoutSecrets(values), base: withoutSecrets(base), version, key };
}

/** Returns the user who is signed in in this tab, as the session keeps it. */
export function personOfTab(): string | null {
  return sessionStorage.getItem("gatehouse.person");
}

/**
 * Keeps a draft in this tab, for the person who typed it: a page that the browser has kept for its back button may be left when
 * somebody else has signed in.
 */
export function keepDraft(name: string, draft: Draft, person: string | null): void {
  if (personOfTab() === person) sessionStorage.setItem(prefix + name, writeDraft(draft));
}

/** Returns the draft and forgets it. */
export function takeDraft(name: string): Draft | undefined {
  const text = sessionStorage.getItem(prefix + name);
  sessionStorage.removeItem(prefix + name);
  return text === null ? undefined : readDraft(text);
}

/** Writes a draft as a text. */
export function writeDraft({ version, ...draft }: Draft): string {
  return JSON.stringify({ ...draft, sequence: version?.sequence.toString() });
}

/** Reads a draft; undefined when the text is none. */
export function readDraft(text: string): Draft | undefined {
  try {
    const draft: unknown = JSON.parse(text);
    if (!isRecord(draft) || !isRecord(draft["values"])) return undefined;
    const { values, base, sequence, key } = draft;
    return {
      values,
      base: isRecord(base) ? base : {},
      version: typeof sequence === "string" ? { sequence: BigInt(sequence) } : undefined,
      key: typeof key === "string" ? key : undefined,
    };
  } catch {
    return undefined;
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
