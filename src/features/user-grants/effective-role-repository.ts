import { type ReadTransaction, type SqlValue, toInList } from "../../base/database.ts";
import { type DetailsRow, toDetails } from "../../base/details.ts";
import type { OrganizationId, ProjectId, UserGrantId } from "../../base/ids.ts";
import { behind, type PageQuery } from "../../base/paging.ts";
import type { EffectiveRole, Visibility } from "./effective-role.ts";
import { toRoleKeys } from "./grant-rows.ts";

/** Whose roles are asked for, and which of them the caller sees. Empty texts = any. */
export interface EffectiveRoleFilter {
  readonly userId: string;
  readonly projectId: string;
  readonly organizationId: string;
  readonly visibility: Visibility;
}

/** Returns what is active along the whole chain and gives a role, by the age of the grants, oldest first. */
export async function listEffectiveRoles(
  tx: ReadTransaction,
  filter: EffectiveRoleFilter,
  page: PageQuery,
): Promise<readonly EffectiveRole[]> {
  const { sql, parameters } = whereOf(filter);
  const position = behind(page, "g.creation_date, g.id");
  const rows = await tx.all<EffectiveRoleRow>(
    `SELECT g.id, g.sequence, g.creation_date, g.resource_owner, g.project_id, g.role_keys FROM ${chain}
     WHERE ${sql} AND ${position.sql} ORDER BY g.creation_date, g.id LIMIT ?`,
    [...parameters, ...position.parameters, page.limit],
  );
  return rows.map((row) => ({
    id: row.id,
    details: toDetails(row),
    projectId: row.project_id,
    organizationId: row.resource_owner,
    roleKeys: toRoleKeys(row),
  }));
}

/** Counts the same entries, up to `limit`. */
export async function countEffectiveRoles(
  tx: ReadTransaction,
  filter: EffectiveRoleFilter,
  limit: number,
): Promise<number> {
  const { sql, parameters } = whereOf(filter);
  const row = await tx.get<{ total: number }>(
    `SELECT COUNT(*) AS total FROM (SELECT g.id FROM ${chain} WHERE ${sql} LIMIT ?) AS counted`,
    [...parameters, limit],
  );
  return row?.total ?? 0;
}

/** Says whether the user has a grant that the caller sees, in effect or not. */
export async function hasVisibleGrant(
  tx: ReadTransaction,
  userId: string,
  visibility: Visibility,
): Promise<boolean> {
  const seen = isVisible(visibility);
  const row = await tx.get<{ id: string }>(
    `SELECT g.id FROM user_grants g JOIN projects p ON p.id = g.project_id
     WHERE g.user_id = ? AND ${seen.sql} LIMIT 1`,
    [userId, ...seen.parameters],
  );
  return row !== undefined;
}

/** A grant with everything that it rests on. */
const chain = `user_grants g
  JOIN users u ON u.id = g.user_id
  JOIN organizations home ON home.id = u.resource_owner
  JOIN organizations giver ON giver.id = g.resource_owner
  JOIN projects p ON p.id = g.project_id
  JOIN organizations owner ON owner.id = p.resource_owner
  LEFT JOIN project_grants pg ON pg.id = g.project_grant_id`;

const isInEffect = `u.state = 'ACTIVE' AND home.state = 'ACTIVE' AND g.state = 'ACTIVE' AND giver.state = 'ACTIVE'
  AND p.state = 'ACTIVE' AND owner.state = 'ACTIVE' AND (g.project_grant_id = '' OR pg.state = 'ACTIVE')
  AND g.role_keys <> '[]'`;

interface EffectiveRoleRow extends DetailsRow {
  readonly id: UserGrantId;
  readonly resource_owner: OrganizationId;
  readonly project_id: ProjectId;
  readonly role_keys: string;
}

interface Condition {
  readonly sql: string;
  readonly parameters: readonly SqlValue[];
}

function whereOf(filter: EffectiveRoleFilter): Condition {
  const conditions: Condition[] = [
    { sql: "g.user_id = ?", parameters: [filter.userId] },
    { sql: isInEffect, parameters: [] },
    isVisible(filter.visibility),
  ];
  // Not the bare columns: the indexes that begin with them lead through the grants of all users.
  if (filter.projectId !== "")
    conditions.push({ sql: "g.project_id || '' = ?", parameters: [filter.projectId] });
  if (filter.organizationId !== "")
    conditions.push({ sql: "g.resource_owner || '' = ?", parameters: [filter.organizationId] });
  return {
    sql: conditions.map((condition) => condition.sql).join(" AND "),
    parameters: conditions.flatMap((condition) => condition.parameters),
  };
}

function isVisible(visibility: Visibility): Condition {
  if (visibility.isEverything) return { sql: "TRUE", parameters: [] };
  const { givers, projectOwner, projects, projectGrants } = visibility;
  const ways = [
    ...isAmong("g.resource_owner || ''", givers),
    ...isAmong("p.resource_owner || ''", projectOwner === undefined ? [] : [projectOwner]),
    ...isAmong("g.project_id || ''", projects),
    ...isAmong("g.project_grant_id || ''", projectGrants),
  ];
  return {
    sql: `(${["FALSE", ...ways.map((way) => way.sql)].join(" OR ")})`,
    parameters: ways.flatMap((way) => way.parameters),
  };
}

/** None for no values: their list would hold the empty text, which stands for no project grant. */
function isAmong(column: string, values: readonly string[]): readonly Condition[] {
  if (values.length === 0) return [];
  const list = toInList(values);
  return [{ sql: `${column} IN ${list.sql}`, parameters: list.parameters }];
}
