import { type ReadTransaction, type SqlValue, toInList, type WriteTransaction } from "../../base/database.ts";
import { type DetailsRow, toDetails } from "../../base/details.ts";
import type { OrganizationId, ProjectGrantId, ProjectId } from "../../base/ids.ts";
import { behind, mergePages, type PageQuery } from "../../base/paging.ts";
import type { Appliers } from "../../events/event.ts";
import type { NamedProjectGrant, ProjectGrant } from "./project-grant.ts";

/** How events fill the tables of project grants; part of the projection of projects. */
export const projectGrantAppliers: Appliers = {
  "project_grant.added": async (tx, { aggregateId, resourceOwner, date, payload }) => {
    await tx.run(
      `INSERT INTO stored_project_grants (id, sequence, creation_date, resource_owner, state, project_id, granted_organization_id)
         VALUES (?, ?, ?, ?, 'ACTIVE', ?, ?)`,
      [aggregateId, date, date, resourceOwner, payload.project_id, payload.granted_organization_id],
    );
    await insertRoles(tx, aggregateId, payload.role_keys);
  },
  "project_grant.changed": async (tx, { aggregateId, date, payload }) => {
    await tx.run("UPDATE stored_project_grants SET sequence = ? WHERE id = ?", [date, aggregateId]);
    await tx.run("DELETE FROM project_grant_roles WHERE project_grant_id = ?", [aggregateId]);
    await insertRoles(tx, aggregateId, payload.role_keys);
  },
  "project_grant.deactivated": async (tx, { aggregateId, date }) => {
    await tx.run("UPDATE stored_project_grants SET state = 'INACTIVE', sequence = ? WHERE id = ?", [
      date,
      aggregateId,
    ]);
  },
  "project_grant.reactivated": async (tx, { aggregateId, date }) => {
    await tx.run("UPDATE stored_project_grants SET state = 'ACTIVE', sequence = ? WHERE id = ?", [
      date,
      aggregateId,
    ]);
  },
  "project_grant.removed": async (tx, { aggregateId }) => {
    await removeProjectGrants(tx, "id = ?", aggregateId);
  },
};

/** Removes the project grants that fulfil the condition on their columns, with their roles. */
export async function removeProjectGrants(
  tx: WriteTransaction,
  condition: "id = ?" | "project_id = ?",
  id: string,
): Promise<void> {
  await tx.run(
    `DELETE FROM project_grant_roles WHERE project_grant_id IN (SELECT id FROM stored_project_grants WHERE ${condition})`,
    [id],
  );
  await tx.run(`DELETE FROM stored_project_grants WHERE ${condition}`, [id]);
}

/** Returns the project grant with its roles, whoever owns or holds it, or undefined. */
export async function findProjectGrant(
  tx: ReadTransaction,
  id: string,
): Promise<NamedProjectGrant | undefined> {
  const [grant] = await readProjectGrants(tx, "g.id = ?", [id]);
  return grant;
}

/** Returns the grant of the project to that organization, or undefined. */
export async function findProjectGrantTo(
  tx: ReadTransaction,
  projectId: string,
  grantedOrganizationId: OrganizationId,
): Promise<NamedProjectGrant | undefined> {
  const [grant] = await readProjectGrants(tx, "g.project_id = ? AND g.granted_organization_id = ?", [
    projectId,
    grantedOrganizationId,
  ]);
  return grant;
}

/** Which project grants a list holds: those of a project, or those that an organization was made. */
export type ProjectGrantFilter =
  | { readonly projectId: ProjectId }
  | {
      readonly grantedOrganizationId: OrganizationId;
      /** Project grants that the caller may see: all of the organization, or these. */
      readonly projectGrants: "all" | ReadonlySet<string>;
    };

/** Returns project grants, oldest first. */
export async function listProjectGrants(
  tx: ReadTransaction,
  filter: ProjectGrantFilter,
  page: PageQuery,
): Promise<readonly NamedProjectGrant[]> {
  const { sql, parameters } = whereOf(filter);
  const position = behind(page, "g.creation_date, g.id");
  const condition = `${sql} AND ${position.sql}`;
  const bound = [...parameters, ...position.parameters];
  if ("projectGrants" in filter && filter.projectGrants !== "all")
    return await mergePages(page, [() => readProjectGrants(tx, condition, bound)]);
  return await readProjectGrants(tx, `${condition} ORDER BY g.creation_date, g.id LIMIT ?`, [
    ...bound,
    page.limit,
  ]);
}

/** Counts project grants, up to `limit`. */
export async function countProjectGrants(
  tx: ReadTransaction,
  filter: ProjectGrantFilter,
  limit: number,
): Promise<number> {
  const { sql, parameters } = whereOf(filter);
  const row = await tx.get<{ total: number }>(
    `SELECT COUNT(*) AS total FROM (SELECT g.id FROM project_grants g WHERE ${sql} LIMIT ?) AS counted`,
    [...parameters, limit],
  );
  return row?.total ?? 0;
}

interface ProjectGrantRow extends DetailsRow {
  readonly id: ProjectGrantId;
  readonly state: ProjectGrant["state"];
  readonly project_id: ProjectId;
  readonly project_name: string;
  readonly granted_organization_id: OrganizationId;
}

async function readProjectGrants(
  tx: ReadTransaction,
  condition: string,
  parameters: readonly SqlValue[],
): Promise<readonly NamedProjectGrant[]> {
  const rows = await tx.all<ProjectGrantRow>(
    `SELECT g.*, p.name AS project_name FROM project_grants g JOIN projects p ON p.id = g.project_id WHERE ${condition}`,
    parameters,
  );
  const roleKeys = await readRoleKeys(
    tx,
    rows.map((row) => row.id),
  );
  return rows.map((row) => ({
    id: row.id,
    details: toDetails(row),
    state: row.state,
    projectId: row.project_id,
    projectName: row.project_name,
    grantedOrganizationId: row.granted_organization_id,
    roleKeys: roleKeys.get(row.id) ?? [],
  }));
}

/** Returns the roles of each of the grants, in the order in which they were given. */
async function readRoleKeys(
  tx: ReadTransaction,
  grantIds: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  if (grantIds.length === 0) return new Map();
  const ids = toInList(grantIds);
  const rows = await tx.all<{ project_grant_id: string; role_key: string; position: number }>(
    `SELECT * FROM project_grant_roles WHERE project_grant_id IN ${ids.sql}`,
    ids.parameters,
  );
  const roleKeys = new Map<string, string[]>(grantIds.map((id) => [id, []]));
  for (const row of rows.toSorted((left, right) => left.position - right.position))
    roleKeys.get(row.project_grant_id)?.push(row.role_key);
  return roleKeys;
}

async function insertRoles(
  tx: WriteTransaction,
  grantId: string,
  roleKeys: readonly string[],
): Promise<void> {
  for (const [position, key] of roleKeys.entries()) {
    await tx.run("INSERT INTO project_grant_roles (project_grant_id, role_key, position) VALUES (?, ?, ?)", [
      grantId,
      key,
      position,
    ]);
  }
}

function whereOf(filter: ProjectGrantFilter) {
  if ("projectId" in filter) return { sql: "g.project_id = ?", parameters: [filter.projectId] };
  const { grantedOrganizationId, projectGrants } = filter;
  if (projectGrants === "all")
    return { sql: "g.granted_organization_id = ?", parameters: [grantedOrganizationId] };
  // Not the bare column: its index would lead through all grants of the organization, the ids are few.
  const list = toInList([...projectGrants]);
  return {
    sql: `g.granted_organization_id || '' = ? AND g.id IN ${list.sql}`,
    parameters: [grantedOrganizationId, ...list.parameters],
  };
}
