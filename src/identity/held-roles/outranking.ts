import type { ReadTransaction } from "../../kernel/base/database.ts";
import type { InstanceId, OrganizationId } from "../../kernel/base/ids.ts";
import {
  findMissing,
  type HeldRoles,
  holdsAt,
  type Permission,
  type Scope,
} from "../../kernel/base/permission.ts";
import { permissionDenied, type Problem } from "../../kernel/base/problem.ts";
import { isHeldByUserOf, listHeldRoles } from "./repository.ts";

/** The users that a call stops or starts again: one user, or all users of the organization if `userId` is absent. */
export interface Stopped {
  readonly userId?: string;
  /** The organization that the users belong to. */
  readonly organizationId: OrganizationId;
  readonly instanceId: InstanceId;
}

/**
 * Finds the reason why a caller must not get at a user's credentials: the user holds a permission, on whatever scope, that
 * the caller lacks. The result is PERMISSION_DENIED with that permission, or undefined.
 */
export async function findActingProblem(
  tx: ReadTransaction,
  held: readonly HeldRoles[],
  user: { readonly userId: string; readonly instanceId: InstanceId },
): Promise<Problem | undefined> {
  const missing = findMissing(held, await listHeldRoles(tx, user.userId));
  return missing && callerOutranked(held, { ...missing, instanceId: user.instanceId });
}

/**
 * Finds the reason why a caller must not stop a user: the user holds INSTANCE_OWNER, or ORGANIZATION_OWNER of their own
 * organization, and the caller lacks a permission of that role there. No other role protects a user: otherwise a caller could take
 * a user away from the user's administrators by giving the user a role. The result is PERMISSION_DENIED, or undefined.
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
    // Most callers hold all of it, and then no user has to be looked up.
    if (missing !== undefined && (await isHeldByUserOf(tx, stopped, owned)))
      return callerOutranked(held, { ...missing, instanceId });
  }
  return undefined;
}

/** Names the organization of the scope only to callers who may read memberships there. */
function callerOutranked(
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
