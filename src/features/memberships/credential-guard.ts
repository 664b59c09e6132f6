import type { ReadTransaction } from "../../base/database.ts";
import type { InstanceId } from "../../base/ids.ts";
import { findMissing, type HeldRoles } from "../../base/permission.ts";
import { permissionDenied } from "../../base/problem.ts";
import { listHeldRoles } from "./repository.ts";

/**
 * Refuses a caller who would touch the credentials or the state of a user who holds a permission that he lacks himself.
 * Raises PERMISSION_DENIED with that permission.
 */
export async function requireNotMightier(
  tx: ReadTransaction,
  held: readonly HeldRoles[],
  user: { readonly userId: string; readonly instanceId: InstanceId },
): Promise<void> {
  const missing = findMissing(held, await listHeldRoles(tx, user.userId));
  if (missing === undefined) return;
  const { permission, scope } = missing;
  const organizationId = scope.kind === "instance" ? user.instanceId : scope.organizationId;
  const message = `the user holds the permission ${permission}, which the caller lacks`;
  throw permissionDenied(permission, organizationId, message);
}
