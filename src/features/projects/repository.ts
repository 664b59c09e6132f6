import { type ReadTransaction, toInList, type WriteTransaction } from "../../base/database.ts";
import { type DetailsRow, toDetails } from "../../base/details.ts";
import { foldName } from "../../base/folding.ts";
import { type OrganizationId, type ProjectId, toId } from "../../base/ids.ts";
import { behind, mergePages, type PageQuery } from "../../base/paging.ts";
import { type Access, opensProject } from "../../base/permission.ts";
import type { ProjectSettingsPayload } from "../../events/catalogue.ts";
import type { Projection } from "../../events/event.ts";
import { type Project, projectNotFound } from "./project.ts";
import { projectGrantAppliers, removeProjectGrants } from "./project-grant-repository.ts";
import { roleAppliers } from "./role-repository.ts";

export const projectProjection: Projection = {
  tables: ["stored_projects", "project_roles", "stored_project_grants", "project_grant_roles"],
  on: {
    "project.added": async (tx, { aggregateId, resourceOwner, date, payload }) => {
      await tx.run(
        `INSERT INTO stored_projects (name, folded_name, project_role_assertion, project_role_check, has_project_check,
           private_labeling_setting, sequence, id, creation_date, resource_owner, state)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'ACTIVE')`,
        [...toColumns(payload), date, aggregateId, date, resourceOwner],
      );
    },
    "project.changed": async (tx, { aggregateId, date, payload }) => {
      await tx.run(
        `UPDATE stored_projects SET name = ?, folded_name = ?, project_role_assertion = ?, project_role_check = ?,
           has_project_check = ?, private_labeling_setting = ?, sequence = ? WHERE id = ?`,
        [...toColumns(payload), date, aggregateId],
      );
    },
    "project.deactivated": async (tx, { aggregateId, date }) => {
      await tx.run("UPDATE stored_projects SET state = 'INACTIVE', sequence = ? WHERE id = ?", [
        date,
        aggregateId,
      ]);
    },
    "project.reactivated": async (tx, { aggregateId, date }) => {
      await tx.run("UPDATE stored_projects SET state = 'ACTIVE', sequence = ? WHERE id = ?", [
        date,
        aggregateId,
      ]);
    },
    "project.removed": async (tx, { aggregateId }) => {
      await removeProject(tx, aggregateId);
    },
    ...roleAppliers,
    ...projectGrantAppliers,
  },
  owned: [
    {
      ids: "SELECT id FROM stored_project_grants WHERE granted_organization_id = ?",
      removal: "project_grant.removed",
    },
    { ids: "SELECT id FROM stored_projects WHERE resource_owner = ?", removal: "project.removed" },
  ],
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

/** Returns the project if it belongs to the organization acted on and is open to the caller. Raises NOT_FOUND. */
export async function getProject(tx: ReadTransaction, access: Access, id: string): Promise<Project> {
  const project = await findProject(tx, access.organizationId, id);
  if (project === undefined || !opensProject(access, id)) throw projectNotFound(id);
  return project;
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
  const query = `SELECT * FROM projects WHERE ${sql} AND ${position.sql}`;
  const bound = [...parameters, ...position.parameters];
  if (filter.projects !== "all") {
    const open = (await tx.all<ProjectRow>(query, bound)).map(toProject);
    return await mergePages(page, [async () => open]);
  }
  const rows = await tx.all<ProjectRow>(`${query} ORDER BY creation_date, id LIMIT ?`, [
    ...bound,
    page.limit,
  ]);
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

interface ProjectRow extends DetailsRow {
  readonly id: ProjectId;
  readonly state: Project["state"];
  readonly name: string;
  readonly project_role_assertion: number;
  readonly project_role_check: number;
  readonly has_project_check: number;
  readonly private_labeling_setting: string;
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

async function removeProject(tx: WriteTransaction, id: string): Promise<void> {
  await removeProjectGrants(tx, "project_id = ?", id);
  await tx.run("DELETE FROM project_roles WHERE project_id = ?", [id]);
  await tx.run("DELETE FROM stored_projects WHERE id = ?", [id]);
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

/**
 * Ids lead where they are named: nobody holds roles on more than a few. The other columns are not bare then, for their
 * indexes would lead through all projects of the organization.
 */
function whereOf({ organizationId, projects, name, state }: ProjectFilter) {
  const column = (bare: string) => (projects === "all" ? bare : `${bare} || ''`);
  const conditions = [`${column("resource_owner")} = ?`];
  const parameters: string[] = [organizationId];
  if (projects !== "all") {
    const list = toInList([...projects]);
    conditions.push(`id IN ${list.sql}`);
    parameters.push(...list.parameters);
  }
  if (name !== "") {
    conditions.push(`${column("folded_name")} = ?`);
    parameters.push(foldName(name));
  }
  if (state !== undefined) {
    conditions.push(`${column("state")} = ?`);
    parameters.push(state);
  }
  return { sql: conditions.join(" AND "), parameters };
}
