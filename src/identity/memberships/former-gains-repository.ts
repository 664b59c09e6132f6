import type { ReadTransaction } from "../../kernel/base/database.ts";
import type { MembershipId, TokenId, UserId } from "../../kernel/base/ids.ts";
import { identityProviderOperator } from "../logins/login-origins/login-origin.ts";

/** A user, and the memberships on other organizations, their projects and project grants that the user has. */
export interface FormerGains {
  readonly userId: UserId;
  /** At least one. */
  readonly memberships: readonly { readonly id: MembershipId; readonly resourceOwner: string }[];
}

/** Some of the users who have memberships. */
export interface FormerGainsPage {
  /** Those of them with memberships on other organizations, in the order of their ids. */
  readonly gains: readonly FormerGains[];
  /** The last user that was looked at; undefined: there are no more. */
  readonly lastUserId: UserId | undefined;
}

/** Looks at the next users who have memberships, at most `limit`, in the order of their ids. */
export async function listFormerGains(
  tx: ReadTransaction,
  { after, limit }: { readonly after: string; readonly limit: number },
): Promise<FormerGainsPage> {
  const userIds = await tx.all<{ user_id: UserId }>(
    "SELECT DISTINCT user_id FROM memberships WHERE user_id > ? ORDER BY user_id LIMIT ?",
    [after, limit],
  );
  const gains: FormerGains[] = [];
  for (const { user_id: userId } of userIds) {
    const rows = await tx.all<{ id: MembershipId; resource_owner: string }>(
      `SELECT m.id, m.resource_owner FROM users u JOIN memberships m ON m.user_id = u.id
       WHERE u.id = ? AND ${isElsewhere}`,
      [userId],
    );
    const memberships = rows.map(({ id, resource_owner: resourceOwner }) => ({ id, resourceOwner }));
    if (memberships.length > 0)
      gains.push({ userId, memberships: memberships.toSorted((a, b) => a.id.localeCompare(b.id)) });
  }
  return { gains, lastUserId: userIds.at(-1)?.user_id };
}

/** Roles on the instance are checked since there have been providers. Service users do not log in at one. */
const isElsewhere =
  "m.scope_kind <> 'instance' AND m.resource_owner <> u.resource_owner AND u.kind = 'human'";

/** Lists the tokens that came from logins at identity providers, and those that the user has made with them, oldest first. */
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
