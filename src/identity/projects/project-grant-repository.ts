import type { ReadTransaction, WriteTransaction } from "../../kernel/base/database.ts";
import { type DetailsRow, detailsColumns, toDetails } from "../../kernel/base/details.ts";
import type { OrganizationId, ProjectGrantId, ProjectId } from "../../kernel/base/ids.ts";
import type { Instant } from "../../kernel/base/clock.ts";
import { defineList, type FilterColumn } from "../../kernel/base/list.ts";
import { allOf, type Condition, equals, insertSql, isAmong, updateSql } from "../../kernel/base/sql.ts";
import type { Appliers } from "../../kernel/events/event.ts";
import {
  endsBefore,
  periodColumns,
  type PeriodRow,
  toPeriod,
  toPeriodValues,
} from "../rights-in-time/period-columns.ts";
import type { NamedProjectGrant, ProjectGrant } from "./project-grant.ts";

const stored = ["id", "state", ...detailsColumns, "project_id", "granted_organization_id", ...periodColumns];
const insertGrant = insertSql("stored_project_grants", stored);
const updateState = updateSql("stored_project_grants", ["state", "sequence"]);
const updatePeriod = updateSql("stored_project_grants", [...periodColumns, "sequence"]);

const columns = [
  ...stored,
  "(SELECT name FROM projects WHERE projects.id = project_grants.project_id) AS project_name",
];

/** Appliers of project grants; part of the projection of projects. */
export const projectGrantAppliers: Appliers = {
  "project_grant.added": async (tx, { aggregateId, resourceOwner, date, payload }) => {
    const { project_id: projectId, granted_organization_id: grantedOrganizationId } = payload;
    const values = [aggregateId, "ACTIVE", date, date, resourceOwner, projectId, grantedOrganizationId];
    await tx.run(insertGrant, [...values, ...toPeriodValues(payload)]);
    await insertRoles(tx, aggregateId, payload.role_keys);
  },
  "project_grant.changed": async (tx, { aggregateId, date, payload }) => {
    await tx.run(updatePeriod, [...toPeriodValues(payload), date, aggregateId]);
    await tx.run("DELETE FROM project_grant_roles WHERE project_grant_id = ?", [aggregateId]);
    await insertRoles(tx, aggregateId, payload.role_keys);
  },
  "project_grant.deactivated": async (tx, { aggregateId, date }) => {
    await tx.run(updateState, ["INACTIVE", date, aggregateId]);
  },
  "project_grant.reactivated": async (tx, { aggregateId, date }) => {
    await tx.run(updateState, ["ACTIVE", date, aggregateId]);
  },
  "project_grant.removed": async (tx, { aggregateId }) => {
    await removeProjectGrants(tx, "id = ?", aggregateId);
  },
};

/** Removes the project grants that match the condition, with their roles. */
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

/** Returns the project grant with its roles, whatever organization owns or holds it, or undefined. */
export async function findProjectGrant(
  tx: ReadTransaction,
  id: string,
): Promise<NamedProjectGrant | undefined> {
  return await findOne(tx, equals("id", id));
}

/** Returns the grant of the project to that organization, or undefined. */
export async function findProjectGrantTo(
  tx: ReadTransaction,
  projectId: string,
  grantedOrganizationId: OrganizationId,
): Promise<NamedProjectGrant | undefined> {
  const granted = equals("granted_organization_id", grantedOrganizationId);
  return await findOne(tx, allOf([equals("project_id", projectId), granted]));
}

/** Filters of a list of project grants. */
export interface ProjectGrantFilter {
  /** Those that are not over and end before it, in the order of their ends. Absent: all. */
  readonly expiresBefore?: Instant | undefined;
}

const byEnd: FilterColumn = { column: "end_date", toCondition: endsBefore, isEnd: true };

/** The grants of a project. */
export const projectGrantList = defineList<ProjectGrantFilter, ProjectGrantRow, NamedProjectGrant>({
  name: "ListProjectGrants",
  from: "project_grants",
  of: "project_id",
  columns,
  filters: { expiresBefore: byEnd },
  toItems: toProjectGrants,
});

/** The grants that were made to an organization. */
export const grantedProjectList = defineList<ProjectGrantFilter, ProjectGrantRow, NamedProjectGrant>({
  name: "ListGrantedProjects",
  from: "project_grants",
  of: "granted_organization_id",
  columns,
  filters: { expiresBefore: byEnd },
  toItems: toProjectGrants,
});

interface ProjectGrantRow extends DetailsRow, PeriodRow {
  readonly id: ProjectGrantId;
  readonly state: ProjectGrant["state"];
  readonly project_id: ProjectId;
  readonly project_name: string;
  readonly granted_organization_id: OrganizationId;
}

async function findOne(tx: ReadTransaction, where: Condition): Promise<NamedProjectGrant | undefined> {
  const sql = `SELECT ${columns.join(", ")} FROM project_grants WHERE ${where.sql}`;
  const [grant] = await toProjectGrants(await tx.all<ProjectGrantRow>(sql, where.parameters), tx);
  return grant;
}

async function toProjectGrants(
  rows: readonly ProjectGrantRow[],
  tx: ReadTransaction,
): Promise<readonly NamedProjectGrant[]> {
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
    ...toPeriod(row),
  }));
}

/** Reads the roles of each of the grants, in the order in which they were given. */
async function readRoleKeys(
  tx: ReadTransaction,
  grantIds: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  if (grantIds.length === 0) return new Map();
  const { sql, parameters } = isAmong("project_grant_id", grantIds);
  const rows = await tx.all<{ project_grant_id: string; role_key: string; position: number }>(
    `SELECT project_grant_id, role_key, position FROM project_grant_roles WHERE ${sql}`,
    parameters,
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
