import { foldName } from "../../../kernel/base/names/folding.ts";
import type { TokenId, UserId } from "../../../kernel/base/ids.ts";
import { Problem } from "../../../kernel/base/problem.ts";
import type { Editor } from "../../../kernel/base/call.ts";
import type { NewEvent } from "../../../kernel/events/event.ts";
import type { HumanUser } from "../user/user.ts";
import { isCommonPassword } from "./common-password.ts";

/** Maximum number of code points of a password, as it is sent. */
const maxPasswordLength = 200;

/** A rule that a new password may break. */
export type PasswordRule = "min_length" | "max_length" | "personal" | "common" | "breached";

/** The fields of a user that must not be the password. */
export type PersonalTexts = Pick<HumanUser, "username" | "email" | "givenName" | "familyName">;

/** What is known of the place where a password is chosen. */
export interface PasswordPlace {
  /** Undefined: the user has none yet. */
  readonly organizationName: string | undefined;
  /** Of the pages; undefined: there are none. */
  readonly issuer: string | undefined;
}

/**
 * The user responsible for a password: besides its owner, the user that knows it, because they set it or were given the code that
 * set it. A user that changes a password proves nothing but the former password, so the user responsible for that stays responsible
 * for the new one.
 */
export interface PasswordOrigin {
  readonly creator: Editor;
  /** The token of the call; undefined when there was none, or a login. */
  readonly madeWithTokenId: TokenId | undefined;
  /** Whether it, or the former one that it was changed with, was set by a code that went to the email address of the user. */
  readonly isByMail?: boolean | undefined;
}

/**
 * Returns the form of a password that is hashed: NFKC, so that every keyboard makes the same bytes (RFC 8265 §4.2 has NFC;
 * this form also unites wide and narrow letters).
 */
export function normalizePassword(password: string): string {
  return password.normalize("NFKC");
}

/** Finds the rule that a new password breaks, but for the list of breached ones; undefined for one that breaks none. */
export function findBrokenRule(
  password: string,
  user: PersonalTexts,
  policy: { readonly minPasswordLength: number },
  place: PasswordPlace,
): Exclude<PasswordRule, "breached"> | undefined {
  const length = Array.from(password).length;
  if (length < policy.minPasswordLength) return "min_length";
  if (length > maxPasswordLength) return "max_length";
  const folded = foldName(password);
  const texts = [user.username, user.email, user.givenName, user.familyName];
  if (texts.some((text) => text !== "" && foldName(text) === folded)) return "personal";
  return isCommonPassword(password, namesAround(user, place)) ? "common" : undefined;
}

/** Names that guessers build passwords of. Of an email address it is what stands before the @: mail providers have common names. */
function namesAround(
  user: PersonalTexts,
  { organizationName = "", issuer }: PasswordPlace,
): readonly string[] {
  const addressee = user.email.split("@")[0] ?? "";
  const host = issuer === undefined ? "" : new URL(issuer).hostname;
  return ["Gatehouse", host, organizationName, user.username, addressee, user.givenName, user.familyName];
}

/** Decides to set the password. */
export function setPassword(
  user: Pick<HumanUser, "id" | "details">,
  set: { readonly isChangeRequired: boolean; readonly origin: PasswordOrigin },
): NewEvent {
  const { creator, madeWithTokenId, isByMail } = set.origin;
  return {
    ...aggregateOf(user),
    type: "user.password.set",
    payload: {
      change_required: set.isChangeRequired,
      by: creator,
      ...(madeWithTokenId === undefined ? {} : { made_with_token_id: madeWithTokenId }),
      ...(isByMail === true ? ({ code_to: "email" } as const) : {}),
    },
  };
}

/** Decides to remove the password of a user who has one. */
export function removePassword(user: HumanUser): NewEvent {
  return { ...aggregateOf(user), type: "user.password.removed", payload: {} };
}

/** Decides that the password is removed, because its user gained roles that the setter of the password does not hold. */
export function voidPassword(user: { readonly id: UserId; readonly organizationId: string }): NewEvent {
  return {
    type: "user.password.removed",
    aggregateId: user.id,
    resourceOwner: user.organizationId,
    payload: { cause: "roles_gained" },
  };
}

/** Decides to make a code that resets the password. */
export function requestPasswordReset(user: HumanUser): NewEvent {
  return { ...aggregateOf(user), type: "user.password.reset.requested", payload: {} };
}

/** Why a password did not let its user in. */
export type FailedCheck = "wrong" | "not_set" | "not_active" | "not_allowed" | "too_many";

/** Decides what a password that did not let its user in leaves behind; `isLast` locks the user. */
export function failPasswordCheck(
  user: HumanUser,
  failed: { readonly reason: FailedCheck; readonly isLast: boolean },
): readonly NewEvent[] {
  const { reason, isLast } = failed;
  const check: NewEvent = { ...aggregateOf(user), type: "user.password.check.failed", payload: { reason } };
  if (!isLast) return [check];
  return [check, { ...aggregateOf(user), type: "user.locked", payload: { cause: "wrong_passwords" } }];
}

/** Returns the id of the secret that holds the hash of the password. */
export function passwordSecretId(userId: string): string {
  return `password:${userId}`;
}

/** Returns the problem of a link to pages that the service does not have. */
export function issuerNotConfigured(): Problem {
  return new Problem({
    kind: "precondition",
    reason: "ISSUER_NOT_CONFIGURED",
    message:
      "this service has no pages to link to; name a page of your own in url_template, or ask the operator to configure an issuer",
  });
}

/** Returns the problem of a new password that breaks a rule. */
export function passwordTooWeak(rule: PasswordRule, minPasswordLength: number): Problem {
  const descriptions: Readonly<Record<PasswordRule, string>> = {
    min_length: `must have at least ${minPasswordLength} characters`,
    max_length: `must have at most ${maxPasswordLength} characters`,
    personal: "must not be the username, the email address or a name of the user",
    common: "must not be a common password, or little more than a name, a word, a row of keys or a year",
    breached: "must not be a password that is known from a breach",
  };
  return new Problem({
    kind: "invalid",
    reason: "PASSWORD_TOO_WEAK",
    message: "the password breaks a rule; choose another one",
    metadata: { rule },
    violations: [{ field: "password", description: descriptions[rule] }],
  });
}

/** Returns the problem of a wrong password, which was counted. */
export function passwordInvalid(): Problem {
  return new Problem({
    kind: "invalid",
    reason: "PASSWORD_INVALID",
    message: "the current password is wrong",
    violations: [{ field: "current_password", description: "must be the password that the user has now" }],
  });
}

/** Returns the problem of a call that needs the current password of a user who has none. */
export function passwordNotSet(): Problem {
  return new Problem({
    kind: "precondition",
    reason: "PASSWORD_NOT_SET",
    message: "the user has no password; set one with a verification code",
  });
}

/** Returns the problem of a try within the pause after wrong ones: nothing was compared. */
export function loginPaused(retryAfterMs: number): Problem {
  return new Problem({
    kind: "exhausted",
    reason: "LOGIN_PAUSED",
    message: "too many tries were wrong; nothing was compared; try again later",
    retryAfterMs,
  });
}

function aggregateOf(user: Pick<HumanUser, "id" | "details">) {
  return { aggregateId: user.id, resourceOwner: user.details.resourceOwner };
}
