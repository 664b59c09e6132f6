import type { ReadTransaction } from "../../kernel/base/database.ts";
import type { OrganizationId, ProjectGrantId } from "../../kernel/base/ids.ts";
import { type Condition, equals, isAmong, unindexed } from "../../kernel/base/sql.ts";
import { oldestFirst } from "../held-roles/repository.ts";
import { type PeriodRow, toPeriod } from "../rights-in-time/period-columns.ts";
import type { Period } from "../rights-in-time/period.ts";
import { grantChain, needsOf } from "./effective-role-repository.ts";
import { toRoleKeys } from "./grant-rows.ts";

/** What a grant needs to give its roles. */
export type GrantNeed = keyof ReturnType<typeof needsOf>;

/** A grant for a project that a user has, directly or by a group, in effect or not. */
export interface GrantInQuestion {
  readonly id: string;
  /** The group that it was made to; empty: it was made to the user. */
  readonly groupId: string;
  /** The organization that gave it. */
  readonly giverId: OrganizationId;
  /** Empty if the giver owns the project. */
  readonly projectGrantId: ProjectGrantId | "";
  readonly roleKeys: readonly string[];
  readonly period: Period;
  readonly projectGrantPeriod: Period;
  /** What decides whether it gives its roles, as lists and tokens ask for it. */
  readonly needs: Readonly<Record<GrantNeed, boolean>>;
}

/** Lists all grants of the user for the project, whatever hinders them, the oldest first. */
export async function listGrantsInQuestion(
  tx: ReadTransaction,
  userId: string,
  projectId: string,
): Promise<readonly GrantInQuestion[]> {
  const toUser = {
    from: `user_grants g JOIN users u ON u.id = g.user_id ${grantChain}`,
    group: "''",
    where: [equals("g.user_id", userId), equals(unindexed("g.project_id"), projectId)],
  };
  const ids = await listIdsOfGroups(tx, userId, projectId);
  const toGroups = {
    from: `group_grants g JOIN users u ON TRUE ${grantChain}`,
    group: "g.group_id",
    where: [isAmong("g.id", ids), equals("u.id", userId)],
  };
  const rows = [
    ...(await readGrants(tx, toUser)),
    ...(ids.length === 0 ? [] : await readGrants(tx, toGroups)),
  ];
  return rows.toSorted(oldestFirst).map(toGrant);
}

async function listIdsOfGroups(
  tx: ReadTransaction,
  userId: string,
  projectId: string,
): Promise<readonly string[]> {
  // A CROSS JOIN of SQLite keeps its order: the user leads to the groups.
  const rows = await tx.all<{ readonly id: string }>(
    `SELECT DISTINCT t.id FROM group_members m CROSS JOIN nested_groups n CROSS JOIN stored_group_grants t
     WHERE m.user_id = ? AND n.inner_id = m.group_id AND n.has_grants = 1 AND t.group_id = n.outer_id
       AND ${unindexed("t.project_id")} = ?`,
    [userId, projectId],
  );
  return rows.map(({ id }) => id);
}

async function readGrants(
  tx: ReadTransaction,
  {
    from,
    group,
    where,
  }: { readonly from: string; readonly group: string; readonly where: readonly Condition[] },
): Promise<readonly GrantRow[]> {
  const needs = Object.entries(needsOf(tx.now()));
  const columns = needs.map(([name, { sql }]) => `CASE WHEN ${sql} THEN 1 ELSE 0 END AS "${name}"`);
  return await tx.all<GrantRow>(
    `SELECT g.id, g.creation_date, ${group} AS group_id, g.resource_owner, g.project_grant_id, g.role_keys, g.start_date, g.end_date,
       pg.start_date AS pg_start_date, pg.end_date AS pg_end_date, ${columns.join(", ")}
     FROM ${from} WHERE ${where.map(({ sql }) => sql).join(" AND ")}`,
    [...needs, ...where.map((each) => ["", each] as const)].flatMap(([, { parameters }]) => parameters),
  );
}

interface GrantRow extends PeriodRow, Readonly<Record<GrantNeed, number>> {
  readonly id: string;
  readonly creation_date: number;
  readonly group_id: string;
  readonly resource_owner: OrganizationId;
  readonly project_grant_id: ProjectGrantId | "";
  readonly role_keys: string;
  readonly pg_start_date: PeriodRow["start_date"];
  readonly pg_end_date: PeriodRow["end_date"];
}

function toGrant(row: GrantRow): GrantInQuestion {
  const is = (need: GrantNeed) => row[need] === 1;
  return {
    id: row.id,
    groupId: row.group_id,
    giverId: row.resource_owner,
    projectGrantId: row.project_grant_id,
    roleKeys: toRoleKeys(row),
    period: toPeriod(row),
    projectGrantPeriod: toPeriod({ start_date: row.pg_start_date, end_date: row.pg_end_date }),
    needs: {
      user: is("user"),
      home: is("home"),
      giver: is("giver"),
      project: is("project"),
      owner: is("owner"),
      grant: is("grant"),
      time: is("time"),
      roles: is("roles"),
      projectGrant: is("projectGrant"),
      projectGrantTime: is("projectGrantTime"),
    },
  };
}
