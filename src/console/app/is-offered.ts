import type { HeldPermissions } from "../api/permissions.ts";
import type { PageEntry } from "../routing/page-entry.ts";

/**
 * Says whether a page of a menu is offered: of the instance to those who hold its permission there, of an organization to those who hold
 * it on something in it.
 */
export function isOffered(
  { permission, menu, spansOrganizations = false }: PageEntry,
  permissions: HeldPermissions,
  organizationId: string | undefined,
): boolean {
  if (permission === undefined) return true;
  if (menu === "instance")
    return spansOrganizations ? permissions.canSomewhere(permission) : permissions.can(permission, {});
  return permissions.canSomewhere(permission, organizationId);
}
