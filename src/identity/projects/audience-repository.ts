import type { ReadTransaction } from "../../kernel/base/database.ts";
import type { OrganizationId, ProjectId } from "../../kernel/base/ids.ts";
import type { Instant } from "../../kernel/base/clock.ts";
import { isAmong } from "../../kernel/base/sql.ts";
import { inEffect } from "../rights-in-time/period-columns.ts";

/** A project that an organization has at this instant. */
export interface ProjectInReach {
  readonly id: ProjectId;
  readonly name: string;
  readonly organizationId: OrganizationId;
  readonly organizationName: string;
  /** The roles of the project grant that the organization has it by; undefined: it owns the project. */
  readonly roleKeys: readonly string[] | undefined;
  /** When the project grant ends; undefined: it does not, or there is none. */
  readonly endDate: Instant | undefined;
}

/**
 * Lists those of the projects that the organization owns, or has by a project grant, as far as all of it is ACTIVE: the project, its
 * owner, and the grant, whose time has come and is not over. In no order. Says nothing about the state of the organization itself.
 */
export async function listProjectsInReach(
  tx: ReadTransaction,
  organizationId: string,
  projectIds: readonly string[],
): Promise<readonly ProjectInReach[]> {
  if (projectIds.length === 0) return [];
  const asked = isAmong("p.id", projectIds);
  const rows = await tx.all<ActiveProjectRow>(
    `SELECT p.id, p.name, p.resource_owner, o.name AS organization_name
     FROM projects p JOIN organizations o ON o.id = p.resource_owner
     WHERE ${asked.sql} AND p.state = 'ACTIVE' AND o.state = 'ACTIVE'`,
    asked.parameters,
  );
  const others = rows.filter((row) => row.resource_owner !== organizationId);
  const granted = await listGrants(tx, { organizationId, projectIds: others.map((row) => row.id) });
  return rows.flatMap((row) => {
    const grant = granted.get(row.id);
    if (row.resource_owner !== organizationId && grant === undefined) return [];
    return [
      {
        id: row.id,
        name: row.name,
        organizationId: row.resource_owner,
        organizationName: row.organization_name,
        roleKeys: grant?.roleKeys,
        endDate: grant?.endDate,
      },
    ];
  });
}

/** Lists the roles and the ends of the project grants that an organization has, by their projects. */
async function listGrants(
  tx: ReadTransaction,
  asked: { readonly organizationId: string; readonly projectIds: readonly string[] },
): Promise<ReadonlyMap<string, Pick<ProjectInReach, "endDate"> & { readonly roleKeys: readonly string[] }>> {
  if (asked.projectIds.length === 0) return new Map();
  const among = isAmong("g.project_id", asked.projectIds);
  const inTime = inEffect("g", tx.now());
  const rows = await tx.all<GrantedKeyRow>(
    `SELECT g.project_id, g.end_date, r.role_key
     FROM project_grants g LEFT JOIN project_grant_roles r ON r.project_grant_id = g.id
     WHERE ${among.sql} AND g.granted_organization_id = ? AND g.state = 'ACTIVE' AND ${inTime.sql}`,
    [...among.parameters, asked.organizationId, ...inTime.parameters],
  );
  const byProject = Map.groupBy(rows, (row) => row.project_id);
  return new Map(
    [...byProject].map(([id, ofGrant]) => [
      id,
      {
        roleKeys: ofGrant.flatMap((row) => row.role_key ?? []),
        endDate: ofGrant[0]?.end_date ?? undefined,
      },
    ]),
  );
}

interface GrantedKeyRow {
  readonly project_id: string;
  readonly end_date: Instant | null;
  readonly role_key: string | null;
}

interface ActiveProjectRow {
  readonly id: ProjectId;
  readonly name: string;
  readonly resource_owner: OrganizationId;
  readonly organization_name: string;
}
