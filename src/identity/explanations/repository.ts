import type { ReadTransaction } from "../../kernel/base/database.ts";
import {
  enclosingScopes,
  type HeldRoles,
  type PermissionScopes,
  type Scope,
} from "../../kernel/base/permission.ts";
import { isAmong, unindexed } from "../../kernel/base/sql.ts";
import {
  heldColumns,
  heldJoins,
  type HeldRow,
  oldestFirst,
  scopeIdOf,
  toHeldRoles,
} from "../held-roles/repository.ts";
import { toPeriod } from "../rights-in-time/period-columns.ts";
import type { Period } from "../rights-in-time/period.ts";

/** A membership that a user has, directly or by a group, in effect or not. */
export interface MembershipInQuestion {
  readonly id: string;
  /** The group that it was given to; empty: it was given to the user. */
  readonly groupId: string;
  readonly held: HeldRoles;
  readonly period: Period;
}

/** Lists the memberships of the user on the scope and on those that enclose it, the oldest first, each once. */
export async function listMembershipsInQuestion(
  tx: ReadTransaction,
  userId: string,
  scope: Scope,
): Promise<readonly MembershipInQuestion[]> {
  const own = await tx.all<Row>(
    `SELECT ${heldColumns}, '' AS group_id FROM memberships m ${heldJoins} WHERE m.user_id = ?`,
    [userId],
  );
  // A CROSS JOIN of SQLite keeps its order: the user leads to the groups.
  const byGroups = await tx.all<Row>(
    `SELECT ${heldColumns}, m.group_id FROM group_members w CROSS JOIN nested_groups n CROSS JOIN memberships m ${heldJoins}
     WHERE w.user_id = ? AND n.inner_id = w.group_id AND m.group_id = n.outer_id`,
    [userId],
  );
  const around = new Set(enclosingScopes(scope).map(keyOf));
  const rows = new Map([...own, ...byGroups].map((row) => [row.id, row]));
  return [...rows.values()]
    .toSorted(oldestFirst)
    .flatMap((row) =>
      toHeldRoles(row).flatMap((held) =>
        around.has(keyOf(held.scope))
          ? [{ id: row.id, groupId: row.group_id, held, period: toPeriod(row) }]
          : [],
      ),
    );
}

interface Row extends HeldRow {
  readonly group_id: string;
}

function keyOf(scope: Scope): string {
  return `${scope.kind} ${scopeIdOf(scope)}`;
}

/** Says whether the project was granted to one of the organizations, or by one of the grants. */
export async function isGrantedToAny(
  tx: ReadTransaction,
  projectId: string,
  { isInstance, organizations, projectGrants }: PermissionScopes,
): Promise<boolean> {
  if (isInstance) return true;
  const to = isAmong(unindexed("granted_organization_id"), organizations);
  const by = isAmong(unindexed("id"), projectGrants);
  const row = await tx.get<{ id: string }>(
    `SELECT id FROM project_grants WHERE project_id = ? AND (${to.sql} OR ${by.sql}) LIMIT 1`,
    [projectId, ...to.parameters, ...by.parameters],
  );
  return row !== undefined;
}
