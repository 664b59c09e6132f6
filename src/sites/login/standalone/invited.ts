import type { ReadTransaction, WriteTransaction } from "../../../kernel/base/database.ts";
import { toId, type UserId } from "../../../kernel/base/ids.ts";
import { Problem } from "../../../kernel/base/problem.ts";
import { Secret } from "../../../kernel/base/secret.ts";
import type { NewEvent } from "../../../kernel/events/event.ts";
import type { FeatureContext } from "../../../identity/context.ts";
import type { LoginOrigin } from "../../../identity/logins/login-origins/login-origin.ts";
import { isUsableCode } from "../../../identity/people/codes/repository.ts";
import { endInvitation, holderOf } from "../../../identity/people/codes/reset-code-repository.ts";
import { findInvitingApplication, isSetUp } from "../../../identity/people/invitations/repository.ts";
import type { InvitingApplication } from "../../../identity/people/invitations/invitation.ts";
import { usePasswordResetCode, proveByMail } from "../../../identity/people/passwords/password-change.ts";
import type { LoginUser } from "../login-state.ts";
import { findLoginUser } from "../login-users.ts";
import { PageRefusal } from "../page-refusal.ts";
import { codeReasons } from "./password-reset.ts";

/** The code of an invitation, and its user. */
export interface InvitationCode {
  readonly userId: string;
  readonly code: string;
}

/** A person with an open invitation. */
export interface Invited extends LoginUser {
  /** Undefined: none is named, or it cannot be named any longer. */
  readonly application: InvitingApplication | undefined;
  /**
   * Whether the user has no way to sign in and no second factor. Only then the link lets them add a passkey or an identity elsewhere:
   * it replaces no factor.
   */
  readonly isNew: boolean;
}

type Ports = Pick<FeatureContext, "keyring" | "clock">;

/**
 * Finds the user of an invitation that could be taken now, and uses nothing up. Raises the refusal of an invitation that is over, for
 * every reason the same.
 */
export async function requireInvited(
  tx: ReadTransaction,
  { keyring, clock }: Ports,
  asked: InvitationCode,
): Promise<Invited> {
  const userId = toId<UserId>(asked.userId);
  const found = await findLoginUser(tx, userId);
  const code = new Secret(asked.code);
  const attempt = { userId, address: "", code, keyring, nowMs: clock.nowMs() };
  if (found?.user.invitation === undefined || !(await isUsableCode(tx, "reset", attempt)))
    throw new PageRefusal("invitation-over");
  const { applicationId } = found.user.invitation;
  const application =
    applicationId === ""
      ? undefined
      : await findInvitingApplication(tx, found.organization.id, applicationId);
  return { ...found, application, isNew: !found.user.hasPassword && !(await isSetUp(tx, userId)) };
}

/** An invitation that was taken by something else than a password. */
export interface TakenInvitation {
  readonly invited: Invited;
  /** The other people that could have read the code; undefined: only the user could. */
  readonly loginOrigin: LoginOrigin | undefined;
  /** The end of the invitation: append them behind those of what was added. */
  readonly events: readonly NewEvent[];
}

/**
 * Uses the code of an invitation up for a user without any way to sign in. Raises the refusal of an invitation that is over, or that
 * is good for a password only.
 */
export async function takeInvitation(
  tx: WriteTransaction,
  ports: Ports,
  asked: InvitationCode,
): Promise<TakenInvitation> {
  const invited = await requireInvited(tx, ports, asked);
  if (!invited.isNew) throw new PageRefusal("invitation-over");
  const { user } = invited;
  const origin = await usePasswordResetCode(tx, {
    userId: user.id,
    code: new Secret(asked.code),
    keyring: ports.keyring,
    nowMs: ports.clock.nowMs(),
  });
  if (origin instanceof Problem) throw toRefusal(origin);
  const { creator, madeWithTokenId } = origin;
  return {
    invited,
    loginOrigin: creator === user.id ? undefined : { creator, madeWithTokenId },
    events: [
      ...(await proveByMail(tx, user, origin)),
      ...(await endInvitation(tx, holderOf(user), "accepted")),
    ],
  };
}

function toRefusal(problem: Problem): Error {
  return codeReasons.has(problem.reason) ? new PageRefusal("invitation-over") : problem;
}
