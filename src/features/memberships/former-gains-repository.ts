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
  const rows = await tx.all<{ id: MembershipId; user_id: UserId; resource_owner: string }>(
    `SELECT m.id, m.user_id, m.resource_owner FROM memberships m JOIN (
       SELECT DISTINCT f.user_id FROM memberships f JOIN users u ON u.id = f.user_id
       WHERE f.user_id > ? AND ${isElsewhere("f")} ORDER BY f.user_id LIMIT ?) page ON page.user_id = m.user_id
     JOIN users u ON u.id = m.user_id WHERE ${isElsewhere("m")} ORDER BY m.user_id, m.id`,
    [after, limit],
  );
  return [...Map.groupBy(rows, (row) => row.user_id)].map(([userId, own]) => ({
    userId,
    memberships: own.map(({ id, resource_owner: resourceOwner }) => ({ id, resourceOwner })),
  }));
}

/** The instance is judged since there have been providers. Service users do not log in at one. */
const isElsewhere = (table: "f" | "m") =>
  `${table}.scope_kind <> 'instance' AND ${table}.resource_owner <> u.resource_owner AND u.kind = 'human'`;

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
