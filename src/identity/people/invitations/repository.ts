import type { ReadTransaction } from "../../../kernel/base/database.ts";
import type { UserId } from "../../../kernel/base/ids.ts";
import type { Appliers } from "../../../kernel/events/event.ts";
import { listProjectsInReach } from "../../projects/audience-repository.ts";
import type { InvitingApplication } from "./invitation.ts";

const keep = `UPDATE stored_users SET invitation_state = ?, invitation_date = ?, invitation_expiration_date = ?,
  invitation_application_id = ?, sequence = ? WHERE id = ?`;

/** Appliers of the columns of invitations in the table of users; part of the projection of users. */
export const invitationAppliers: Appliers = {
  "user.invitation.sent": async (tx, { aggregateId, date, payload }) => {
    const { expiration_date: expirationDate, application_id: applicationId = null } = payload;
    await tx.run(keep, ["OPEN", date, Date.parse(expirationDate) * 1000, applicationId, date, aggregateId]);
  },
  "user.invitation.ended": async (tx, { aggregateId, date }) => {
    await tx.run(keep, [null, null, null, null, date, aggregateId]);
  },
};

/** Says whether the user has a passkey, a second factor or a link to an identity provider. A registration that was begun is none. */
export async function isSetUp(tx: ReadTransaction, userId: UserId): Promise<boolean> {
  const row = await tx.get(
    `SELECT 1 FROM passkeys WHERE user_id = ? AND state = 'READY'
     UNION ALL SELECT 1 FROM second_factors WHERE user_id = ? AND state = 'READY'
     UNION ALL SELECT 1 FROM idp_links WHERE user_id = ? LIMIT 1`,
    [userId, userId, userId],
  );
  return row !== undefined;
}

/**
 * Finds an ACTIVE application that people sign in to, of a project that the organization owns or has by a project grant; undefined
 * for every other one.
 */
export async function findInvitingApplication(
  tx: ReadTransaction,
  organizationId: string,
  id: string,
): Promise<InvitingApplication | undefined> {
  const row = await tx.get<InvitingApplication & { readonly project_id: string }>(
    `SELECT id, name, project_id FROM applications WHERE id = ? AND state = 'ACTIVE' AND kind IN ('oidc', 'saml')`,
    [id],
  );
  if (row === undefined) return undefined;
  const [project] = await listProjectsInReach(tx, organizationId, [row.project_id]);
  return project === undefined ? undefined : { id: row.id, name: row.name };
}
