import type { ReadTransaction } from "../../kernel/base/database.ts";
import type { OrganizationId, ProjectId } from "../../kernel/base/ids.ts";
import { isAmong } from "../../kernel/base/sql.ts";

/** A project that an organization has at this instant. */
export interface ProjectInReach {
  readonly id: ProjectId;
  readonly name: string;
  readonly organizationId: OrganizationId;
  readonly organizationName: string;
  /** The roles of the project grant that the organization has it by; undefined: it owns the project. */
  readonly roleKeys: readonly string[] | undefined;
}

/**
 * Lists those of the projects that the organization owns, or has by a project grant, as far as all of it is ACTIVE: the project, its
 * owner, and the grant. In no order. Says nothing about the state of the organization itself.
 */
export async function listProjectsInReach(
  tx: ReadTransaction,
  organizationId: string,
  projectIds: readonly string[],
): Promise<readonly ProjectInReach[]> {
  if (projectIds.length === 0) return [];
  const asked = isAmong("p.id", projectIds);
  const rows = await tx.all<ProjectInReachRow>(
    `SELECT p.id, p.name, p.resource_owner, o.name AS organization_name, g.id AS grant_id
     FROM projects p JOIN organizations o ON o.id = p.resource_owner
       LEFT JOIN project_grants g ON g.project_id = p.id AND g.granted_organization_id = ? AND g.state = 'ACTIVE'
     WHERE ${asked.sql} AND p.state = 'ACTIVE' AND o.state = 'ACTIVE' AND (p.resource_owner = ? OR g.id IS NOT NULL)`,
    [organizationId, ...asked.parameters, organizationId],
  );
  const byGrant = rows.flatMap((row) => (row.resource_owner === organizationId ? [] : (row.grant_id ?? [])));
  const keys = await listKeys(tx, byGrant);
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    organizationId: row.resource_owner,
    organizationName: row.organization_name,
    roleKeys: row.resource_owner === organizationId ? undefined : (keys.get(row.grant_id ?? "") ?? []),
  }));
}

async function listKeys(
  tx: ReadTransaction,
  grantIds: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  if (grantIds.length === 0) return new Map();
  const among = isAmong("project_grant_id", grantIds);
  const rows = await tx.all<{ readonly project_grant_id: string; readonly role_key: string }>(
    `SELECT project_grant_id, role_key FROM project_grant_roles WHERE ${among.sql}`,
    among.parameters,
  );
  const byGrant = Map.groupBy(rows, (row) => row.project_grant_id);
  return new Map([...byGrant].map(([id, ofGrant]) => [id, ofGrant.map((row) => row.role_key)]));
}

interface ProjectInReachRow {
  readonly id: ProjectId;
  readonly name: string;
  readonly resource_owner: OrganizationId;
  readonly organization_name: string;
  readonly grant_id: string | null;
}
