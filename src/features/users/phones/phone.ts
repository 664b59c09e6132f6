import type { Sealed } from "../../../base/keyring.ts";
import { Problem } from "../../../base/problem.ts";
import type { NewEvent } from "../../../events/event.ts";
import type { HumanUser } from "../user/user.ts";

/** How a phone is verified: by a code in an SMS, by a code in the answer, or by the caller's assurance. */
export type PhoneVerification = "send-code" | "return-code" | "is-verified";

/** A code for a phone that has not been used yet. */
export interface PhoneCode {
  /** Keyed hash of `codeText`. */
  readonly mac: Sealed;
  readonly expirationMs: number;
  /** Wrong attempts so far. */
  readonly tries: number;
}

/** Instants (ms since 1970) of the SMS that count against a user and a number. */
export interface SmsHistory {
  readonly toUser: readonly number[];
  readonly toNumber: readonly number[];
}

/** Number of SMS of an organization in an hour; hours are counted since 1970. */
export interface HourlyCount {
  readonly hour: number;
  readonly count: number;
}

/** How long a code can be used. */
export const codeLifetimeMs = 10 * 60_000;
/** Digits of a code. */
export const codeDigits = 8;
const maxTriesPerCode = 5;
const maxTriesPerDay = 20;
/** The pause between two messages to a user or to a number. */
export const smsPauseMs = 30_000;
const maxSmsPerDay = 10;
const hourMs = 60 * 60_000;
const dayMs = 24 * hourMs;

/** Decides to set the phone, which is unverified until the caller vouches for it or the code is entered. */
export function setPhone(user: HumanUser, phone: string, isVerified: boolean): readonly NewEvent[] {
  if (isVerified && user.isPhoneVerified && user.phone === phone) return []; // as it is
  const set = { ...aggregateOf(user), type: "user.phone.set" as const, payload: { phone } };
  return isVerified ? [set, verifyPhone(user)] : [set];
}

/**
 * Decides to make another code for the unverified phone. Raises CODE_NOT_PENDING when there is no phone to verify.
 */
export function addPhoneCode(user: HumanUser): NewEvent {
  if (user.phone === "" || user.isPhoneVerified) throw codeNotPending();
  return { ...aggregateOf(user), type: "user.phone.code.added", payload: {} };
}

/** Decides that the phone is verified. */
export function verifyPhone(user: HumanUser): NewEvent {
  return { ...aggregateOf(user), type: "user.phone.verified", payload: {} };
}

/** Decides to remove the phone: an event, or none for a user without a phone. */
export function removePhone(user: HumanUser): readonly NewEvent[] {
  return user.phone === "" ? [] : [{ ...aggregateOf(user), type: "user.phone.removed", payload: {} }];
}

/** Returns the text whose keyed hash is stored: a code is valid for one user and one number. */
export function codeText(userId: string, phone: string, code: string): string {
  return `${userId}.${phone}.${code}`;
}

/**
 * Refuses an attempt before anything is compared: CODE_NOT_PENDING, RATE_LIMITED, CODE_EXHAUSTED, CODE_EXPIRED, in
 * this order. `wrongTries` are the instants of the user's wrong attempts, for all codes. Returns the code to compare
 * with.
 */
export function requireTry(input: {
  readonly pending: PhoneCode | undefined;
  readonly wrongTries: readonly number[];
  readonly nowMs: number;
}): PhoneCode {
  const { pending, nowMs } = input;
  if (pending === undefined) throw codeNotPending();
  const free = freeFrom(lastDay(input.wrongTries, nowMs), maxTriesPerDay);
  if (free > nowMs) throw rateLimited("too many wrong codes were tried for this user", free - nowMs);
  if (pending.tries >= maxTriesPerCode) throw codeExhausted();
  if (pending.expirationMs <= nowMs) throw codeExpired();
  return pending;
}

/** Counts a wrong attempt on the code and on the user. */
export function countWrongTry(
  pending: PhoneCode,
  wrongTries: readonly number[],
  nowMs: number,
): { readonly pending: PhoneCode; readonly wrongTries: readonly number[] } {
  return {
    pending: { ...pending, tries: pending.tries + 1 },
    wrongTries: [...lastDay(wrongTries, nowMs), nowMs],
  };
}

/** Counts an SMS. Raises RATE_LIMITED: one in 30 seconds per user, 10 in 24 hours per user and per number. */
export function countSms(history: SmsHistory, nowMs: number): SmsHistory {
  const toUser = lastDay(history.toUser, nowMs);
  const toNumber = lastDay(history.toNumber, nowMs);
  const last = toUser.at(-1);
  const free = Math.max(
    freeFrom(toUser, maxSmsPerDay),
    freeFrom(toNumber, maxSmsPerDay),
    last === undefined ? 0 : last + smsPauseMs,
  );
  if (free > nowMs) throw rateLimited("too many messages were sent to this user or number", free - nowMs);
  return { toUser: [...toUser, nowMs], toNumber: [...toNumber, nowMs] };
}

/**
 * Counts an SMS to a user of an organization, because administrators of an organization must not spend the operator's money
 * without end. Raises RATE_LIMITED beyond `limit` in 24 hours; an hour counts until all of it is 24 hours ago.
 */
export function countOrganizationSms(
  counts: readonly HourlyCount[],
  limit: number,
  nowMs: number,
): readonly HourlyCount[] {
  const now = Math.floor(nowMs / hourMs);
  const last = counts
    .filter(({ hour }) => hour >= now - 24)
    .map(({ hour, count }) => ({ hour: Math.min(hour, now), count })); // as in lastDay, for a clock that went back
  const sumOf = (some: readonly HourlyCount[]) => some.reduce((sum, { count }) => sum + count, 0);
  if (sumOf(last) >= limit) {
    const freeMs = ((last[0]?.hour ?? now) + 25) * hourMs;
    throw rateLimited("too many messages were sent for this organization", freeMs - nowMs);
  }
  const thisHour = sumOf(last.filter(({ hour }) => hour === now));
  return [...last.filter(({ hour }) => hour < now), { hour: now, count: thisHour + 1 }];
}

/** Checks whether none of the instants counts any more. */
export function isPast(instants: readonly number[], nowMs: number): boolean {
  return lastDay(instants, nowMs).length === 0;
}

/** Returns the message that carries a code. */
export function smsText(code: string): string {
  return `${code} is your verification code. It is valid for ${codeLifetimeMs / 60_000} minutes.`;
}

/** The problem of users who want to verify their own phone by their word. */
export function selfVerificationForbidden(): Problem {
  return new Problem({
    kind: "denied",
    reason: "SELF_VERIFICATION_FORBIDDEN",
    message: "users cannot verify their own phone without a message to it; use send_code",
  });
}

/** Returns the problem of a service that has no SMS provider. */
export function smsNotConfigured(): Problem {
  return new Problem({
    kind: "precondition",
    reason: "SMS_NOT_CONFIGURED",
    message:
      "this service cannot send messages; use return_code, or ask the operator to configure an SMS provider",
  });
}

/** Returns the problem of a wrong code, which was counted. */
export function codeInvalid(): Problem {
  return new Problem({
    kind: "invalid",
    reason: "CODE_INVALID",
    message: "the verification code is wrong",
    violations: [{ field: "verification_code", description: "must be the most recent code" }],
  });
}

function codeNotPending(): Problem {
  return new Problem({
    kind: "precondition",
    reason: "CODE_NOT_PENDING",
    message: "no verification code is pending; set the phone first",
  });
}

function codeExhausted(): Problem {
  return new Problem({
    kind: "precondition",
    reason: "CODE_EXHAUSTED",
    message: "the verification code is void after too many wrong attempts; request a new one",
  });
}

function codeExpired(): Problem {
  return new Problem({
    kind: "precondition",
    reason: "CODE_EXPIRED",
    message: "the verification code has expired; request a new one",
  });
}

function rateLimited(message: string, retryAfterMs: number): Problem {
  return new Problem({
    kind: "exhausted",
    reason: "RATE_LIMITED",
    message: `${message}; try again later`,
    retryAfterMs,
  });
}

/**
 * Keeps the instants of the last 24 hours. Instants in the future, after the clock was set back, count as now, so no
 * wait grows.
 */
function lastDay(instants: readonly number[], nowMs: number): readonly number[] {
  return instants.filter((instant) => instant > nowMs - dayMs).map((instant) => Math.min(instant, nowMs));
}

/** Returns the time from which there are fewer than `limit` instants within 24 hours; 0 when there already are. */
function freeFrom(instants: readonly number[], limit: number): number {
  const blocking = instants.at(-limit);
  return blocking === undefined ? 0 : blocking + dayMs;
}

function aggregateOf(user: HumanUser) {
  return { aggregateId: user.id, resourceOwner: user.details.resourceOwner };
}
