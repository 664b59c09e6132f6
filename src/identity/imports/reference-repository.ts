import type { ReadTransaction } from "../../kernel/base/database.ts";
import { hasName } from "../../kernel/base/names/unique-name.ts";
import { unindexed } from "../../kernel/base/sql.ts";

/** Finds the projects that the organization owns, with that id or name. */
export async function findProjectIds(
  tx: ReadTransaction,
  organizationId: string,
  named: string,
): Promise<readonly string[]> {
  const name = hasName("folded_name", named);
  const rows = await tx.all<{ id: string }>(
    `SELECT id FROM projects WHERE resource_owner = ? AND ${name.sql}
     UNION SELECT id FROM projects WHERE id = ? AND ${unindexed("resource_owner")} = ?`,
    [organizationId, ...name.parameters, named, organizationId],
  );
  return rows.map(({ id }) => id);
}

/** Finds the groups of the organization with that id or name. */
export async function findGroupIds(
  tx: ReadTransaction,
  organizationId: string,
  named: string,
): Promise<readonly string[]> {
  const name = hasName("folded_name", named);
  const rows = await tx.all<{ id: string }>(
    `SELECT id FROM groups WHERE resource_owner = ? AND ${name.sql}
     UNION SELECT id FROM groups WHERE id = ? AND ${unindexed("resource_owner")} = ?`,
    [organizationId, ...name.parameters, named, organizationId],
  );
  return rows.map(({ id }) => id);
}

/** Finds the identity providers of the organization with that id or name. */
export async function findProviderIds(
  tx: ReadTransaction,
  organizationId: string,
  named: string,
): Promise<readonly string[]> {
  const name = hasName("folded_name", named);
  const rows = await tx.all<{ id: string }>(
    `SELECT id FROM identity_providers WHERE resource_owner = ? AND ${name.sql}
     UNION SELECT id FROM identity_providers WHERE id = ? AND ${unindexed("resource_owner")} = ?`,
    [organizationId, ...name.parameters, named, organizationId],
  );
  return rows.map(({ id }) => id);
}

/** Returns the keys of all roles of a project. */
export async function listRolesOf(tx: ReadTransaction, projectId: string): Promise<ReadonlySet<string>> {
  const rows = await tx.all<{ role_key: string }>("SELECT role_key FROM project_roles WHERE project_id = ?", [
    projectId,
  ]);
  return new Set(rows.map((row) => row.role_key));
}

const tables = {
  project: "projects",
  group: "groups",
  application: "applications",
  identity_provider: "identity_providers",
  service_user: "users",
} as const;

/** Says whether the object exists in the organization. */
export async function isInOrganization(
  tx: ReadTransaction,
  kind: keyof typeof tables,
  { id, organizationId }: { readonly id: string; readonly organizationId: string },
): Promise<boolean> {
  const row = await tx.get<{ home: string }>(
    `SELECT resource_owner AS home FROM ${tables[kind]} WHERE id = ?`,
    [id],
  );
  return row?.home === organizationId;
}
