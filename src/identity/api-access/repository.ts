import type { ReadTransaction } from "../../kernel/base/database.ts";
import type { OrganizationId, ProjectId } from "../../kernel/base/ids.ts";

/** Where an application with api_access is looked for. */
export type ApiAccessPlace = { readonly projectId: ProjectId } | { readonly organizationId: OrganizationId };

// The settings are JSON as `JSON.stringify` writes it: a text in them has its quotes escaped, so it cannot look like this.
const isTrusted = `a.kind = 'oidc' AND a.settings LIKE '%"api_access":true%'`;
const selectOfProject = `SELECT 1 FROM applications a WHERE a.project_id = ? AND ${isTrusted} LIMIT 1`;
const selectOfOrganization = `SELECT 1 FROM projects p JOIN applications a ON a.project_id = p.id
  WHERE p.resource_owner = ? AND ${isTrusted} LIMIT 1`;

/** Says whether an application there has api_access, ACTIVE or not. Reads each application of the place until it finds one. */
export async function hasApiAccess(tx: ReadTransaction, place: ApiAccessPlace): Promise<boolean> {
  const row =
    "projectId" in place
      ? await tx.get(selectOfProject, [place.projectId])
      : await tx.get(selectOfOrganization, [place.organizationId]);
  return row !== undefined;
}
