import { type ReadTransaction, toInList } from "../../kernel/base/database.ts";
import type { MembershipId, TokenId, UserId } from "../../kernel/base/ids.ts";
import { enclosingScopes, type HeldRoles, type Scope } from "../../kernel/base/permission.ts";
import {
  heldColumns,
  heldJoins,
  type HeldRow,
  readRolesInForce,
  type RolesInForce,
  scopeIdOf,
  toHeldRoles,
  toNames,
  toRoles,
  toRolesInForce,
  toScope,
} from "./repository.ts";
import { inEffect } from "../rights-in-time/period-columns.ts";

/** Reads everything that the token carries: the roles of its user in effect without what is left out for the token, the oldest membership first. */
export async function readCarriedRoles(
  tx: ReadTransaction,
  token: { readonly tokenId: TokenId; readonly userId: UserId; readonly isLimited: boolean },
): Promise<RolesInForce> {
  if (!token.isLimited) return await readRolesInForce(tx, token.userId);
  const rows = await tx.all<HeldRow & LeftOutColumn>(
    `SELECT ${heldColumns}, l.roles AS left_out FROM held_memberships m ${heldJoins} ${leftOutJoin} WHERE m.user_id = ?`,
    [token.tokenId, token.userId],
  );
  return toRolesInForce(tx, rows, toCarried);
}

/** Reads the same without knowing whose token it is, or whether it is limited; nothing if there is no such token. */
export async function readRolesOfToken(tx: ReadTransaction, tokenId: TokenId): Promise<RolesInForce> {
  const rows = await tx.all<HeldRow & LeftOutColumn>(
    `SELECT ${heldColumns}, l.roles AS left_out FROM held_memberships m ${heldJoins} ${leftOutJoin}
     WHERE m.user_id = (SELECT user_id FROM credentials WHERE id = ?)`,
    [tokenId, tokenId],
  );
  return toRolesInForce(tx, rows, toCarried);
}

/** What a membership gives on its scope. */
export interface RolesOfMembership extends HeldRoles {
  readonly membershipId: MembershipId;
}

/**
 * Lists what a user, or one token of a user, has in effect on the scope and on the scopes that enclose it. It takes a few look-ups,
 * however much the user holds elsewhere.
 */
export async function listRolesAround(
  tx: ReadTransaction,
  { userId, tokenId = "" }: { readonly userId: string; readonly tokenId?: string | undefined },
  scope: Scope,
): Promise<readonly RolesOfMembership[]> {
  const around: RolesOfMembership[] = [];
  const inForce = inEffect("m", tx.now());
  for (const outer of enclosingScopes(scope)) {
    const rows = await tx.all<{ id: MembershipId; roles: string } & LeftOutColumn>(
      `SELECT m.id, m.roles, l.roles AS left_out FROM held_memberships m ${leftOutJoin}
       WHERE m.user_id = ? AND m.scope_kind = ? AND m.scope_id = ? AND ${inForce.sql}`,
      [tokenId, userId, outer.kind, scopeIdOf(outer), ...inForce.parameters],
    );
    for (const row of rows)
      around.push({
        membershipId: row.id,
        ...withoutLeftOut({ scope: outer, roles: toRoles(toNames(row)) }, row),
      });
  }
  return around;
}

/** A membership whose roles a token does not all carry. */
export interface LeftOut {
  readonly tokenId: TokenId;
  readonly membershipId: MembershipId;
  readonly scope: Scope;
}

/** Lists the memberships that these tokens do not carry in full, the oldest first. */
export async function listLeftOut(
  tx: ReadTransaction,
  tokenIds: readonly TokenId[],
): Promise<readonly LeftOut[]> {
  if (tokenIds.length === 0) return [];
  const list = toInList(tokenIds);
  const rows = await tx.all<LeftOutRow>(
    `SELECT m.id, m.scope_kind, m.scope_id, m.resource_owner, m.creation_date, l.token_id FROM left_out_roles l JOIN memberships m ON m.id = l.membership_id
     WHERE l.token_id IN ${list.sql}`,
    list.parameters,
  );
  return rows
    .toSorted((left, right) => left.creation_date - right.creation_date)
    .map((row) => ({ tokenId: row.token_id, membershipId: row.id, scope: toScope(row, row.resource_owner) }));
}

/** Counts the memberships that the token does not carry in full. */
export async function countLeftOut(tx: ReadTransaction, tokenId: TokenId): Promise<number> {
  const row = await tx.get<{ total: number }>(
    `SELECT COUNT(*) AS total FROM left_out_roles l JOIN memberships m ON m.id = l.membership_id
     WHERE l.token_id = ?`,
    [tokenId],
  );
  return row?.total ?? 0;
}

/** Its one parameter is the id of a token. */
const leftOutJoin = "LEFT JOIN left_out_roles l ON l.membership_id = m.id AND l.token_id = ?";

/** The roles that a token does not carry; null when it carries all of them. */
interface LeftOutColumn {
  readonly left_out: string | null;
}

interface LeftOutRow {
  readonly id: MembershipId;
  readonly scope_kind: Scope["kind"];
  readonly scope_id: string;
  readonly resource_owner: string;
  readonly creation_date: number;
  readonly token_id: TokenId;
}

function toCarried(row: HeldRow & LeftOutColumn): readonly HeldRoles[] {
  return toHeldRoles(row).map((held) => withoutLeftOut(held, row));
}

function withoutLeftOut(held: HeldRoles, { left_out: json }: LeftOutColumn): HeldRoles {
  if (json === null) return held;
  const leftOut: readonly string[] = toNames({ roles: json });
  return { ...held, roles: held.roles.filter((role) => !leftOut.includes(role)) };
}
