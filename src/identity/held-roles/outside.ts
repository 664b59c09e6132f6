import type { OrganizationId } from "../../kernel/base/ids.ts";
import type { HeldRoles, Scope } from "../../kernel/base/permission.ts";

/**
 * Says whether a scope is outside for the users of the organization: it is the instance, or it belongs to another organization. The
 * administrators of its identity providers or of its users must not get roles there by logging in as one of them. A
 * project grant belongs to the organization that the project is granted to, whose owners hold everything on it: to users of the
 * project's own organization it is outside.
 */
export function isOutside(scope: Scope, organizationId: OrganizationId): boolean {
  return scope.kind === "instance" || scope.organizationId !== organizationId;
}

/** Says whether a user of the organization holds a role outside. */
export function holdsOutside(held: readonly HeldRoles[], organizationId: OrganizationId): boolean {
  return held.some(({ scope, roles }) => roles.length > 0 && isOutside(scope, organizationId));
}
