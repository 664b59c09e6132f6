import type { ReadTransaction } from "../../kernel/base/database.ts";
import { type DetailsRow, detailsColumns, toDetails } from "../../kernel/base/details.ts";
import type { OrganizationId, ProjectId, UserGrantId } from "../../kernel/base/ids.ts";
import { defineListOfParts } from "../../kernel/base/list.ts";
import { always, type Condition, equals, isAmong, unindexed } from "../../kernel/base/sql.ts";
import type { EffectiveRole, Visibility } from "./effective-role.ts";
import { toRoleKeys } from "./grant-rows.ts";

/** Filters of a list of effective roles, and the grants that the caller may see. Empty texts = any. */
export interface EffectiveRoleFilter {
  readonly userId: string;
  readonly projectId: string;
  readonly organizationId: string;
  readonly visibility: Visibility;
}

/** Says whether the user has a grant that the caller may see, in effect or not. */
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

const isInEffect: Condition = {
  sql: `u.state = 'ACTIVE' AND home.state = 'ACTIVE' AND g.state = 'ACTIVE' AND giver.state = 'ACTIVE'
  AND p.state = 'ACTIVE' AND owner.state = 'ACTIVE' AND (g.project_grant_id = '' OR pg.state = 'ACTIVE')
  AND g.role_keys <> '[]'`,
  parameters: [],
};

interface EffectiveRoleRow extends DetailsRow {
  readonly id: UserGrantId;
  readonly resource_owner: OrganizationId;
  readonly project_id: ProjectId;
  readonly role_keys: string;
}

/**
 * Grants that are active along the whole chain and give a role, by their age. The index starts with the user, who has
 * few grants.
 */
export const effectiveRoleList = defineListOfParts<EffectiveRoleFilter, EffectiveRoleRow, EffectiveRole>({
  name: "ListEffectiveRoles",
  from: chain,
  columns: ["id", ...detailsColumns, "project_id", "role_keys"].map((column) => `g.${column}`),
  order: ["g.creation_date", "g.id"],
  indexes: [{ table: "user_grants", columns: ["user_id", "creation_date", "id"], isUnique: false }],
  keyOf: ({ userId, projectId, organizationId }) => [userId, projectId, organizationId],
  partsOf: ({ userId, projectId, organizationId, visibility }) => [
    {
      where: [
        equals("g.user_id", userId),
        isInEffect,
        isVisible(visibility),
        ...(projectId === "" ? [] : [equals(unindexed("g.project_id"), projectId)]),
        ...(organizationId === "" ? [] : [equals(unindexed("g.resource_owner"), organizationId)]),
      ],
    },
  ],
  toItems: (rows) =>
    rows.map((row) => ({
      id: row.id,
      details: toDetails(row),
      projectId: row.project_id,
      organizationId: row.resource_owner,
      roleKeys: toRoleKeys(row),
    })),
});

function isVisible(visibility: Visibility): Condition {
  if (visibility.isEverything) return always;
  const { givers, projectOwner, projects, projectGrants } = visibility;
  const ways = [
    ...isAmongAny("g.resource_owner", givers),
    ...isAmongAny("p.resource_owner", projectOwner === undefined ? [] : [projectOwner]),
    ...isAmongAny("g.project_id", projects),
    ...isAmongAny("g.project_grant_id", projectGrants),
  ];
  return {
    sql: `(${["FALSE", ...ways.map((way) => way.sql)].join(" OR ")})`,
    parameters: ways.flatMap((way) => way.parameters),
  };
}

/** No values, no condition: a padded list would contain the empty text, which stands for no project grant. */
function isAmongAny(column: string, values: readonly string[]): readonly Condition[] {
  return values.length === 0 ? [] : [isAmong(unindexed(column), values)];
}

/**
 * Says whether the organization of the user connects them with the project: by a grant that is in effect and gives a role, and that
 * was given by a call on that organization, or by a caller who held user.grant.write there. The owner of the project alone connects
 * nobody.
 */
export async function isConnected(
  tx: ReadTransaction,
  {
    userId,
    homeId,
    projectId,
  }: { readonly userId: string; readonly homeId: string; readonly projectId: string },
): Promise<boolean> {
  const row = await tx.get<{ id: string }>(
    `SELECT g.id FROM ${chain} WHERE g.user_id = ? AND ${isInEffect.sql} AND ${unindexed("g.project_id")} = ?
       AND (${unindexed("g.resource_owner")} = ? OR g.held_at_home = 1) LIMIT 1`,
    [userId, projectId, homeId],
  );
  return row !== undefined;
}

/** Roles that a user has in effect in a project, and the organization that gave them. */
export interface RolesInEffect {
  readonly projectId: ProjectId;
  readonly roleKeys: readonly string[];
  readonly organizationId: OrganizationId;
  readonly organizationName: string;
}

/** Lists the roles that the user has in effect in these projects, oldest grant first: what tokens tell. */
export async function listRolesInEffect(
  tx: ReadTransaction,
  userId: string,
  projectIds: readonly string[],
): Promise<readonly RolesInEffect[]> {
  if (projectIds.length === 0) return [];
  const inProjects = isAmong(unindexed("g.project_id"), projectIds);
  const rows = await tx.all<EffectiveRoleRow & { readonly giver_name: string }>(
    `SELECT g.project_id, g.role_keys, g.resource_owner, giver.name AS giver_name FROM ${chain}
     WHERE g.user_id = ? AND ${isInEffect.sql} AND ${inProjects.sql} ORDER BY g.creation_date, g.id`,
    [userId, ...inProjects.parameters],
  );
  return rows.map((row) => ({
    projectId: row.project_id,
    roleKeys: toRoleKeys(row),
    organizationId: row.resource_owner,
    organizationName: row.giver_name,
  }));
}
