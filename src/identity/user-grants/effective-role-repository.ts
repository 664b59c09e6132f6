import { earliest, type Instant } from "../../kernel/base/clock.ts";
import { inEffect, toLastEnds } from "../rights-in-time/period-columns.ts";
import type { ReadTransaction } from "../../kernel/base/database.ts";
import { type DetailsRow, detailsColumns, toDetails } from "../../kernel/base/details.ts";
import type { GroupGrantId, OrganizationId, ProjectId, UserGrantId } from "../../kernel/base/ids.ts";
import { defineListOfParts, type ListPart } from "../../kernel/base/list.ts";
import { allOf, always, type Condition, equals, isAmong, unindexed } from "../../kernel/base/sql.ts";
import { oldestFirst } from "../held-roles/repository.ts";
import type { EffectiveRole, Visibility } from "./effective-role.ts";
import { toRoleKeys } from "./grant-rows.ts";

/** Filters of a list of effective roles, and the grants that the caller may see. Empty texts = any. */
export interface EffectiveRoleFilter {
  readonly userId: string;
  readonly projectId: string;
  readonly organizationId: string;
  readonly visibility: Visibility;
}

/** Everything that a grant `g` of a user `u` rests on. */
export const grantChain = `JOIN organizations home ON home.id = u.resource_owner
  JOIN organizations giver ON giver.id = g.resource_owner
  JOIN projects p ON p.id = g.project_id
  JOIN organizations owner ON owner.id = p.resource_owner
  LEFT JOIN project_grants pg ON pg.id = g.project_grant_id`;

/** Some grants of a user, and what they are read from. */
interface Grants {
  readonly from: string;
  readonly where: Condition;
  /** When the last of the ways ends by which the user is in the group, by the ids of grants to groups; `endless`: never. */
  readonly ends?: ReadonlyMap<string, Instant>;
}

function toUser(userId: string): Grants {
  return {
    from: `user_grants g JOIN users u ON u.id = g.user_id ${grantChain}`,
    where: equals("g.user_id", userId),
  };
}

/**
 * The grants to the groups that the user is in, each once, in portions. A user of no group costs one look-up. `when` is what must be so
 * of the member `m`.
 */
async function listToGroups(
  tx: ReadTransaction,
  userId: string,
  when: Condition,
): Promise<readonly Grants[]> {
  // A CROSS JOIN of SQLite keeps its order: the user leads to the groups.
  const rows = await tx.all<{ readonly id: string; readonly end_date: Instant | null }>(
    `SELECT t.id, m.end_date FROM group_members m CROSS JOIN nested_groups n CROSS JOIN stored_group_grants t
     WHERE m.user_id = ? AND n.inner_id = m.group_id AND n.has_grants = 1 AND t.group_id = n.outer_id
       AND ${when.sql}`,
    [userId, ...when.parameters],
  );
  const ends = toLastEnds(rows);
  const ids = [...ends.keys()];
  return Array.from({ length: Math.ceil(ids.length / portion) }, (_, number) => ({
    from: `group_grants g JOIN users u ON TRUE ${grantChain}`,
    ends,
    where: allOf([
      isAmong("g.id", ids.slice(number * portion, (number + 1) * portion)),
      equals("u.id", userId),
    ]),
  }));
}

const portion = 1024;

/** Reads columns of all grants of a user that meet a condition, in no order, and the ends of being in the groups. */
async function readGrants<Row>(
  tx: ReadTransaction,
  userId: string,
  asked: { readonly columns: string; readonly where: Condition; readonly when: Condition },
): Promise<{ readonly rows: readonly Row[]; readonly ends: ReadonlyMap<string, Instant> }> {
  const rowsOf = async (grants: Grants) => {
    const { sql, parameters } = allOf([grants.where, asked.where]);
    return await tx.all<Row>(`SELECT ${asked.columns} FROM ${grants.from} WHERE ${sql}`, parameters);
  };
  // Together: each would cost a round trip to the database.
  const [own, toGroups] = await Promise.all([rowsOf(toUser(userId)), listToGroups(tx, userId, asked.when)]);
  const rows = [own, ...(await Promise.all(toGroups.map(rowsOf)))].flat();
  return { rows, ends: toGroups[0]?.ends ?? new Map() };
}

/** Says whether the user has a grant that the caller may see, in effect or not. */
export async function hasVisibleGrant(
  tx: ReadTransaction,
  userId: string,
  visibility: Visibility,
): Promise<boolean> {
  const asked = { columns: "g.id", where: isVisible(visibility), when: always };
  return (await readGrants(tx, userId, asked)).rows.length > 0;
}

/** What a grant needs at that instant to give its roles, besides that the user is in the group: all of the chain is active, and the time of the grants has come and is not over. */
export function needsOf(now: Instant) {
  const active = (alias: string): Condition => ({ sql: `${alias}.state = 'ACTIVE'`, parameters: [] });
  const ifAny = ({ sql, parameters }: Condition): Condition => ({
    sql: `(g.project_grant_id = '' OR (${sql}))`,
    parameters,
  });
  return {
    user: active("u"),
    home: active("home"),
    giver: active("giver"),
    project: active("p"),
    owner: active("owner"),
    grant: active("g"),
    time: inEffect("g", now),
    roles: { sql: "g.role_keys <> '[]'", parameters: [] },
    projectGrant: ifAny(active("pg")),
    projectGrantTime: ifAny(inEffect("pg", now)),
  };
}

/** Grants that give a role at that instant. */
function isInEffect(now: Instant): Condition {
  return allOf(Object.values(needsOf(now)));
}

interface EffectiveRoleRow extends DetailsRow {
  readonly id: UserGrantId | GroupGrantId;
  readonly group_id: string;
  readonly resource_owner: OrganizationId;
  readonly project_id: ProjectId;
  readonly role_keys: string;
}

const columns = ["id", ...detailsColumns, "project_id", "role_keys"].map((column) => `g.${column}`);

/**
 * Grants that are active along the whole chain and give a role, by their age. The index starts with the user, who has
 * few grants.
 */
export const effectiveRoleList = defineListOfParts<EffectiveRoleFilter, EffectiveRoleRow, EffectiveRole>({
  name: "ListEffectiveRoles",
  from: toUser("").from,
  columns: [...columns, "'' AS group_id"],
  order: ["g.creation_date", "g.id"],
  indexes: [
    { table: "user_grants", columns: ["user_id", "creation_date", "id"], isUnique: false },
    {
      table: "group_grants",
      columns: ["group_id", "resource_owner", "creation_date", "id"],
      isUnique: false,
    },
  ],
  keyOf: ({ userId, projectId, organizationId }) => [userId, projectId, organizationId],
  partsOf: async ({ userId, projectId, organizationId, visibility }, tx) => {
    const where = [
      isInEffect(tx.now()),
      isVisible(visibility),
      ...(projectId === "" ? [] : [equals(unindexed("g.project_id"), projectId)]),
      ...(organizationId === "" ? [] : [equals(unindexed("g.resource_owner"), organizationId)]),
    ];
    const toGroups = (await listToGroups(tx, userId, inEffect("m", tx.now()))).map(
      (grants): ListPart => ({
        from: grants.from,
        columns: [...columns, "g.group_id"],
        where: [grants.where, ...where],
        isUnordered: true,
      }),
    );
    return [{ where: [toUser(userId).where, ...where] }, ...toGroups];
  },
  toItems: (rows) =>
    rows.map((row) => ({
      id: row.id,
      groupId: row.group_id,
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
  const isHomely = {
    sql: `(${unindexed("g.resource_owner")} = ? OR g.held_at_home = 1)`,
    parameters: [homeId],
  };
  const where = allOf([isInEffect(tx.now()), equals(unindexed("g.project_id"), projectId), isHomely]);
  const asked = { columns: "g.id", where, when: inEffect("m", tx.now()) };
  return (await readGrants(tx, userId, asked)).rows.length > 0;
}

/** Roles that a user has in effect in a project, and the organization that gave them. */
export interface RolesInEffect {
  readonly projectId: ProjectId;
  readonly roleKeys: readonly string[];
  readonly organizationId: OrganizationId;
  readonly organizationName: string;
  /** When they end, unless something changes before; undefined: never. */
  readonly endDate: Instant | undefined;
}

interface ToldRow extends EffectiveRoleRow {
  readonly giver_name: string;
  readonly end_date: Instant | null;
  /** The end of the project grant. */
  readonly source_end_date: Instant | null;
}

/** Lists the roles that the user has in effect in these projects, oldest grant first: what tokens tell. */
export async function listRolesInEffect(
  tx: ReadTransaction,
  userId: string,
  projectIds: readonly string[],
): Promise<readonly RolesInEffect[]> {
  if (projectIds.length === 0) return [];
  const where = allOf([isInEffect(tx.now()), isAmong(unindexed("g.project_id"), projectIds)]);
  const { rows, ends } = await readGrants<ToldRow>(tx, userId, {
    columns: `g.project_id, g.role_keys, g.resource_owner, giver.name AS giver_name, g.creation_date, g.id, g.end_date,
      pg.end_date AS source_end_date`,
    where,
    when: inEffect("m", tx.now()),
  });
  return rows.toSorted(oldestFirst).map((row) => ({
    projectId: row.project_id,
    roleKeys: toRoleKeys(row),
    organizationId: row.resource_owner,
    organizationName: row.giver_name,
    endDate: earliest([row.end_date, row.source_end_date, ends.get(row.id)]),
  }));
}
