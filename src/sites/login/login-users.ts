import type { ReadTransaction } from "../../kernel/base/database.ts";
import type { UserId } from "../../kernel/base/ids.ts";
import { listInstanceRoles } from "../../identity/held-roles/repository.ts";
import { readLoginPolicy } from "../../identity/policies/repository.ts";
import { findOrganization } from "../../identity/organizations/repository.ts";
import { findLockCount, findUserById } from "../../identity/people/user/repository.ts";
import type { LoginUser } from "./login-state.ts";

/** Finds an ACTIVE user of an ACTIVE organization. */
export async function findLoginUser(tx: ReadTransaction, id: UserId): Promise<LoginUser | undefined> {
  const user = await findUserById(tx, id);
  const lockCount = await findLockCount(tx, id);
  if (user?.kind !== "human" || user.state !== "ACTIVE" || lockCount === undefined) return undefined;
  const organization = await findOrganization(tx, user.details.resourceOwner);
  if (organization?.state !== "ACTIVE") return undefined;
  const isOnInstance = (await listInstanceRoles(tx, id)).length > 0;
  const policy = await readLoginPolicy(tx, isOnInstance ? undefined : organization.id);
  return { user, organization, lockCount, policy, isOnInstance };
}
