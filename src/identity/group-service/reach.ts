import type { ReadTransaction } from "../../kernel/base/database.ts";
import {
  findAccess,
  findMissing,
  type HeldRoles,
  holdsAt,
  type Permission,
  type Scope,
} from "../../kernel/base/permission.ts";
import { permissionDenied, type Problem } from "../../kernel/base/problem.ts";
import { mayAccessGroupGrant } from "../group-grants/group-grant.ts";
import { listGrantBases } from "../group-grants/repository.ts";
import { listOuterGroups } from "../groups/member-repository.ts";
import { toRoles } from "../held-roles/repository.ts";
import type { Membership } from "../memberships/membership.ts";
import { listMembershipsOfGroups } from "../memberships/repository.ts";

/**
 * Refuses a caller who may not give, and take away, all that the members of a group have by it, and by the groups that it is in: nobody
 * gets what the caller could not give them. Returns the memberships among it. Raises PERMISSION_DENIED.
 */
export async function requireMayGive(
  tx: ReadTransaction,
  held: readonly HeldRoles[],
  groupId: string,
): Promise<readonly Membership[]> {
  for (const basis of await listGrantBases(tx, groupId)) {
    const access = findAccess(held, "user.grant.write", basis.organizationId);
    if (access === undefined || !mayAccessGroupGrant(access, basis))
      throw cannotGive(held, "user.grant.write", { kind: "organization", ...basis });
  }
  const memberships = await listMembershipsOfReach(tx, groupId);
  for (const { scope, roles } of memberships) {
    if (!holdsAt(held, "membership.write", scope)) throw cannotGive(held, "membership.write", scope);
    const missing = findMissing(held, [{ scope, roles: toRoles(roles) }]);
    if (missing !== undefined) throw cannotGive(held, missing.permission, scope);
  }
  return memberships;
}

/** Lists the memberships that the members of a group have by it, and by the groups that it is in, the oldest first. */
export async function listMembershipsOfReach(
  tx: ReadTransaction,
  groupId: string,
): Promise<readonly Membership[]> {
  return await listMembershipsOfGroups(tx, await listOuterGroups(tx, groupId));
}

/** Names the organization of the scope only to callers who may read what is given there. */
function cannotGive(held: readonly HeldRoles[], permission: Permission, scope: Scope): Problem {
  const reading = permission === "user.grant.write" ? "user.grant.read" : "membership.read";
  const isReader = scope.kind !== "instance" && holdsAt(held, reading, scope);
  return permissionDenied(
    permission,
    isReader ? scope.organizationId : undefined,
    `the members of the group have what needs the permission ${permission}, which the caller lacks`,
  );
}
