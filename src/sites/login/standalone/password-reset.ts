import type { ReadTransaction } from "../../../kernel/base/database.ts";
import { type OrganizationId, toId, type UserId } from "../../../kernel/base/ids.ts";
import { Problem } from "../../../kernel/base/problem.ts";
import type { Reason } from "../../../kernel/base/reason.ts";
import { Secret } from "../../../kernel/base/secret.ts";
import { releaseTry, reserveTry } from "../../../identity/logins/tries/repository.ts";
import { addressKeyOf, addressLimits } from "../../../identity/logins/tries/try.ts";
import { findBrokenRule } from "../../../identity/people/passwords/password.ts";
import {
  checkNewPassword,
  setOwnPassword,
  usePasswordResetCode,
} from "../../../identity/people/passwords/password-change.ts";
import type { LoginUser } from "../login-state.ts";
import { findLoginUser } from "../login-users.ts";
import { FaultyPassword, faultOf } from "../forms/password-fields.ts";
import type { StandaloneVisit } from "../standalone-page.ts";

/** What became of a code and the password that was to be set with it. */
export type ResetResult =
  | { readonly kind: "done"; readonly organizationId: OrganizationId }
  | { readonly kind: "wrong" }
  | { readonly kind: "paused"; readonly retryAfterMs: number }
  | { readonly kind: "faulty"; readonly fault: FaultyPassword["fault"]; readonly minLength: number };

/** Codes that are wrong, too late or used look the same, as do users who do not exist. */
export const codeReasons: ReadonlySet<Reason> = new Set([
  "CODE_INVALID",
  "CODE_EXPIRED",
  "CODE_NOT_PENDING",
] as const);

/** Breaks no rule but those that are the same for everybody. */
const nobody = {
  policy: { minPasswordLength: 0 },
  user: { username: "", email: "", givenName: "", familyName: "" },
  place: { organizationName: undefined, issuer: undefined },
};

/** A code, and the password that is to be set with it. */
export interface PasswordAttempt {
  readonly userId: string;
  readonly code: string;
  readonly password: string;
}

/**
 * Sets a password with a code. The hash is computed first, for every user: how long it takes says nothing about users and codes.
 */
export async function resetPassword(visit: StandaloneVisit, attempt: PasswordAttempt): Promise<ResetResult> {
  const { ports, exchange } = visit;
  const { context, passwords, breached } = ports;
  const reservedMs = context.clock.nowMs();
  const counter = { kind: "address", key: addressKeyOf(context.keyring, exchange.remoteAddress) } as const;
  const tried = await context.database.write((tx) =>
    reserveTry(tx, { ...counter, nowMs: reservedMs, limits: addressLimits }),
  );
  if (!tried.isAllowed) return { kind: "paused", retryAfterMs: tried.retryAfterMs };
  const encoded = await passwords.hash(attempt.password);
  const listed = await checkNewPassword({ ...nobody, password: attempt.password, breached });
  try {
    const organizationId = await context.database.write(async (tx) => {
      const nowMs = context.clock.nowMs();
      const found = await findPasswordUser(tx, attempt.userId);
      const userId = found?.user.id ?? toId<UserId>("0");
      const code = new Secret(attempt.code);
      const origin = await usePasswordResetCode(tx, { userId, code, keyring: context.keyring, nowMs });
      if (origin instanceof Problem) return origin;
      if (found === undefined) throw new Error("a code was right that nobody has");
      requireGood({ password: attempt.password, issuer: visit.issuer, listed }, found);
      const events = await setOwnPassword(tx, found.user, { encoded, isChangeRequired: false, origin });
      await releaseTry(tx, counter, { reservedMs, nowMs });
      const { remoteAddress, requestId } = exchange;
      await context.log.append(tx, { editor: userId, remoteAddress, requestId }, events);
      return found.organization.id;
    });
    return { kind: "done", organizationId };
  } catch (error) {
    if (error instanceof FaultyPassword)
      return { kind: "faulty", fault: error.fault, minLength: error.minLength };
    if (error instanceof Problem && codeReasons.has(error.reason)) return { kind: "wrong" };
    throw error;
  }
}

/** Finds the user; undefined if there is none who may log in, or no password lets them in, so that no code sets one. */
async function findPasswordUser(tx: ReadTransaction, userId: string): Promise<LoginUser | undefined> {
  const found = await findLoginUser(tx, toId<UserId>(userId));
  return found?.policy.allowPassword === true ? found : undefined;
}

/** Only a user with the code learns what is wrong, and may use it for another password. */
function requireGood(
  chosen: {
    readonly password: string;
    readonly issuer: string;
    /** What is wrong for every user. */
    readonly listed: Problem | undefined;
  },
  { user, policy, organization }: LoginUser,
): void {
  const { password, issuer, listed } = chosen;
  const broken = findBrokenRule(password, user, policy, { organizationName: organization.name, issuer });
  if (broken !== undefined) throw new FaultyPassword(broken, policy.minPasswordLength);
  if (listed !== undefined) throw new FaultyPassword(faultOf(listed), policy.minPasswordLength);
}
