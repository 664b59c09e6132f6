import type { ReadTransaction } from "../../kernel/base/database.ts";
import type { UserId } from "../../kernel/base/ids.ts";
import { toNames } from "../held-roles/repository.ts";
import { inEffect } from "../rights-in-time/period-columns.ts";

/** A user, and what an identity provider calls an identity of theirs. */
export interface LinkedIdentityRow {
  readonly userId: UserId;
  readonly subject: string;
  readonly issuer: string;
}

/** Lists the links to identities of a provider, by what it calls them. */
export async function listLinkedIdentities(
  tx: ReadTransaction,
  { idpId, after, limit }: { readonly idpId: string; readonly after: string; readonly limit: number },
): Promise<readonly LinkedIdentityRow[]> {
  return await tx.all<LinkedIdentityRow>(
    `SELECT user_id AS "userId", external_user_id AS subject, issuer FROM idp_links
     WHERE idp_id = ? AND external_user_id > ? ORDER BY external_user_id LIMIT ?`,
    [idpId, after, limit],
  );
}

/** Lists the active users who own the organization, the oldest first. */
export async function listOrganizationOwners(
  tx: ReadTransaction,
  organizationId: string,
): Promise<readonly UserId[]> {
  const inForce = inEffect("m", tx.now());
  const rows = await tx.all<{ readonly id: UserId; readonly roles: string }>(
    `SELECT u.id, m.roles FROM holders_of_scopes m JOIN users u ON u.id = m.user_id
     WHERE m.scope_kind = 'organization' AND m.scope_id = ? AND u.state = 'ACTIVE' AND ${inForce.sql}
     ORDER BY u.creation_date, u.id`,
    [organizationId, ...inForce.parameters],
  );
  const owners = rows.filter((row) => toNames(row).includes("ORGANIZATION_OWNER"));
  return [...new Set(owners.map(({ id }) => id))];
}
