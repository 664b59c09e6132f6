import type { ReadTransaction, WriteTransaction } from "../../../kernel/base/database.ts";
import type { UserId } from "../../../kernel/base/ids.ts";
import type { NewEvent } from "../../../kernel/events/event.ts";
import type { InvitationEnd } from "../../../kernel/events/invitation-payloads.ts";
import { removeCode } from "./repository.ts";

/** The user of a code, and the organization that the user belongs to. */
export interface CodeHolder {
  readonly userId: UserId;
  readonly organizationId: string;
}

/** Says whether the user has an invitation, expired or not, that they have not taken yet. */
export async function isInvited(tx: ReadTransaction, userId: UserId): Promise<boolean> {
  const row = await tx.get("SELECT 1 FROM stored_users WHERE id = ? AND invitation_state IS NOT NULL", [
    userId,
  ]);
  return row !== undefined;
}

/**
 * Makes the code void that sets a password, whether it is of an invitation or not. Append the events that it returns; there are none
 * for a user without an invitation.
 */
export async function endResetCode(
  tx: WriteTransaction,
  holder: CodeHolder,
  cause: InvitationEnd,
): Promise<readonly NewEvent[]> {
  await removeCode(tx, "reset", holder.userId);
  return await endInvitation(tx, holder, cause);
}

/** As `endResetCode`, where the code is gone already, or another one is in its place. */
export async function endInvitation(
  tx: ReadTransaction,
  { userId, organizationId }: CodeHolder,
  cause: InvitationEnd,
): Promise<readonly NewEvent[]> {
  if (!(await isInvited(tx, userId))) return [];
  return [
    {
      type: "user.invitation.ended",
      aggregateId: userId,
      resourceOwner: organizationId,
      payload: { cause },
    },
  ];
}

/** Names the holder of a code by the user. */
export function holderOf(user: {
  readonly id: UserId;
  readonly details: { readonly resourceOwner: string };
}): CodeHolder {
  return { userId: user.id, organizationId: user.details.resourceOwner };
}
