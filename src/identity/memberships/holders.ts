import type { ReadTransaction } from "../../kernel/base/database.ts";
import type { GroupId } from "../../kernel/base/ids.ts";
import { earliest, endless, type Instant } from "../../kernel/base/clock.ts";
import { type HeldRoles, holdsOnOrganization } from "../../kernel/base/permission.ts";
import { limitReached } from "../../kernel/base/problem.ts";
import { groupNotFound, groupSourced, maxAdministrators, requireMayGiveTo } from "../groups/group.ts";
import { findSourcedIn, listUsersIn } from "../groups/member-repository.ts";
import { findGroup } from "../groups/repository.ts";
import { findStoredOrganizationOfUser } from "../people/user/repository.ts";
import { userNotFound } from "../people/user/user.ts";
import type { Period } from "../rights-in-time/period.ts";
import type { MembershipHolder } from "./membership.ts";
import type { Gain } from "./tokens-to-limit.ts";

/**
 * Returns the group if the caller may give roles to its members and it may have memberships: nothing but administrators changes who is
 * in it. Raises NOT_FOUND without group.read there, PERMISSION_DENIED without group.write, GROUP_SOURCED.
 */
export async function getGroupToGiveTo(
  tx: ReadTransaction,
  held: readonly HeldRoles[],
  id: string,
): Promise<GroupId> {
  const group = await findGroup(tx, id);
  if (group === undefined || !holdsOnOrganization(held, "group.read", group.organizationId))
    throw groupNotFound(id);
  requireMayGiveTo(held, group);
  const sourced = await findSourcedIn(tx, [group.id]);
  if (sourced !== undefined) throw groupSourced(sourced);
  return group.id;
}

/**
 * Lists the users who have the roles by the membership, and until when: the user, or all who are in the group. Raises NOT_FOUND,
 * LIMIT_REACHED.
 */
export async function listUsersOf(
  tx: ReadTransaction,
  { userId, groupId }: MembershipHolder,
  { endDate }: Period,
): Promise<readonly Pick<Gain, "userId" | "organizationId" | "until">[]> {
  if (userId !== undefined) {
    const organizationId = await findStoredOrganizationOfUser(tx, userId);
    if (organizationId === undefined) throw userNotFound(userId);
    return [{ userId, organizationId, until: endDate }];
  }
  const organizationId = (await findGroup(tx, groupId))?.organizationId;
  if (organizationId === undefined) throw groupNotFound(groupId);
  const users = await listUsersIn(tx, [groupId], maxAdministrators + 1);
  if (users.length > maxAdministrators) throw limitReached("group.member", maxAdministrators);
  return users.map((user) => ({ userId: user.id, organizationId, until: toUntil(user.endDate, endDate) }));
}

/** Returns the first of the ends; undefined if it is never. */
export function toUntil(...ends: readonly (Instant | undefined)[]): Instant | undefined {
  const first = earliest(ends);
  return first === endless ? undefined : first;
}
