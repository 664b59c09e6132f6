import { type ReadTransaction, toInList } from "../../kernel/base/database.ts";
import { type DetailsRow, detailsColumns, toDetails } from "../../kernel/base/details.ts";
import { defineList } from "../../kernel/base/list.ts";
import type { Appliers } from "../../kernel/events/event.ts";
import { type ProjectRole, roleNotFound } from "./role.ts";

const columns = ["role_key", ...detailsColumns, "display_name", "role_group"];

/** Appliers of roles; part of the projection of projects. */
export const roleAppliers: Appliers = {
  "project.role.added": async (tx, { aggregateId, resourceOwner, date, payload }) => {
    await tx.run(
      `INSERT INTO project_roles (project_id, role_key, sequence, creation_date, resource_owner, display_name, role_group)
         VALUES (?, ?, ?, ?, ?, ?, ?)`,
      [aggregateId, payload.role_key, date, date, resourceOwner, payload.display_name, payload.group],
    );
  },
  "project.role.changed": async (tx, { aggregateId, date, payload }) => {
    await tx.run(
      "UPDATE project_roles SET display_name = ?, role_group = ?, sequence = ? WHERE project_id = ? AND role_key = ?",
      [payload.display_name, payload.group, date, aggregateId, payload.role_key],
    );
  },
  "project.role.removed": async (tx, { aggregateId, date, payload }) => {
    const parameters = [aggregateId, payload.role_key];
    await tx.run(
      `UPDATE stored_project_grants SET sequence = ? WHERE project_id = ? AND EXISTS
         (SELECT 1 FROM project_grant_roles r WHERE r.project_grant_id = stored_project_grants.id AND r.role_key = ?)`,
      [date, ...parameters],
    );
    await tx.run(
      `DELETE FROM project_grant_roles
       WHERE project_grant_id IN (SELECT id FROM stored_project_grants WHERE project_id = ?) AND role_key = ?`,
      parameters,
    );
    await tx.run("DELETE FROM project_roles WHERE project_id = ? AND role_key = ?", parameters);
  },
};

/**
 * Returns the keys that are roles of the project. It reads only these: a project may have any number of roles, and
 * reading all would hold up other calls.
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

/** Returns the role of the project, or undefined. */
async function findProjectRole(
  tx: ReadTransaction,
  projectId: string,
  key: string,
): Promise<ProjectRole | undefined> {
  const row = await tx.get<RoleRow>(
    `SELECT ${columns.join(", ")} FROM project_roles WHERE project_id = ? AND role_key = ?`,
    [projectId, key],
  );
  return row === undefined ? undefined : toRole(row);
}

/** Returns the role of the project. Raises NOT_FOUND. */
export async function getRole(tx: ReadTransaction, projectId: string, key: string): Promise<ProjectRole> {
  const role = await findProjectRole(tx, projectId, key);
  if (role === undefined) throw roleNotFound(key);
  return role;
}

/** The roles of a project. Those that were added together come by their keys. */
export const roleList = defineList<object, RoleRow, ProjectRole>({
  name: "ListProjectRoles",
  from: "project_roles",
  of: "project_id",
  columns,
  order: ["creation_date", "role_key"],
  filters: {},
  toItems: (rows) => rows.map(toRole),
});

interface RoleRow extends DetailsRow {
  readonly role_key: string;
  readonly display_name: string;
  readonly role_group: string;
}

function toRole(row: RoleRow): ProjectRole {
  return {
    id: row.role_key,
    details: toDetails(row),
    key: row.role_key,
    displayName: row.display_name,
    group: row.role_group,
  };
}
