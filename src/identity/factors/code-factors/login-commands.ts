import type { Origin } from "../../../kernel/base/call.ts";
import type { ReadTransaction, WriteTransaction } from "../../../kernel/base/database.ts";
import type { SecondFactorId, UserId } from "../../../kernel/base/ids.ts";
import { Problem } from "../../../kernel/base/problem.ts";
import type { Secret } from "../../../kernel/base/secret.ts";
import type { FeatureContext } from "../../context.ts";
import { reserveTry, resetTries } from "../../logins/tries/repository.ts";
import { factorCounterOf, factorLimits } from "../../logins/tries/try.ts";
import { codeNotPending, newVerificationCode } from "../../people/codes/code.ts";
import { isRightCode, putNewCode, takeCode } from "../../people/codes/repository.ts";
import type { Mailer } from "../../people/emails/mailer.ts";
import type { Texter } from "../../people/phones/texter.ts";
import { findUserById } from "../../people/user/repository.ts";
import { type HumanUser, requireHuman, userNotFound } from "../../people/user/user.ts";
import type { CodeFactorKind } from "../../policies/login-policy.ts";
import type { ProvedFactor, UnprovedFactor } from "../second-factors/login-commands.ts";
import { addCodeFactor, addressOf, codesOf, failCodeCheck } from "./code-factor.ts";
import { findCodeFactor } from "./repository.ts";

/** What sends the codes. */
export interface CodeSenders {
  readonly mailer: Mailer;
  readonly texter: Texter;
}

/** A code that somebody typed. */
export interface TypedFactorCode {
  readonly userId: UserId;
  readonly kind: CodeFactorKind;
  readonly code: Secret;
  /** Whether the factor is added by it. */
  readonly isNew: boolean;
}

/** What codes to addresses of the user do for logins. */
export interface CodeLogins {
  /** Says whether codes of the kind can be sent at all. */
  canSend(kind: CodeFactorKind): boolean;
  /**
   * Sends a code, in place of the former one. Call it only after a right first factor. Raises CODE_NOT_PENDING for a user without
   * such a verified address; MAIL_NOT_CONFIGURED, SMS_NOT_CONFIGURED, RATE_LIMITED, OVERLOADED.
   */
  send(requestId: string, of: { readonly userId: UserId; readonly kind: CodeFactorKind }): Promise<void>;
  /** Checks a code. A wrong one counts on the code and among the tries of all second factors of the user. */
  check(typed: TypedFactorCode, origin: Origin): Promise<ProvedFactor | UnprovedFactor>;
}

/** Creates what codes to addresses do for logins. */
export function createCodeLogins(context: FeatureContext, senders: CodeSenders): CodeLogins {
  const senderOf = (kind: CodeFactorKind) => (kind === "EMAIL_CODE" ? senders.mailer : senders.texter);
  return {
    canSend: (kind) => senderOf(kind).isConfigured,
    async send(requestId, { userId, kind }) {
      const message = await context.database.write((tx) => makeCode(context, senders, tx, { userId, kind }));
      senderOf(kind).start(requestId, message);
    },
    check: (typed, origin) => check(context, typed, origin),
  };
}

async function makeCode(
  context: FeatureContext,
  { mailer, texter }: CodeSenders,
  tx: WriteTransaction,
  { userId, kind }: { readonly userId: UserId; readonly kind: CodeFactorKind },
) {
  const user = await getHuman(tx, userId);
  const address = addressOf(user, kind);
  if (address === undefined) throw codeNotPending();
  const code = newVerificationCode(codesOf[kind], context.random);
  const message =
    kind === "EMAIL_CODE"
      ? await mailer.count(tx, { user, email: address, content: { kind: "verification", code } })
      : await texter.count(tx, { user, phone: address, code });
  const nowMs = context.clock.nowMs();
  await putNewCode(tx, codesOf[kind], { ...context, userId, address, code, nowMs, isSent: true });
  return message;
}

async function check(
  context: FeatureContext,
  typed: TypedFactorCode,
  origin: Origin,
): Promise<ProvedFactor | UnprovedFactor> {
  const { database, keyring, clock } = context;
  const { userId, kind } = typed;
  const counter = factorCounterOf(keyring, userId);
  const nowMs = clock.nowMs();
  const tried = await database.write(async (tx) => {
    const reserved = await reserveTry(tx, { ...counter, userId, nowMs, limits: factorLimits });
    if (!reserved.isAllowed) return { kind: "paused", retryAfterMs: reserved.retryAfterMs } as const;
    const problem = await tryCode(context, tx, typed);
    if (problem === undefined) return undefined;
    const factor = await findCodeFactor(tx, userId, kind);
    if (factor !== undefined) await context.log.append(tx, origin, [failCodeCheck(factor)]);
    return { kind: "wrong", reason: problem.reason } as const;
  });
  if (tried !== undefined) return tried;
  return {
    kind: "right",
    userId,
    async settle(tx) {
      const user = await getHuman(tx, userId);
      const taken = await take(context, tx, { user, typed });
      if (taken instanceof Problem) throw taken;
      await resetTries(tx, counter);
      const former = await findCodeFactor(tx, userId, kind);
      if (former === undefined && !typed.isNew) throw codeNotPending();
      const id = former?.id ?? tx.nextId<SecondFactorId>();
      const events = former === undefined ? [addCodeFactor(user, { id, type: kind })] : [];
      return { check: { method: kind, factor: { id, counter: 0 } }, events };
    },
  };
}

/** Compares the code and leaves a right one as it is; a wrong one is counted. Returns the problem of one that is not right. */
async function tryCode(
  context: FeatureContext,
  tx: WriteTransaction,
  typed: TypedFactorCode,
): Promise<Problem | undefined> {
  const user = await getHuman(tx, typed.userId);
  try {
    if (await isRightCode(tx, codesOf[typed.kind], attemptOf(context, user, typed))) return undefined;
    const taken = await take(context, tx, { user, typed });
    return taken instanceof Problem ? taken : codeNotPending();
  } catch (error) {
    if (error instanceof Problem && error.kind !== "internal") return error;
    throw error;
  }
}

async function take(
  context: FeatureContext,
  tx: WriteTransaction,
  { user, typed }: { readonly user: HumanUser; readonly typed: TypedFactorCode },
) {
  return await takeCode(tx, codesOf[typed.kind], attemptOf(context, user, typed));
}

function attemptOf(
  { keyring, clock }: FeatureContext,
  user: HumanUser,
  { userId, kind, code }: TypedFactorCode,
) {
  const address = addressOf(user, kind);
  if (address === undefined) throw codeNotPending();
  return { userId, address, code, keyring, nowMs: clock.nowMs() };
}

async function getHuman(tx: ReadTransaction, userId: UserId): Promise<HumanUser> {
  const user = await findUserById(tx, userId);
  if (user === undefined) throw userNotFound(userId);
  return requireHuman(user);
}
