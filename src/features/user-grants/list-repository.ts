import { type ReadTransaction, type SqlValue, toInList } from "../../base/database.ts";
import { toDetails } from "../../base/details.ts";
import type { OrganizationId } from "../../base/ids.ts";
import { behind, mergeCounts, mergePages, type PageQuery } from "../../base/paging.ts";
import type { Access } from "../../base/permission.ts";
import { toUserGrant, type UserGrantRow } from "./grant-rows.ts";
import type { UserGrant } from "./user-grant.ts";

/** Which grants a caller wants to see. Empty texts = any. */
export interface UserGrantFilter {
  readonly userId: string;
  readonly projectId: string;
  readonly roleKey: string;
}

/** Returns the grants of the organization acted on that are open to the caller, oldest first. */
export async function listUserGrants(
  tx: ReadTransaction,
  asked: { readonly access: Access; readonly filter: UserGrantFilter },
  page: PageQuery,
): Promise<readonly UserGrant[]> {
  const slices = await slicesOf(tx, asked.access, asked.filter);
  const found = await mergePages(
    page,
    slices.map((slice) => (query) => readSlice(tx, slice, query)),
  );
  return found.map(({ row }) => toUserGrant(row));
}

/** Counts the same grants, up to `limit`. */
export async function countUserGrants(
  tx: ReadTransaction,
  asked: { readonly access: Access; readonly filter: UserGrantFilter },
  limit: number,
): Promise<number> {
  const slices = await slicesOf(tx, asked.access, asked.filter);
  return await mergeCounts(
    limit,
    slices.map((slice) => (most) => countSlice(tx, slice, most)),
  );
}

/** A part of the list that one query reads on an index, in the order of the list. */
interface Slice {
  readonly from: "user_grants g" | "user_grant_roles r JOIN user_grants g ON g.id = r.user_grant_id";
  /** The columns of the order: the last two of the index. */
  readonly order: "g.creation_date, g.id" | "r.creation_date, r.user_grant_id";
  readonly conditions: readonly Condition[];
}

interface Condition {
  readonly sql: string;
  readonly parameters: readonly SqlValue[];
}

/**
 * Chooses the queries. A user has few grants, so his index leads wherever he is named; then the project; then the role.
 * A caller to whom single projects are open reads those one by one.
 */
async function slicesOf(
  tx: ReadTransaction,
  access: Access,
  filter: UserGrantFilter,
): Promise<readonly Slice[]> {
  const { organizationId } = access;
  if (filter.userId !== "") return [sliceOfUser(access, filter)];
  if (access.projects !== "all" || access.projectGrants !== "all") {
    const open = await listOpenBases(tx, access);
    return open
      .filter(({ projectId }) => filter.projectId === "" || filter.projectId === projectId)
      .map(({ projectId, projectGrantId }) => {
        const { from, order, conditions } = sliceOfRole(organizationId, projectId, filter.roleKey);
        return { from, order, conditions: [...conditions, equals("g.project_grant_id", projectGrantId)] };
      });
  }
  return [sliceOfRole(organizationId, filter.projectId, filter.roleKey)];
}

/** The grants that hold a role are found by the rows of their roles, which know project and organization. */
function sliceOfRole(organizationId: OrganizationId, projectId: string, roleKey: string): Slice {
  const on = (table: "g" | "r") => [
    ...(projectId === "" ? [] : [equals(`${table}.project_id`, projectId)]),
    equals(`${table}.resource_owner`, organizationId),
  ];
  if (roleKey === "") return sliceOf(...on("g"));
  return {
    from: "user_grant_roles r JOIN user_grants g ON g.id = r.user_grant_id",
    order: "r.creation_date, r.user_grant_id",
    conditions: [...on("r"), equals("r.role_key", roleKey)],
  };
}

function sliceOfUser(access: Access, filter: UserGrantFilter): Slice {
  return sliceOf(
    equals("g.user_id", filter.userId),
    // Not the bare columns: the indexes that begin with them lead through more, or in another order.
    equals("g.resource_owner || ''", access.organizationId),
    ...(filter.projectId === "" ? [] : [equals("g.project_id || ''", filter.projectId)]),
    ...hasRole(filter.roleKey),
    ...isOpen(access),
  );
}

/** What the caller's roles open, each with its project; the project grant is empty for an owned project. */
async function listOpenBases(tx: ReadTransaction, access: Access) {
  const projects = access.projects === "all" ? [] : [...access.projects];
  const owned = projects.map((projectId) => ({ projectId, projectGrantId: "" }));
  if (access.projectGrants === "all" || access.projectGrants.size === 0) return owned;
  const list = toInList([...access.projectGrants]);
  const granted = await tx.all<{ projectId: string; projectGrantId: string }>(
    `SELECT project_id AS "projectId", id AS "projectGrantId" FROM project_grants WHERE id IN ${list.sql}`,
    list.parameters,
  );
  return [...owned, ...granted];
}

function isOpen({ projects, projectGrants }: Access): readonly Condition[] {
  if (projects === "all" || projectGrants === "all") return [];
  const owned = toInList([...projects]);
  const granted = toInList([...projectGrants]);
  return [
    {
      sql: `CASE WHEN g.project_grant_id = '' THEN g.project_id IN ${owned.sql} ELSE g.project_grant_id IN ${granted.sql} END`,
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

function equals(column: string, value: string): Condition {
  return { sql: `${column} = ?`, parameters: [value] };
}

function sliceOf(...conditions: readonly Condition[]): Slice {
  return { from: "user_grants g", order: "g.creation_date, g.id", conditions };
}

async function readSlice(tx: ReadTransaction, slice: Slice, page: PageQuery) {
  const { sql, parameters } = whereOf([...slice.conditions, behind(page, slice.order)]);
  const rows = await tx.all<UserGrantRow>(
    `SELECT g.* FROM ${slice.from} WHERE ${sql} ORDER BY ${slice.order} LIMIT ?`,
    [...parameters, page.limit],
  );
  return rows.map((row) => ({ id: row.id, details: toDetails(row), row }));
}

async function countSlice(tx: ReadTransaction, slice: Slice, limit: number): Promise<number> {
  const { sql, parameters } = whereOf(slice.conditions);
  const row = await tx.get<{ total: number }>(
    `SELECT COUNT(*) AS total FROM (SELECT g.id FROM ${slice.from} WHERE ${sql} LIMIT ?) AS counted`,
    [...parameters, limit],
  );
  return row?.total ?? 0;
}

function whereOf(conditions: readonly Condition[]): Condition {
  return {
    sql: conditions.map((condition) => condition.sql).join(" AND "),
    parameters: conditions.flatMap((condition) => condition.parameters),
  };
}
