import type { Editor } from "../../../kernel/base/call.ts";
import type { ReadTransaction } from "../../../kernel/base/database.ts";
import type { UserId } from "../../../kernel/base/ids.ts";
import { endFactorOfAddress } from "../codes/factor-repository.ts";
import type { Appliers } from "../../../kernel/events/event.ts";
import { toOriginValues } from "../../logins/login-origins/repository.ts";

/** Appliers of the email columns in the table of users; part of the projection of users. */
export const emailAppliers: Appliers = {
  "user.email.set": async (tx, event) => {
    const { aggregateId, date, payload } = event;
    await endFactorOfAddress(tx, "EMAIL_CODE", { userId: aggregateId, address: payload.email ?? null });
    const [creator] = toOriginValues(event);
    await tx.run(
      `UPDATE stored_users SET email = ?, email_creator = ?, is_email_verified = 0, proved_email = NULL, sequence = ?
       WHERE id = ?`,
      [payload.email ?? null, creator, date, aggregateId],
    );
  },
  // Of an address that was not verified nobody sees a difference: the user's details stay.
  "user.email.unverified": async (tx, { aggregateId, date }) => {
    await tx.run(
      `UPDATE stored_users SET sequence = CASE WHEN is_email_verified = 1 THEN ? ELSE sequence END,
         is_email_verified = 0, email_creator = ? WHERE id = ?`,
      [date, nobody, aggregateId],
    );
  },
  "user.email.code.added": async (tx, { aggregateId, date }) => {
    await tx.run("UPDATE stored_users SET sequence = ? WHERE id = ?", [date, aggregateId]);
  },
  "user.email.verified": async (tx, { aggregateId, date, editor, payload }) => {
    await tx.run(
      `UPDATE stored_users SET is_email_verified = 1, sequence = ?,
         proved_email = CASE WHEN ? = 1 THEN lower(email) ELSE proved_email END,
         email_creator = CASE WHEN email_creator = ? THEN ? ELSE email_creator END WHERE id = ?`,
      [date, Number(payload.by !== undefined), nobody, editor, aggregateId],
    );
  },
};

/** In place of a creator: the setter of the address is not trusted any more, until it is set or verified again. */
const nobody = "";

/** The user who answers for an address, verified or not: a reader of what goes to it could set a password. */
export interface EmailLineage {
  readonly organizationId: string;
  /** Undefined: nobody does since the user gained roles that the setter does not hold. */
  readonly creator: Editor | undefined;
}

/** Returns the setter of the user's address; undefined for a user without one. */
export async function findEmailLineage(
  tx: ReadTransaction,
  userId: UserId,
): Promise<EmailLineage | undefined> {
  const row = await tx.get<{ resource_owner: string; email_creator: Editor | typeof nobody | null }>(
    "SELECT resource_owner, email_creator FROM stored_users WHERE id = ? AND email IS NOT NULL",
    [userId],
  );
  if (row === undefined) return undefined;
  const { resource_owner: organizationId, email_creator: creator } = row;
  return { organizationId, creator: creator === nobody ? undefined : (creator ?? "system") };
}
