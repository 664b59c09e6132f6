/** What grants rest on, whether they are made to users or to groups. */
import type { ReadTransaction } from "../../kernel/base/database.ts";
import { type OrganizationId, type ProjectId, toId } from "../../kernel/base/ids.ts";
import { findProjectGrant, findProjectGrantTo } from "../projects/project-grant-repository.ts";
import { listRoleKeys } from "../projects/role-repository.ts";
import type { GrantFacts } from "./repository.ts";
import type { GrantSource, UserGrant } from "./user-grant.ts";

/** Returns the roles that the grant may hold: those of the project grant that it rests on, or of the project. */
export async function listAllowedRoles(
  tx: ReadTransaction,
  grant: Pick<UserGrant, "projectId" | "projectGrantId">,
  roleKeys: readonly string[],
): Promise<ReadonlySet<string>> {
  if (grant.projectGrantId === "") return await listRoleKeys(tx, grant.projectId, roleKeys);
  return new Set((await findProjectGrant(tx, grant.projectGrantId))?.roleKeys);
}

/** Finds out how the organization has the project: as its owner, by a project grant, or not at all. */
export async function findGrantSource(
  tx: ReadTransaction,
  { projectOwner, roleKeys }: Pick<GrantFacts, "projectOwner" | "roleKeys">,
  asked: { readonly organizationId: OrganizationId; readonly projectId: string },
): Promise<GrantSource | undefined> {
  const { organizationId, projectId } = asked;
  if (projectOwner === organizationId)
    return { kind: "owned", projectId: toId<ProjectId>(projectId), roleKeys };
  const grant = await findProjectGrantTo(tx, projectId, organizationId);
  return grant === undefined ? undefined : { kind: "granted", grant };
}
