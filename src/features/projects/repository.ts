import { type ReadTransaction, toInList, type WriteTransaction } from "../../base/database.ts";
import { type DetailsRow, toDetails } from "../../base/details.ts";
import { foldName } from "../../base/folding.ts";
import { type OrganizationId, type ProjectGrantId, type ProjectId, toId } from "../../base/ids.ts";
import { behind, type PageQuery } from "../../base/paging.ts";
import type { ProjectSettingsPayload } from "../../events/catalogue.ts";
import type { Projection } from "../../events/event.ts";
import type { Project } from "./project.ts";
import type { ProjectGrant } from "./project-grant.ts";

export const projectProjection: Projection = {
  tables: ["projects", "project_roles", "project_grants", "project_grant_roles"],
  on: {
    "project.added": async (tx, { aggregateId, resourceOwner, date, payload }) => {
      await tx.run(
        `INSERT INTO projects (name, folded_name, project_role_assertion, project_role_check, has_project_check,
           private_labeling_setting, sequence, id, creation_date, resource_owner, state)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'ACTIVE')`,
        [...toColumns(payload), date, aggregateId, date, resourceOwner],
      );
    },
    "project.changed": async (tx, { aggregateId, date, payload }) => {
      await tx.run(
        `UPDATE projects SET name = ?, folded_name = ?, project_role_assertion = ?, project_role_check = ?,
           has_project_check = ?, private_labeling_setting = ?, sequence = ? WHERE id = ?`,
        [...toColumns(payload), date, aggregateId],
      );
    },
    "project.role.added": async (tx, { aggregateId, resourceOwner, date, payload }) => {
      await tx.run(
        `INSERT INTO project_roles (project_id, role_key, sequence, creation_date, resource_owner, display_name, role_group)
         VALUES (?, ?, ?, ?, ?, ?, ?)`,
        [aggregateId, payload.role_key, date, date, resourceOwner, payload.display_name, payload.group],
      );
    },
    "project_grant.added": async (tx, { aggregateId, resourceOwner, date, payload }) => {
      await tx.run(
        `INSERT INTO project_grants (id, sequence, creation_date, resource_owner, state, project_id, granted_organization_id)
         VALUES (?, ?, ?, ?, 'ACTIVE', ?, ?)`,
        [aggregateId, date, date, resourceOwner, payload.project_id, payload.granted_organization_id],
      );
      await insertGrantRoles(tx, aggregateId, payload.role_keys);
    },
  },
};

/** Returns the project of that organization, or undefined. */
export async function findProject(
  tx: ReadTransaction,
  organizationId: OrganizationId,
  id: string,
): Promise<Project | undefined> {
  const row = await tx.get<ProjectRow>("SELECT * FROM projects WHERE id = ? AND resource_owner = ?", [
    id,
    organizationId,
  ]);
  return row === undefined ? undefined : toProject(row);
}

/** Returns the organization that owns the project, or undefined when there is no such project. */
export async function findProjectOwner(tx: ReadTransaction, id: string): Promise<OrganizationId | undefined> {
  const row = await tx.get<{ resource_owner: string }>("SELECT resource_owner FROM projects WHERE id = ?", [
    id,
  ]);
  return row === undefined ? undefined : toId(row.resource_owner);
}

/** Says whether a project of the organization, other than `exceptId`, has a name that counts as the same. */
export async function isProjectNameTaken(
  tx: ReadTransaction,
  organizationId: OrganizationId,
  name: string,
  exceptId?: ProjectId,
): Promise<boolean> {
  const row = await tx.get<{ id: string }>(
    "SELECT id FROM projects WHERE resource_owner = ? AND folded_name = ?",
    [organizationId, foldName(name)],
  );
  return row !== undefined && row.id !== exceptId;
}

export interface ProjectFilter {
  readonly organizationId: OrganizationId;
  /** Projects that the caller may see: all of the organization, or these. */
  readonly projects: "all" | ReadonlySet<string>;
  /** Compared as unique names are; empty = every name. */
  readonly name: string;
  readonly state: Project["state"] | undefined;
}

/** Returns projects, oldest first. */
export async function listProjects(
  tx: ReadTransaction,
  filter: ProjectFilter,
  page: PageQuery,
): Promise<readonly Project[]> {
  const { sql, parameters } = whereOf(filter);
  const position = behind(page);
  const rows = await tx.all<ProjectRow>(
    `SELECT * FROM projects WHERE ${sql} AND ${position.sql} ORDER BY creation_date, id LIMIT ?`,
    [...parameters, ...position.parameters, page.limit],
  );
  return rows.map(toProject);
}

/** Counts projects, up to `limit`. */
export async function countProjects(
  tx: ReadTransaction,
  filter: ProjectFilter,
  limit: number,
): Promise<number> {
  const { sql, parameters } = whereOf(filter);
  const row = await tx.get<{ total: number }>(
    `SELECT COUNT(*) AS total FROM (SELECT id FROM projects WHERE ${sql} LIMIT ?) AS counted`,
    [...parameters, limit],
  );
  return row?.total ?? 0;
}

/**
 * Returns those of the keys that are roles of the project. It asks for no others: a project may have any number, and to
 * read them all would hold up every other call.
 */
export async function listRoleKeys(
  tx: ReadTransaction,
  projectId: string,
  keys: readonly string[],
): Promise<ReadonlySet<string>> {
  const list = toInList(keys);
  const rows = await tx.all<{ role_key: string }>(
    `SELECT role_key FROM project_roles WHERE project_id = ? AND role_key IN ${list.sql}`,
    [projectId, ...list.parameters],
  );
  return new Set(rows.map((row) => row.role_key));
}

/** Returns the project grant with its roles, whoever owns or holds it, or undefined. */
export async function findProjectGrant(tx: ReadTransaction, id: string): Promise<ProjectGrant | undefined> {
  const row = await tx.get<ProjectGrantRow>("SELECT * FROM project_grants WHERE id = ?", [id]);
  return row === undefined ? undefined : await toProjectGrant(tx, row);
}

/** Returns the grant of the project to that organization, or undefined. */
export async function findProjectGrantTo(
  tx: ReadTransaction,
  projectId: string,
  grantedOrganizationId: OrganizationId,
): Promise<ProjectGrant | undefined> {
  const row = await tx.get<ProjectGrantRow>(
    "SELECT * FROM project_grants WHERE project_id = ? AND granted_organization_id = ?",
    [projectId, grantedOrganizationId],
  );
  return row === undefined ? undefined : await toProjectGrant(tx, row);
}

interface ProjectRow extends DetailsRow {
  readonly id: ProjectId;
  readonly state: Project["state"];
  readonly name: string;
  readonly project_role_assertion: number;
  readonly project_role_check: number;
  readonly has_project_check: number;
  readonly private_labeling_setting: string;
}

interface ProjectGrantRow extends DetailsRow {
  readonly id: ProjectGrantId;
  readonly state: ProjectGrant["state"];
  readonly project_id: ProjectId;
  readonly granted_organization_id: OrganizationId;
}

function toProject(row: ProjectRow): Project {
  return {
    id: row.id,
    details: toDetails(row),
    state: row.state,
    name: row.name,
    projectRoleAssertion: row.project_role_assertion === 1,
    projectRoleCheck: row.project_role_check === 1,
    hasProjectCheck: row.has_project_check === 1,
    privateLabelingSetting: row.private_labeling_setting,
  };
}

async function toProjectGrant(tx: ReadTransaction, row: ProjectGrantRow): Promise<ProjectGrant> {
  const roles = await tx.all<{ role_key: string }>(
    "SELECT role_key FROM project_grant_roles WHERE project_grant_id = ? ORDER BY position",
    [row.id],
  );
  return {
    id: row.id,
    details: toDetails(row),
    state: row.state,
    projectId: row.project_id,
    grantedOrganizationId: row.granted_organization_id,
    roleKeys: roles.map((role) => role.role_key),
  };
}

async function insertGrantRoles(
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

function toColumns(payload: ProjectSettingsPayload) {
  return [
    payload.name,
    foldName(payload.name),
    payload.project_role_assertion ? 1 : 0,
    payload.project_role_check ? 1 : 0,
    payload.has_project_check ? 1 : 0,
    payload.private_labeling_setting,
  ];
}

function whereOf(filter: ProjectFilter) {
  const conditions = ["resource_owner = ?"];
  const parameters: (string | number)[] = [filter.organizationId];
  if (filter.projects !== "all") {
    const list = toInList([...filter.projects]);
    conditions.push(`id IN ${list.sql}`);
    parameters.push(...list.parameters);
  }
  if (filter.name !== "") {
    conditions.push("folded_name = ?");
    parameters.push(foldName(filter.name));
  }
  if (filter.state !== undefined) {
    conditions.push("state = ?");
    parameters.push(filter.state);
  }
  return { sql: conditions.join(" AND "), parameters };
}
