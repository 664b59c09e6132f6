import { type ReadTransaction, toInList } from "../../base/database.ts";
import type { MembershipId, TokenId } from "../../base/ids.ts";
import { enclosingScopes, type HeldRoles, type Scope } from "../../base/permission.ts";
import type { Token } from "../users/tokens/repository.ts";
import { toRoles } from "./membership.ts";
import {
  heldColumns,
  heldJoins,
  type HeldRow,
  listHeldRoles,
  type MembershipRow,
  scopeIdOf,
  toHeldRoles,
  toNames,
  toScope,
} from "./repository.ts";

/** Returns everything that the token carries: what its user holds, less what is left out for it. */
export async function listCarriedRoles(
  tx: ReadTransaction,
  token: Pick<Token, "tokenId" | "userId" | "isLimited">,
): Promise<readonly HeldRoles[]> {
  if (!token.isLimited) return await listHeldRoles(tx, token.userId);
  const rows = await tx.all<HeldRow & LeftOutColumn>(
    `SELECT ${heldColumns}, l.roles AS left_out FROM memberships m ${heldJoins} ${leftOutJoin} WHERE m.user_id = ?`,
    [token.tokenId, token.userId],
  );
  return rows.flatMap((row) => toHeldRoles(row).map((held) => withoutLeftOut(held, row)));
}

/**
 * Returns what a user, or the token of a user, holds on the scope and on those that enclose it: a few look-ups, however much
 * they hold elsewhere.
 */
export async function listRolesAround(
  tx: ReadTransaction,
  { userId, tokenId = "" }: { readonly userId: string; readonly tokenId?: string | undefined },
  scope: Scope,
): Promise<readonly HeldRoles[]> {
  const around: HeldRoles[] = [];
  for (const outer of enclosingScopes(scope)) {
    const row = await tx.get<{ roles: string } & LeftOutColumn>(
      `SELECT m.roles, l.roles AS left_out FROM memberships m ${leftOutJoin}
       WHERE m.user_id = ? AND m.scope_kind = ? AND m.scope_id = ?`,
      [tokenId, userId, outer.kind, scopeIdOf(outer)],
    );
    if (row !== undefined) around.push(withoutLeftOut({ scope: outer, roles: toRoles(toNames(row)) }, row));
  }
  return around;
}

/** A membership of which a token does not carry all roles. */
export interface LeftOut {
  readonly tokenId: TokenId;
  readonly membershipId: MembershipId;
  readonly scope: Scope;
}

/** Returns what is left out for these tokens, the oldest memberships first. */
export async function listLeftOut(
  tx: ReadTransaction,
  tokenIds: readonly TokenId[],
): Promise<readonly LeftOut[]> {
  if (tokenIds.length === 0) return [];
  const list = toInList(tokenIds);
  const rows = await tx.all<MembershipRow & { readonly token_id: TokenId }>(
    `SELECT m.*, l.token_id FROM left_out_roles l JOIN memberships m ON m.id = l.membership_id
     WHERE l.token_id IN ${list.sql}`,
    list.parameters,
  );
  return rows
    .toSorted((left, right) => left.creation_date - right.creation_date)
    .map((row) => ({ tokenId: row.token_id, membershipId: row.id, scope: toScope(row, row.resource_owner) }));
}

/** Counts the memberships of which the token does not carry all roles. */
export async function countLeftOut(tx: ReadTransaction, tokenId: TokenId): Promise<number> {
  const row = await tx.get<{ total: number }>(
    `SELECT COUNT(*) AS total FROM left_out_roles l JOIN memberships m ON m.id = l.membership_id
     WHERE l.token_id = ?`,
    [tokenId],
  );
  return row?.total ?? 0;
}

/** Takes the id of a token. */
const leftOutJoin = "LEFT JOIN left_out_roles l ON l.membership_id = m.id AND l.token_id = ?";
/** The roles that a token does not carry; null when it carries all. */
interface LeftOutColumn {
  readonly left_out: string | null;
}

function withoutLeftOut({ scope, roles }: HeldRoles, { left_out: json }: LeftOutColumn): HeldRoles {
  if (json === null) return { scope, roles };
  const leftOut: readonly string[] = toNames({ roles: json });
  return { scope, roles: roles.filter((role) => !leftOut.includes(role)) };
}
