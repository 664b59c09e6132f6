import { hash } from "node:crypto";
import type { Call } from "../../../kernel/base/call.ts";
import type { ReadTransaction, WriteTransaction } from "../../../kernel/base/database.ts";
import type { SessionId, UserId } from "../../../kernel/base/ids.ts";
import type { Keyring } from "../../../kernel/base/keyring.ts";
import { Problem } from "../../../kernel/base/problem.ts";
import type { Secret } from "../../../kernel/base/secret.ts";
import type { NewEvent } from "../../../kernel/events/event.ts";
import { endLogins } from "../../logins/authorizations/end-logins.ts";
import { resetTriesOfUser } from "../../logins/tries/repository.ts";
import { readCode, takeCode } from "../codes/repository.ts";
import { endResetCode, holderOf } from "../codes/reset-code-repository.ts";
import { verifyEmail } from "../emails/email.ts";
import { findLoginOriginOf } from "../../logins/login-origins/repository.ts";
import { isEmailProved } from "../user/login-name-repository.ts";
import type { HumanUser } from "../user/user.ts";
import {
  findBrokenRule,
  normalizePassword,
  type PasswordOrigin,
  type PasswordPlace,
  passwordTooWeak,
  type PersonalTexts,
  setPassword,
} from "./password.ts";
import { findPasswordLineage, putPasswordHash } from "./repository.ts";

/** The passwords that are known from breaches. */
export interface BreachedPasswords {
  /** Says whether the list has the SHA-1 sum (40 hexadecimal digits, upper case). */
  has(sum: string): Promise<boolean>;
}

/** Returns the problem of a password that may not be set: PASSWORD_TOO_WEAK. Reads the list of breached ones from the disk. */
export async function checkNewPassword(asked: {
  readonly policy: { readonly minPasswordLength: number };
  readonly user: PersonalTexts;
  readonly place: PasswordPlace;
  readonly password: string;
  /** Undefined: there is no list. */
  readonly breached: BreachedPasswords | undefined;
}): Promise<Problem | undefined> {
  const { policy, user, place, password, breached } = asked;
  const broken = findBrokenRule(password, user, policy, place);
  if (broken !== undefined) return passwordTooWeak(broken, policy.minPasswordLength);
  if (breached === undefined) return undefined;
  for (const form of new Set([password, normalizePassword(password)])) {
    const sum = hash("sha1", form, "hex").toUpperCase(); // what lists of breached passwords are made of
    if (await breached.has(sum)) return passwordTooWeak("breached", policy.minPasswordLength);
  }
  return undefined;
}

/**
 * The user responsible for a password that a call sets, or for the code that the call returns: the caller, or a user who could have
 * made its login.
 */
export async function originOfCall(
  tx: ReadTransaction,
  call: Pick<Call, "caller">,
  userId: UserId,
): Promise<PasswordOrigin> {
  const { userId: creator, tokenId: madeWithTokenId } = call.caller;
  return (await findLoginOriginOf(tx, call, userId)) ?? { creator, madeWithTokenId };
}

/** The user responsible for a password that the user is about to set: see `PasswordOrigin`. */
export async function originOfOwnPassword(
  tx: ReadTransaction,
  user: HumanUser,
  /** What the user proved besides being the user. */
  proved: { readonly kind: "current-password" } | { readonly kind: "code"; readonly givenTo: PasswordOrigin },
): Promise<PasswordOrigin> {
  if (proved.kind === "code") return proved.givenTo;
  const former = await findPasswordLineage(tx, user.id);
  return former ?? { creator: user.id, madeWithTokenId: undefined };
}

/**
 * Sets a password whose hash was made before the write. All sessions of the user end but the one that is named, and all refresh
 * tokens. Codes that would reset the password end, and wrong tries of the former one are forgotten. A code that was mailed verifies
 * the address that it went to. Append the events that it returns.
 */
export async function setOwnPassword(
  tx: WriteTransaction,
  user: HumanUser,
  set: {
    readonly encoded: string;
    readonly isChangeRequired: boolean;
    readonly origin: PasswordOrigin & { readonly isSent?: boolean | undefined };
    /** The session of the user who sets the password; undefined when there is none. */
    readonly exceptSessionId?: SessionId | undefined;
  },
): Promise<readonly NewEvent[]> {
  await putPasswordHash(tx, user.id, set.encoded);
  const ending = set.origin.isSent === true ? "accepted" : "password_changed";
  const ended = await endResetCode(tx, holderOf(user), ending);
  await resetTriesOfUser(tx, "password", user.id);
  await resetTriesOfUser(tx, "reset-request", user.id);
  return [
    setPassword(user, set),
    ...(await proveByMail(tx, user, set.origin)),
    ...ended,
    ...(await endLogins(tx, user.id, set)),
  ];
}

/** Decides that the address is proved, if its user had the code of a mail that went to it. */
export async function proveByMail(
  tx: ReadTransaction,
  user: HumanUser,
  { isSent }: { readonly isSent?: boolean | undefined },
): Promise<readonly NewEvent[]> {
  if (isSent !== true || user.email === "") return [];
  const isProved = user.isEmailVerified && (await isEmailProved(tx, user.id));
  return isProved ? [] : [verifyEmail(user, true)];
}

/** The user responsible for a password that is set with a code, and whether the code was mailed to its user. */
export interface CodeOrigin extends PasswordOrigin {
  readonly isSent: boolean | undefined;
}

/** An attempt to reset a password with a code. */
export interface ResetAttempt {
  readonly userId: UserId;
  /** Undefined: all is checked but the code. */
  readonly code: Secret | undefined;
  readonly keyring: Keyring;
  readonly nowMs: number;
}

/** Raises what `usePasswordResetCode` raises, without looking at a code: a hash need not be made for nothing. */
export async function requirePasswordResetCode(
  tx: ReadTransaction,
  asked: { readonly userId: UserId; readonly nowMs: number },
): Promise<void> {
  await readCode(tx, "reset", asked);
}

/**
 * Uses the code up if it is the right one, and returns who answers for the password that is set with it, else the problem of a
 * wrong one. Raises CODE_NOT_PENDING, CODE_EXPIRED before anything is compared.
 */
export async function usePasswordResetCode(
  tx: WriteTransaction,
  attempt: ResetAttempt,
): Promise<CodeOrigin | Problem> {
  const taken = await takeCode(tx, "reset", { ...attempt, address: "" });
  if (taken instanceof Problem) return taken;
  return {
    creator: taken.givenTo?.userId ?? attempt.userId,
    madeWithTokenId: taken.givenTo?.tokenId,
    isSent: taken.isSent,
    isByMail: taken.isSent,
  };
}
