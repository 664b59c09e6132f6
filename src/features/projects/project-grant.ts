import type { Details } from "../../base/details.ts";
import type { OrganizationId, ProjectGrantId, ProjectId } from "../../base/ids.ts";
import { alreadyExists, fieldInvalid, notFound, type Problem } from "../../base/problem.ts";
import type { NewEvent } from "../../events/event.ts";
import type { Project } from "./project.ts";
import { roleNotFound } from "./role.ts";

/** Lends a project, with some of its roles, to another organization. */
export interface ProjectGrant {
  readonly id: ProjectGrantId;
  readonly details: Details;
  readonly state: "ACTIVE" | "INACTIVE";
  readonly projectId: ProjectId;
  readonly grantedOrganizationId: OrganizationId;
  readonly roleKeys: readonly string[];
}

/**
 * Decides to grant a project. Roles are a set: duplicates collapse, none is allowed. Raises NOT_FOUND for a role that the
 * project does not have and FIELD_INVALID for a grant to the owner itself.
 */
export function addProjectGrant(input: {
  readonly id: ProjectGrantId;
  readonly project: Project;
  readonly projectRoles: ReadonlySet<string>;
  readonly grantedOrganizationId: OrganizationId;
  readonly roleKeys: readonly string[];
}): NewEvent {
  const { project, grantedOrganizationId } = input;
  const roleKeys = [...new Set(input.roleKeys)];
  const unknown = roleKeys.find((key) => !input.projectRoles.has(key));
  if (unknown !== undefined) throw roleNotFound(unknown);
  return {
    type: "project_grant.added",
    aggregateId: input.id,
    resourceOwner: project.details.resourceOwner,
    payload: { project_id: project.id, granted_organization_id: grantedOrganizationId, role_keys: roleKeys },
  };
}

/** Returns the problem of a project that is granted to its own owner. */
export function grantedToOwner(): Problem {
  return fieldInvalid(
    "granted_organization_id",
    "must be another organization than the owner of the project",
  );
}

/** Returns the problem of a project that the organization was granted already. */
export function projectGrantTaken(grantedOrganizationId: string): Problem {
  return alreadyExists(
    "project_grant",
    grantedOrganizationId,
    `the project is granted to the organization ${JSON.stringify(grantedOrganizationId)} already`,
  );
}

/** Returns the problem of a project grant that is absent or not made to the organization acted on. */
export function projectGrantNotFound(id: string): Problem {
  return notFound("project_grant", id);
}
