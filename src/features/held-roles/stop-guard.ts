import type { ReadTransaction } from "../../base/database.ts";
import type { InstanceId, OrganizationId } from "../../base/ids.ts";
import { findMissing, type HeldRoles } from "../../base/permission.ts";
import type { Problem } from "../../base/problem.ts";
import { holdsMore } from "./credential-guard.ts";
import { isHeldByUserOf } from "../memberships/repository.ts";

/** Whom a call stops, or lets go on again: a user, or without `userId` all users of the organization. */
export interface Stopped {
  readonly userId?: string;
  /** The user's own. */
  readonly organizationId: OrganizationId;
  readonly instanceId: InstanceId;
}

/**
 * Says why a caller must not stop a user: they hold INSTANCE_OWNER, or ORGANIZATION_OWNER of their own organization, and the
 * caller not all permissions of that role there. Whatever else they hold, and wherever, protects nobody: else whoever gives a
 * user a role would take them from those who are responsible for them. Returns PERMISSION_DENIED, or undefined.
 */
export async function findStoppingProblem(
  tx: ReadTransaction,
  held: readonly HeldRoles[],
  stopped: Stopped,
): Promise<Problem | undefined> {
  const { organizationId, instanceId } = stopped;
  const protecting: readonly HeldRoles[] = [
    { scope: { kind: "instance" }, roles: ["INSTANCE_OWNER"] },
    { scope: { kind: "organization", organizationId }, roles: ["ORGANIZATION_OWNER"] },
  ];
  for (const owned of protecting) {
    const missing = findMissing(held, [owned]);
    // Mostly the caller holds it all, and nobody has to be looked up.
    if (missing !== undefined && (await isHeldByUserOf(tx, stopped, owned)))
      return holdsMore(held, { ...missing, instanceId });
  }
  return undefined;
}
