import type { Attempt } from "./sign-in.ts";

const attemptName = "gatehouse.attempt";
const beginsName = "gatehouse.begins";
const signedOutName = "gatehouse.signed-out";
const personName = "gatehouse.person";
const draftPrefix = "gatehouse.draft.";

/** What a tab remembers while the browser is away from the console: never a token. */
export interface TabStore {
  /** Keeps the attempt, and counts it. */
  begin(attempt: Attempt, nowMs: number): void;
  /** Returns the attempt and forgets it: it is good for one answer. */
  takeAttempt(): Attempt | undefined;
  begins(): readonly number[];
  /** Forgets the logins that were begun, because a call was accepted. */
  settle(): void;
  isSignedOut(): boolean;
  /**
   * Remembers who has signed in. Returns false, and forgets all drafts, if that is another person than before in this tab: what the one
   * typed, and where they were, is not for the other.
   */
  welcome(person: string): boolean;
  /**
   * Remembers that the user signed out, and forgets all drafts. To be called again when the page is loaded next: a form may keep its
   * draft while the page is left.
   */
  signOut(): void;
}

/** Creates the store of this tab. */
export function createTabStore(storage: Storage): TabStore {
  return {
    begin(attempt, nowMs) {
      storage.removeItem(signedOutName);
      storage.setItem(attemptName, JSON.stringify(attempt));
      storage.setItem(beginsName, JSON.stringify([...readBegins(storage), nowMs].slice(-10)));
    },
    takeAttempt() {
      const attempt = readAttempt(storage.getItem(attemptName));
      storage.removeItem(attemptName);
      return attempt;
    },
    begins: () => readBegins(storage),
    settle: () => storage.removeItem(beginsName),
    isSignedOut: () => storage.getItem(signedOutName) !== null,
    welcome(person) {
      const last = storage.getItem(personName);
      storage.setItem(personName, person);
      if (last === null || last === person) return true;
      forgetDrafts(storage);
      return false;
    },
    signOut() {
      forgetDrafts(storage);
      storage.setItem(signedOutName, "true");
    },
  };
}

function forgetDrafts(storage: Storage): void {
  for (const name of Object.keys(storage)) if (name.startsWith(draftPrefix)) storage.removeItem(name);
}

function readBegins(storage: Storage): readonly number[] {
  const value = parse(storage.getItem(beginsName));
  return Array.isArray(value) ? value.filter((each) => typeof each === "number") : [];
}

function readAttempt(text: string | null): Attempt | undefined {
  const value = parse(text);
  if (typeof value !== "object" || value === null) return undefined;
  const { state, nonce, verifier, place, isSilent }: Partial<Attempt> = { ...value };
  const texts = [state, nonce, verifier, place];
  return texts.every((each) => typeof each === "string") && typeof isSilent === "boolean"
    ? (value as Attempt) // all of its fields were looked at
    : undefined;
}

function parse(text: string | null): unknown {
  try {
    return JSON.parse(text ?? "null");
  } catch {
    return undefined;
  }
}
