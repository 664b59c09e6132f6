import type { Editor } from "../../../kernel/base/call.ts";
import type { TokenId } from "../../../kernel/base/ids.ts";
import type { KeyUse, Sealed } from "../../../kernel/base/keyring.ts";
import { Problem } from "../../../kernel/base/problem.ts";
import type { Random } from "../../../kernel/base/random.ts";
import { Secret } from "../../../kernel/base/secret.ts";

/** What a code is for. A user has at most one of each kind. */
export type CodeKind = "phone" | "email" | "reset" | "phone-factor" | "email-factor";

/** A code that has not been used yet. */
export interface VerificationCode {
  /** Keyed hash of `codeText`. */
  readonly mac: Sealed;
  readonly expirationMs: number;
  /** Wrong attempts so far, for a guessable kind. */
  readonly tries: number;
  /** The recipient of the code, where that matters afterwards. */
  readonly givenTo?: CodeReceiver | undefined;
  /** Whether it went to the address or phone of the user: a user that enters it can read what goes there. */
  readonly isSent?: boolean | undefined;
}

/** A caller who was given a code in an answer. */
export interface CodeReceiver {
  readonly userId: Editor;
  /** The token of the call; undefined for a login. */
  readonly tokenId: TokenId | undefined;
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
/** A day in milliseconds. */
export const dayMs = 24 * hourMs;
/** How long the code of each kind can be used. */
export const codeLifetimesMs: Readonly<Record<CodeKind, number>> = {
  phone: 10 * minuteMs,
  email: 10 * minuteMs,
  reset: 30 * minuteMs,
  "phone-factor": 10 * minuteMs,
  "email-factor": 10 * minuteMs,
};
/** How long the code of an invitation can be used, which is a reset code otherwise. */
export const invitationLifetimeMs = 7 * dayMs;
/** What the hash of each kind is keyed with. */
export const codeKeyUses = {
  phone: "phone-code",
  email: "email-code",
  reset: "reset-code",
  "phone-factor": "phone-factor-code",
  "email-factor": "email-factor-code",
} as const satisfies Record<CodeKind, KeyUse>;

/**
 * The kinds whose wrong attempts count, on the code and on the user. The code of a reset has 100 random bits, which nobody guesses:
 * a limit would only let strangers, with nothing but the user's id, keep a user from resetting the password.
 */
export const isGuessable: Readonly<Record<CodeKind, boolean>> = {
  phone: true,
  email: true,
  reset: false,
  "phone-factor": true,
  "email-factor": true,
};

const digits = 8;
const base32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
const base32Length = 20;
const maxTriesPerCode = 5;
const maxTriesPerDay = 20;

/** Draws a code: 8 digits, or for a reset 20 characters of base32 (RFC 4648 §6). */
export function newVerificationCode(kind: CodeKind, random: Random): Secret {
  if (kind === "reset") {
    const bytes = random.bytes(base32Length);
    return new Secret([...bytes].map((byte) => base32.charAt(byte % base32.length)).join(""));
  }
  return new Secret(String(random.below(10 ** digits)).padStart(digits, "0"));
}

/** Returns the text whose keyed hash is stored: a code is valid for one user and one address. */
export function codeText(userId: string, address: string, code: string): string {
  return `${userId}.${address}.${code}`;
}

/**
 * Refuses an attempt before anything is compared: CODE_NOT_PENDING, RATE_LIMITED, CODE_EXHAUSTED, CODE_EXPIRED, in
 * this order. `wrongTries` are the instants of the user's wrong attempts, for all codes of a guessable kind. Returns the code to
 * compare with.
 */
export function requireCode(input: {
  readonly pending: VerificationCode | undefined;
  readonly wrongTries: readonly number[];
  readonly nowMs: number;
}): VerificationCode {
  const { pending, nowMs } = input;
  if (pending === undefined) throw codeNotPending();
  const free = freeFrom(lastDay(input.wrongTries, nowMs), maxTriesPerDay);
  if (free > nowMs) throw rateLimited("too many wrong codes were tried for this user", free - nowMs);
  if (pending.tries >= maxTriesPerCode) throw codeExhausted();
  if (pending.expirationMs <= nowMs) throw codeExpired();
  return pending;
}

/** Counts a wrong attempt at a guessable code, on the code and on the user. */
export function countWrongCode(
  pending: VerificationCode,
  wrongTries: readonly number[],
  nowMs: number,
): { readonly pending: VerificationCode; readonly wrongTries: readonly number[] } {
  return {
    pending: { ...pending, tries: pending.tries + 1 },
    wrongTries: [...lastDay(wrongTries, nowMs), nowMs],
  };
}

/**
 * Keeps the instants of the last 24 hours. Instants in the future, after the clock was set back, count as now, so no
 * wait grows.
 */
export function lastDay(instants: readonly number[], nowMs: number): readonly number[] {
  return instants.filter((instant) => instant > nowMs - dayMs).map((instant) => Math.min(instant, nowMs));
}

/** Returns the time from which there are fewer than `limit` instants within 24 hours; 0 when there already are. */
export function freeFrom(instants: readonly number[], limit: number): number {
  const blocking = instants.at(-limit);
  return blocking === undefined ? 0 : blocking + dayMs;
}

/** The problem of users who want to verify their own phone or email by their word, or be given a code for themselves. */
export function selfVerificationForbidden(): Problem {
  return new Problem({
    kind: "denied",
    reason: "SELF_VERIFICATION_FORBIDDEN",
    message: "users cannot vouch for themselves, or be given a code for themselves; let it be sent",
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

/** Returns the problem of a user who has no code to use. */
export function codeNotPending(): Problem {
  return new Problem({
    kind: "precondition",
    reason: "CODE_NOT_PENDING",
    message: "no verification code is pending; request one first",
  });
}

/** Returns the problem of too many attempts or messages; nothing was done. */
export function rateLimited(message: string, retryAfterMs: number): Problem {
  return new Problem({
    kind: "exhausted",
    reason: "RATE_LIMITED",
    message: `${message}; try again later`,
    retryAfterMs,
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
