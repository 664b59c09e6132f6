import type { Details } from "../../kernel/base/details.ts";
import type { GroupGrantId, OrganizationId, ProjectId, UserGrantId } from "../../kernel/base/ids.ts";
import { type Access, type HeldRoles, scopesWithPermission } from "../../kernel/base/permission.ts";

/** The roles that one grant to a user, or to a group of the user, gives while everything that it rests on is active. */
export interface EffectiveRole {
  /** Id and details of the grant. */
  readonly id: UserGrantId | GroupGrantId;
  /** The group that the grant was made to; empty for a grant to the user. */
  readonly groupId: string;
  readonly details: Details;
  readonly projectId: ProjectId;
  /** The organization that gave the grant. */
  readonly organizationId: OrganizationId;
  readonly roleKeys: readonly string[];
}

/** The grants of a user that a caller may see: those that match at least one of these. */
export interface Visibility {
  readonly isEverything: boolean;
  /** Grants that these organizations gave. */
  readonly givers: readonly OrganizationId[];
  /** Grants for the projects of this organization. */
  readonly projectOwner: OrganizationId | undefined;
  /** Grants for these projects. */
  readonly projects: readonly string[];
  /** Grants that rest on these project grants. */
  readonly projectGrants: readonly string[];
}

/**
 * Returns the grants that a caller may see: those that the organization of the call gave, all grants for its
 * projects, and those of organizations where the caller holds the permission for the whole organization. Roles on
 * single projects show only grants for these.
 */
export function visibilityOf(access: Access, held: readonly HeldRoles[]): Visibility {
  const reach = scopesWithPermission(held, "user.grant.read");
  const { organizationId, projects, projectGrants } = access;
  const isWhole = projects === "all" && projectGrants === "all";
  return {
    isEverything: reach.isInstance,
    givers: isWhole ? [...new Set([organizationId, ...reach.organizations])] : reach.organizations,
    projectOwner: isWhole ? organizationId : undefined,
    projects: projects === "all" ? [] : [...projects],
    projectGrants: projectGrants === "all" ? [] : [...projectGrants],
  };
}
