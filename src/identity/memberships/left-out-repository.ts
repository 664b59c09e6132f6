import { toInList, type WriteTransaction } from "../../kernel/base/database.ts";

/**
 * Leaves the roles that a membership gains out for these tokens, for as long as the membership has the roles. `before` are
 * the roles that it had, none for a new membership. Roles that it no longer has are forgotten for every token.
 */
export async function leaveOut(
  tx: WriteTransaction,
  change: {
    readonly membershipId: string;
    readonly before: readonly string[];
    readonly after: readonly string[];
    readonly tokenIds: readonly string[];
  },
): Promise<void> {
  const { membershipId, before, after, tokenIds } = change;
  const gained = [...new Set(after)].filter((role) => !before.includes(role));
  const rows = await tx.all<{ token_id: string; roles: string }>(
    "SELECT token_id, roles FROM left_out_roles WHERE membership_id = ?",
    [membershipId],
  );
  if (rows.length === 0 && tokenIds.length === 0) return;
  const leftOut = new Map(rows.map((row) => [row.token_id, toNames(row.roles)]));
  for (const id of tokenIds) leftOut.set(id, [...new Set([...(leftOut.get(id) ?? []), ...gained])]);
  await tx.run("DELETE FROM left_out_roles WHERE membership_id = ?", [membershipId]);
  const byRoles = Map.groupBy(leftOut, ([, names]) =>
    JSON.stringify(names.filter((role) => after.includes(role))),
  );
  for (const [roles, entries] of byRoles) {
    if (roles === "[]") continue;
    for (let at = 0; at < entries.length; at += portion) {
      await insert(tx, { membershipId, roles, tokenIds: entries.slice(at, at + portion).map(([id]) => id) });
      if (at + portion < entries.length) await tx.pause();
    }
  }
}

/** After this many tokens other work gets a turn: a user may have ten thousand. */
const portion = 500;

async function insert(
  tx: WriteTransaction,
  rows: { readonly membershipId: string; readonly roles: string; readonly tokenIds: readonly string[] },
): Promise<void> {
  const list = toInList(rows.tokenIds);
  await tx.run(
    `INSERT INTO left_out_roles (token_id, membership_id, roles)
     SELECT id, ?, ? FROM credentials WHERE id IN ${list.sql}`,
    [rows.membershipId, rows.roles, ...list.parameters],
  );
  await tx.run(
    `UPDATE credentials SET was_limited = 1 WHERE id IN ${list.sql} AND was_limited = 0`,
    list.parameters,
  );
}

/**
 * Limits a new token of a user like the token of the same user that it was made with. Memberships in a removed organization count for
 * nothing, whether their rows are deleted yet or not, so that a rebuild, which deletes them at another time, comes to the same.
 */
export async function leaveOutAlike(
  tx: WriteTransaction,
  token: { readonly tokenId: string; readonly userId: string; readonly madeWithTokenId: string | undefined },
): Promise<void> {
  if (token.madeWithTokenId === undefined) return;
  const count = await tx.change(
    `INSERT INTO left_out_roles (token_id, membership_id, roles)
     SELECT ?, l.membership_id, l.roles FROM left_out_roles l JOIN credentials t ON t.id = l.token_id
       JOIN memberships m ON m.id = l.membership_id
     WHERE l.token_id = ? AND t.user_id = ?`,
    [token.tokenId, token.madeWithTokenId, token.userId],
  );
  if (count === 0) return;
  await tx.run("UPDATE credentials SET was_limited = 1 WHERE id = ?", [token.tokenId]);
}

function toNames(json: string): readonly string[] {
  return JSON.parse(json) as string[]; // written above
}
