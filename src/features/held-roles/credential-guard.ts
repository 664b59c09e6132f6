import type { ReadTransaction } from "../../base/database.ts";
import type { InstanceId } from "../../base/ids.ts";
import { findMissing, type HeldRoles, holdsAt, type Permission, type Scope } from "../../base/permission.ts";
import { permissionDenied, type Problem } from "../../base/problem.ts";
import { listHeldRoles } from "../memberships/repository.ts";

/**
 * Says why a caller must not act as a user, by their credentials: the user holds a permission, wherever, that the caller
 * lacks. Returns PERMISSION_DENIED with that permission, or undefined.
 */
export async function findActingProblem(
  tx: ReadTransaction,
  held: readonly HeldRoles[],
  user: { readonly userId: string; readonly instanceId: InstanceId },
): Promise<Problem | undefined> {
  const missing = findMissing(held, await listHeldRoles(tx, user.userId));
  return missing && holdsMore(held, { ...missing, instanceId: user.instanceId });
}

/**
 * Returns the problem of a caller who lacks a permission that a user holds on the scope. Whose organization that is only who
 * may read the membership is told.
 */
export function holdsMore(
  held: readonly HeldRoles[],
  missing: { readonly permission: Permission; readonly scope: Scope; readonly instanceId: InstanceId },
): Problem {
  const { permission, scope, instanceId } = missing;
  const organizationId = scope.kind === "instance" ? instanceId : scope.organizationId;
  return permissionDenied(
    permission,
    holdsAt(held, "membership.read", scope) ? organizationId : undefined,
    `the user holds the permission ${permission}, which the caller lacks`,
  );
}
