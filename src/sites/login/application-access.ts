import type { ReadTransaction } from "../../kernel/base/database.ts";
import type { OrganizationId, ProjectId, UserId } from "../../kernel/base/ids.ts";
import { findProjectGrantTo } from "../../identity/projects/project-grant-repository.ts";
import { isProjectGrantInForce } from "../../identity/projects/project-grant.ts";
import { listRolesInEffect } from "../../identity/user-grants/effective-role-repository.ts";

/** What a project asks of the users who log in to its applications. */
export interface ProjectGate {
  readonly id: ProjectId;
  /** The organization that owns the project. */
  readonly organizationId: OrganizationId;
  readonly projectRoleCheck: boolean;
  readonly hasProjectCheck: boolean;
}

/** A user that logs in, or that a token is made for. */
export interface Entrant {
  readonly userId: UserId;
  readonly organizationId: OrganizationId;
}

/** Whether a user may use the applications of a project: `no-role` and `no-organization` say which check refuses. */
export type ApplicationAccess = "ok" | "no-role" | "no-organization";

/** What a check says to the developer of the application. */
export const accessRefusals: Readonly<Record<Exclude<ApplicationAccess, "ok">, string>> = {
  "no-role": "no role in this project",
  "no-organization": "organization without access",
};

/**
 * Applies the checks of the project at this instant. Without a project there is nothing to check. A project grant or user grant that
 * is not active, not in its time, or gives no role, counts as absent. Call it only for users who have proved who they are: the answer tells something about them.
 */
export async function checkAccess(
  tx: ReadTransaction,
  project: ProjectGate | undefined,
  { userId, organizationId }: Entrant,
): Promise<ApplicationAccess> {
  if (project === undefined) return "ok";
  if (project.hasProjectCheck && !(await isOfProject(tx, project, organizationId))) return "no-organization";
  if (project.projectRoleCheck && !(await hasRole(tx, project, userId))) return "no-role";
  return "ok";
}

async function isOfProject(
  tx: ReadTransaction,
  project: ProjectGate,
  organizationId: OrganizationId,
): Promise<boolean> {
  if (organizationId === project.organizationId) return true;
  const grant = await findProjectGrantTo(tx, project.id, organizationId);
  return grant !== undefined && isProjectGrantInForce(grant, tx.now());
}

async function hasRole(tx: ReadTransaction, { id }: ProjectGate, userId: UserId): Promise<boolean> {
  return (await listRolesInEffect(tx, userId, [id])).length > 0;
}
