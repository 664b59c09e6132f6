import type { ReadTransaction } from "../../kernel/base/database.ts";
import type { OrganizationId } from "../../kernel/base/ids.ts";
import { defineListOfParts, type ListPart } from "../../kernel/base/list.ts";
import type { Instant } from "../../kernel/base/clock.ts";
import type { Access } from "../../kernel/base/permission.ts";
import { type Condition, equals, isAmong, unindexed } from "../../kernel/base/sql.ts";
import { endsBefore } from "../rights-in-time/period-columns.ts";
import { toUserGrant, userGrantColumns, type UserGrantRow } from "./grant-rows.ts";
import type { UserGrant } from "./user-grant.ts";

/** Filters of a list of grants. Empty texts = any. */
export interface UserGrantFilter {
  readonly userId: string;
  readonly projectId: string;
  readonly roleKey: string;
  /** Those that are not over and end before it, in the order of their ends. Absent: all. */
  readonly expiresBefore?: Instant | undefined;
}

/** The request for a list of grants. */
interface AskedUserGrants {
  readonly access: Access;
  readonly filter: UserGrantFilter;
}

const byRole = "user_grant_roles r JOIN user_grants g ON g.id = r.user_grant_id";

/** The grants of the organization of the call that the caller may reach. */
export const userGrantList = defineListOfParts<AskedUserGrants, UserGrantRow, UserGrant>({
  name: "ListUserGrants",
  from: "user_grants g",
  columns: userGrantColumns.map((column) => `g.${column}`),
  order: ["g.creation_date", "g.id"],
  indexes: [
    { table: "user_grants", columns: ["user_id", "creation_date", "id"], isUnique: false },
    {
      table: "user_grants",
      columns: ["project_id", "resource_owner", "creation_date", "id"],
      isUnique: false,
    },
    { table: "user_grants", columns: ["resource_owner", "creation_date", "id"], isUnique: false },
    { table: "user_grants", columns: ["resource_owner", "end_date", "id"], isUnique: false },
    { table: "user_grants", columns: ["project_id", "resource_owner", "end_date", "id"], isUnique: false },
    ...[["project_id", "resource_owner"], ["resource_owner"]].map((columns) => ({
      table: "user_grant_roles",
      columns: [...columns, "role_key", "creation_date", "user_grant_id"],
      isUnique: false,
    })),
  ],
  keyOf: ({ filter: { userId, projectId, roleKey, expiresBefore = "" } }) => [
    userId,
    projectId,
    roleKey,
    expiresBefore,
  ],
  isByEnd: ({ filter }) => filter.expiresBefore !== undefined,
  partsOf: chooseParts,
  toItems: (rows) => rows.map(toUserGrant),
});

/**
 * Chooses the queries. A user has few grants, so the index by user comes first if one is named; then the project;
 * then the role. For a caller with roles on single projects, each project is a part.
 */
async function chooseParts(
  { access, filter }: AskedUserGrants,
  tx: ReadTransaction,
): Promise<readonly ListPart[]> {
  const { organizationId } = access;
  const ends = endsBy(filter, tx.now());
  if (filter.userId !== "") return [partOfUser(access, filter, ends)];
  if (access.projects !== "all" || access.projectGrants !== "all") {
    const open = await listOpenSources(tx, access);
    return open
      .filter(({ projectId }) => filter.projectId === "" || filter.projectId === projectId)
      .map((source) => partOfRole(organizationId, { ...source, roleKey: filter.roleKey, ends }));
  }
  return [partOfRole(organizationId, { ...filter, ends })];
}

function endsBy({ expiresBefore }: UserGrantFilter, now: Instant): readonly Condition[] {
  return expiresBefore === undefined ? [] : [endsBefore("g.end_date", expiresBefore, now)];
}

/**
 * Grants with a role are found by the rows of their roles, which hold project and organization; those that end by their end, in the
 * order of which they come.
 */
function partOfRole(
  organizationId: OrganizationId,
  {
    projectId,
    projectGrantId,
    roleKey,
    ends,
  }: {
    readonly projectId: string;
    readonly projectGrantId?: string;
    readonly roleKey: string;
    readonly ends: readonly Condition[];
  },
): ListPart {
  const on = (table: "g" | "r") => [
    ...(projectId === "" ? [] : [equals(`${table}.project_id`, projectId)]),
    equals(`${table}.resource_owner`, organizationId),
  ];
  // Project and organization have one source, so it leaves no fewer rows, as an engine might expect of an index on it.
  const source =
    projectGrantId === undefined ? [] : [equals(unindexed("g.project_grant_id"), projectGrantId)];
  if (ends.length > 0) return { where: [...on("g"), ...ends, ...source, ...hasRole(roleKey)] };
  if (roleKey === "") return { where: [...on("g"), ...source] };
  return {
    from: byRole,
    order: ["r.creation_date", "r.user_grant_id"],
    where: [...on("r"), equals("r.role_key", roleKey), ...source],
  };
}

function partOfUser(
  access: Access,
  { userId, projectId, roleKey }: UserGrantFilter,
  ends: readonly Condition[],
): ListPart {
  return {
    ...(ends.length > 0 ? { isUnordered: true } : {}),
    where: [
      equals("g.user_id", userId),
      equals(unindexed("g.resource_owner"), access.organizationId),
      ...(projectId === "" ? [] : [equals(unindexed("g.project_id"), projectId)]),
      ...hasRole(roleKey),
      ...ends,
      ...isOpen(access),
    ],
  };
}

/**
 * Lists the projects and project grants that the caller's roles cover. The project grant is empty for an owned
 * project.
 */
async function listOpenSources(tx: ReadTransaction, access: Access) {
  const projects = access.projects === "all" ? [] : [...access.projects];
  const owned = projects.map((projectId) => ({ projectId, projectGrantId: "" }));
  if (access.projectGrants === "all" || access.projectGrants.size === 0) return owned;
  const { sql, parameters } = isAmong("id", [...access.projectGrants]);
  const granted = await tx.all<{ projectId: string; projectGrantId: string }>(
    `SELECT project_id AS "projectId", id AS "projectGrantId" FROM project_grants WHERE ${sql}`,
    parameters,
  );
  return [...owned, ...granted];
}

/** Leaves out grants `g` that the caller's roles do not cover, if these are on single projects and project grants. */
export function isOpen({ projects, projectGrants }: Access): readonly Condition[] {
  if (projects === "all" || projectGrants === "all") return [];
  const owned = isAmong("g.project_id", [...projects]);
  const granted = isAmong("g.project_grant_id", [...projectGrants]);
  return [
    {
      sql: `CASE WHEN g.project_grant_id = '' THEN ${owned.sql} ELSE ${granted.sql} END`,
      parameters: [...owned.parameters, ...granted.parameters],
    },
  ];
}

function hasRole(roleKey: string): readonly Condition[] {
  if (roleKey === "") return [];
  const sql = `EXISTS (SELECT 1 FROM user_grant_roles h WHERE h.project_id = g.project_id
    AND h.resource_owner = g.resource_owner AND h.role_key = ? AND h.creation_date = g.creation_date
    AND h.user_grant_id = g.id)`;
  return [{ sql, parameters: [roleKey] }];
}
