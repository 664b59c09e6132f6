import { isVisible } from "../../../kernel/base/names/visible-name.ts";
import type { IdentityChanges, ProfileChanges } from "../../people/identity-links/external-identity.ts";
import { checkLanguage } from "../../people/user/language-tag.ts";
import type { Hook } from "../hook/hook.ts";

/** What a hook adds to a login. */
export interface HookAdditions extends IdentityChanges {
  /** Told below the claim of the application. */
  readonly claims: Readonly<Record<string, unknown>>;
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
const maxMetadataBytes = 10_240;
const maxGroups = 1000;

/** What a hook without anything to add adds. */
const nothingAdded: HookAdditions = { claims: {} };

/** Reads the answer of a hook (status 200 or 204). Members that the kind does not have mean nothing. */
export function readHookAnswer(hook: AnsweringHook, status: number, bytes: Uint8Array): HookOutcome {
  if (status === 204) return { kind: "allowed", additions: nothingAdded };
  const answer = parseObject(bytes);
  const allow = answer?.["allow"] ?? true;
  if (answer === undefined || typeof allow !== "boolean") return unusable;
  if (!allow) return { kind: "refused", message: toPlainText(answer["message"]) };
  const additions = readAdditions(hook, answer);
  return additions === undefined ? unusable : { kind: "allowed", additions };
}

/** Writes what a hook adds as JSON, in the names of its answer; empty: nothing. */
export function describeAdditions({ claims, profile = {}, metadata = {}, groups }: HookAdditions): string {
  const { givenName, familyName, displayName, preferredLanguage } = profile;
  const names = { given_name: givenName, family_name: familyName, display_name: displayName };
  const said = { claims, profile: { ...names, preferred_language: preferredLanguage }, metadata };
  const added = Object.entries(said).filter(([, part]) => JSON.stringify(part) !== "{}");
  if (added.length === 0 && groups === undefined) return "";
  return JSON.stringify({ ...Object.fromEntries(added), groups });
}

type AnsweringHook = Pick<Hook, "kind" | "metadataKeys">;

const unusable: HookOutcome = { kind: "failed", failure: "ANSWER" };

type Answer = Readonly<Record<string, unknown>>;

/** Undefined: it cannot be used. */
function readAdditions({ kind, metadataKeys }: AnsweringHook, answer: Answer): HookAdditions | undefined {
  switch (kind) {
    case "BEFORE_REGISTRATION": {
      const profile = readProfile(answer["profile"] ?? {});
      return profile && { ...nothingAdded, profile: { ...profile, preferredLanguage: undefined } };
    }
    case "AFTER_EXTERNAL_LOGIN": {
      const profile = readProfile(answer["profile"] ?? {});
      const metadata = readMetadata(answer["metadata"] ?? {}, metadataKeys);
      const { groups } = answer;
      if (profile === undefined || metadata === undefined || !areGroups(groups)) return undefined;
      return { ...nothingAdded, profile, metadata, ...(groups === undefined ? {} : { groups }) };
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
function readProfile(profile: unknown): ProfileChanges | undefined {
  if (!isObject(profile)) return undefined;
  const { given_name: givenName, family_name: familyName, display_name: displayName } = profile;
  const { preferred_language: preferredLanguage } = profile;
  const changes = { givenName, familyName, displayName, preferredLanguage };
  const isRight = Object.values(changes).every((value) => value === undefined || isName(value));
  if (!isRight) return undefined;
  const read = changes as ProfileChanges; // all of them are texts
  return checkLanguage("preferred_language", read.preferredLanguage ?? "").length === 0 ? read : undefined;
}

/** A hook sets no key but those that its settings name. */
function readMetadata(
  metadata: unknown,
  keys: readonly string[],
): NonNullable<IdentityChanges["metadata"]> | undefined {
  if (!isObject(metadata)) return undefined;
  const isRight = Object.entries(metadata).every(([key, value]) => keys.includes(key) && isMetadata(value));
  return isRight ? (metadata as Readonly<Record<string, string | null>>) : undefined; // just looked at
}

function isMetadata(value: unknown): value is string | null {
  if (typeof value !== "string") return value === null;
  return value.isWellFormed() && Buffer.byteLength(value) <= maxMetadataBytes;
}

function areGroups(groups: unknown): groups is readonly string[] | undefined {
  if (groups === undefined) return true;
  return Array.isArray(groups) && groups.length <= maxGroups && groups.every((id) => typeof id === "string");
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
