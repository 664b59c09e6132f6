import { isVisible } from "../../../kernel/base/names/visible-name.ts";
import type { HookKind } from "../hook/hook.ts";

/** The names of a person as a hook wants them; undefined: as they are. */
export interface HookedProfile {
  readonly givenName?: string | undefined;
  readonly familyName?: string | undefined;
  readonly displayName?: string | undefined;
}

/** What a hook adds to a login. */
export interface HookAdditions {
  /** Told below the claim of the application. */
  readonly claims: Readonly<Record<string, unknown>>;
  readonly profile?: HookedProfile;
}

/** Why there is no answer that can be used; names of the values of the enum HookFailure. */
export type HookFailure = "STATUS" | "UNREACHABLE" | "FORBIDDEN" | "ANSWER";

/** The result of a call. */
export type HookOutcome =
  | { readonly kind: "allowed"; readonly additions: HookAdditions }
  /** `message` is for the user, and may be empty. */
  | { readonly kind: "refused"; readonly message: string }
  | { readonly kind: "failed"; readonly failure: HookFailure };

/** More of an answer is not read. */
export const maxAnswerBytes = 16_384;

/** The claims of a hook have at most so many bytes of JSON, as those of mappings have. */
const maxClaimBytes = 4096;
const maxDepth = 16;
const maxMessageLength = 200;
const maxNameLength = 200;

/** What a hook without anything to add adds. */
const nothingAdded: HookAdditions = { claims: {} };

/** Reads the answer of a hook (status 200 or 204). Members that the kind does not have mean nothing. */
export function readHookAnswer(kind: HookKind, status: number, bytes: Uint8Array): HookOutcome {
  if (status === 204) return { kind: "allowed", additions: nothingAdded };
  const answer = parseObject(bytes);
  const allow = answer?.["allow"] ?? true;
  if (answer === undefined || typeof allow !== "boolean") return unusable;
  if (!allow) return { kind: "refused", message: toPlainText(answer["message"]) };
  const additions = readAdditions(kind, answer);
  return additions === undefined ? unusable : { kind: "allowed", additions };
}

const unusable: HookOutcome = { kind: "failed", failure: "ANSWER" };

type Answer = Readonly<Record<string, unknown>>;

/** Undefined: it cannot be used. */
function readAdditions(kind: HookKind, answer: Answer): HookAdditions | undefined {
  switch (kind) {
    case "BEFORE_REGISTRATION": {
      const profile = readProfile(answer["profile"] ?? {});
      return profile && { ...nothingAdded, profile };
    }
    case "BEFORE_TOKEN":
      return readClaims(answer["claims"] ?? {});
  }
}

function readClaims(claims: unknown): HookAdditions | undefined {
  if (!isObject(claims) || !isShallow(claims, maxDepth)) return undefined;
  return Buffer.byteLength(JSON.stringify(claims)) > maxClaimBytes ? undefined : { claims };
}

/** A name is one that AddHumanUser would take. */
function readProfile(profile: unknown): HookedProfile | undefined {
  if (!isObject(profile)) return undefined;
  const { given_name: givenName, family_name: familyName, display_name: displayName } = profile;
  const names = { givenName, familyName, displayName };
  return hasNamesOnly(names) ? names : undefined;
}

function hasNamesOnly(names: Record<keyof HookedProfile, unknown>): names is HookedProfile & typeof names {
  return Object.values(names).every((name) => name === undefined || isName(name));
}

function isName(value: unknown): value is string {
  if (typeof value !== "string" || value.trim() === "" || Array.from(value).length > maxNameLength)
    return false;
  return value.isWellFormed() && !/\p{Cc}/u.test(value) && isVisible(value);
}

function parseObject(bytes: Uint8Array): Answer | undefined {
  try {
    const value: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined; // neither UTF-8 nor JSON
  }
}

function isObject(value: unknown): value is Answer {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isShallow(value: unknown, depth: number): boolean {
  if (typeof value !== "object" || value === null) return true;
  return depth > 0 && Object.values(value).every((member) => isShallow(member, depth - 1));
}

/** Makes one line of what a hook wants to say: without control and format characters, at most 200 characters. */
function toPlainText(message: unknown): string {
  if (typeof message !== "string") return "";
  const line = message
    .toWellFormed()
    .replaceAll(/[\p{C}\p{Z}]+/gu, " ")
    .trim();
  return Array.from(line).slice(0, maxMessageLength).join("");
}
