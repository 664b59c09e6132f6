import type { ReadTransaction } from "../../base/database.ts";
import type { MembershipId, TokenId, UserId } from "../../base/ids.ts";
import { identityProviderOperator } from "../users/login-origins/login-origin.ts";

/** A user, and the memberships on other organizations, their projects and project grants that the user has. */
export interface FormerGains {
  readonly userId: UserId;
  /** At least one. */
  readonly memberships: readonly { readonly id: MembershipId; readonly resourceOwner: string }[];
}

/** Lists users with memberships on other organizations, at most `limit`, in the order of their ids. */
export async function listFormerGains(
  tx: ReadTransaction,
  { after, limit }: { readonly after: string; readonly limit: number },
): Promise<readonly FormerGains[]> {
  const userIds = await tx.all<{ user_id: UserId }>(
    `SELECT DISTINCT m.user_id FROM memberships m JOIN users u ON u.id = m.user_id
     WHERE m.user_id > ? AND ${isElsewhere} ORDER BY m.user_id LIMIT ?`,
    [after, limit],
  );
  const gains: FormerGains[] = [];
  for (const { user_id: userId } of userIds) {
    const rows = await tx.all<{ id: MembershipId; resource_owner: string }>(
      `SELECT m.id, m.resource_owner FROM memberships m JOIN users u ON u.id = m.user_id
       WHERE m.user_id = ? AND ${isElsewhere}`,
      [userId],
    );
    const memberships = rows.map(({ id, resource_owner: resourceOwner }) => ({ id, resourceOwner }));
    gains.push({ userId, memberships: memberships.toSorted((a, b) => a.id.localeCompare(b.id)) });
  }
  return gains;
}

/** The instance is judged since there have been providers. Service users do not log in at one. */
const isElsewhere =
  "m.scope_kind <> 'instance' AND m.resource_owner <> u.resource_owner AND u.kind = 'human'";

/** Lists the tokens that came of logins at identity providers, and those that the user has made with them, oldest first. */
export async function listTokensByProvider(tx: ReadTransaction, userId: UserId): Promise<readonly TokenId[]> {
  const rows = await tx.all<{ id: TokenId }>(
    `WITH RECURSIVE family (id) AS (
       SELECT id FROM credentials WHERE user_id = ? AND creator = ?
       UNION SELECT t.id FROM credentials t JOIN family f ON t.made_with_token_id = f.id WHERE t.user_id = ?)
     SELECT t.id FROM credentials t JOIN family f ON f.id = t.id ORDER BY t.creation_date, t.id`,
    [userId, identityProviderOperator, userId],
  );
  return rows.map(({ id }) => id);
}
