import type { HeldPermissions } from "../api/permissions.ts";
import type { PageEntry } from "../routing/page-entry.ts";
import { fillPattern } from "../routing/routes.ts";

/**
 * Says whether a page of a menu is offered: those of the instance to users with the permission there, those of an organization to
 * users with it on something in it.
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

/** Finds the page of a menu that a page belongs to: itself, or the one which it lies deepest below. */
export function findMenuPage(
  pages: readonly PageEntry[],
  current: PageEntry | undefined,
): PageEntry | undefined {
  return pages
    .filter(({ menu }) => menu !== undefined)
    .filter(
      ({ pattern }) => current?.pattern === pattern || current?.pattern.startsWith(`${pattern}/`) === true,
    )
    .toSorted((a, b) => b.pattern.length - a.pattern.length)[0];
}

const settings = "/orgs/:organization";

/**
 * Returns the place in an organization to go to when it is chosen: the page of the menu where they are now, if it is offered
 * there, else the settings, else the first page that is offered.
 */
export function placeOfOrganization(
  organizationId: string,
  {
    pages,
    permissions,
    current,
  }: {
    readonly pages: readonly PageEntry[];
    readonly permissions: HeldPermissions;
    readonly current?: PageEntry | undefined;
  },
): string {
  const offered = pages.filter(
    (page) => page.menu === "organization" && isOffered(page, permissions, organizationId),
  );
  const here = findMenuPage(pages, current);
  const page =
    offered.find((each) => each === here) ??
    offered.find(({ pattern }) => pattern === settings) ??
    offered[0];
  return fillPattern(page?.pattern ?? settings, { organization: organizationId }) ?? "/";
}
