import type { OrganizationId } from "../../kernel/base/ids.ts";
import {
  type HeldRoles,
  holdsOnInstance,
  holdsOnOrganization,
  type Permission,
} from "../../kernel/base/permission.ts";
import { permissionDenied, type Problem } from "../../kernel/base/problem.ts";
import { type ClaimMapping, isOfMetadata } from "./claim-mapping.ts";

/** What the author of a mapping needs where the source is; `isOnInstance`: on the whole instance. */
interface SourceNeed {
  readonly permission: Permission;
  readonly isOnInstance: boolean;
}

/** Returns the permission that the author of a mapping needs for its source; undefined: none. */
function needOfMapping(mapping: Pick<ClaimMapping, "source" | "key">): SourceNeed | undefined {
  if (!isOfMetadata(mapping)) return undefined;
  const permission = mapping.source === "USER_METADATA" ? "user.read" : "organization.read";
  return { permission, isOnInstance: mapping.key.startsWith("_") };
}

/** Says whether these roles are enough for the source of a mapping, of a project that the organization owns. */
export function isNeedOfMappingMet(
  mapping: Pick<ClaimMapping, "source" | "key">,
  held: readonly HeldRoles[],
  ownerId: OrganizationId,
): boolean {
  const need = needOfMapping(mapping);
  if (need === undefined) return true;
  return need.isOnInstance
    ? holdsOnInstance(held, need.permission)
    : holdsOnOrganization(held, need.permission, ownerId);
}

/** Returns the problem of a caller who may not read the source of a mapping. */
export function cannotReadSource(
  mapping: Pick<ClaimMapping, "source" | "key">,
  ownerId: OrganizationId,
): Problem {
  const { permission = "user.read", isOnInstance = false } = needOfMapping(mapping) ?? {};
  const where = isOnInstance ? "the whole instance" : "the organization that owns the project";
  return permissionDenied(
    permission,
    isOnInstance ? undefined : ownerId,
    `a claim of this source needs the permission ${permission} for ${where}`,
  );
}
