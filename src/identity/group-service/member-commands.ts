import type { Call } from "../../kernel/base/call.ts";
import type { ReadTransaction } from "../../kernel/base/database.ts";
import type { Details } from "../../kernel/base/details.ts";
import { toId, type UserId } from "../../kernel/base/ids.ts";
import type { PageRequest } from "../../kernel/base/paging.ts";
import { limitReached } from "../../kernel/base/problem.ts";
import type { NewEvent } from "../../kernel/events/event.ts";
import { change, type CommandTransaction, type FeatureContext } from "../context.ts";
import {
  addMembers,
  type Group,
  type GroupMembers,
  groupNotFound,
  groupSourced,
  isNobody,
  maxAdministrators,
  maxGroupsOfUser,
  removeMembers,
  requireSource,
} from "../groups/group.ts";
import {
  findMembers,
  findSourcedIn,
  type GroupMember,
  isAnyInManyGroups,
  listUsersIn,
  memberList,
} from "../groups/member-repository.ts";
import { findGroups, getGroup } from "../groups/repository.ts";
import { requireInstanceOwner } from "../held-roles/instance-owners.ts";
import { toRoles } from "../held-roles/repository.ts";
import { type ListedPage, readList } from "../list.ts";
import { settleGains, type SettledGain } from "../memberships/gains.ts";
import { limitMembership, maxMemberships, type Membership } from "../memberships/membership.ts";
import { countHeldMemberships } from "../memberships/repository.ts";
import type { Gain } from "../memberships/tokens-to-limit.ts";
import { listOrganizationsOfUsers } from "../people/user/repository.ts";
import { userNotFound } from "../people/user/user.ts";
import { requireNestable } from "./nesting.ts";
import { listMembershipsOfReach, requireMayGive } from "./reach.ts";

/** The use cases of the members of groups. Callers need all that it takes to give, and take away, what the members have by the group. */
export interface MemberCommands {
  /**
   * Leaves out what is a member already. Users who gain a membership are treated as by `add` of memberships. Raises NOT_FOUND (group,
   * user), PERMISSION_DENIED, GROUP_CIRCLE, GROUP_TOO_DEEP, GROUP_SOURCED, LIMIT_REACHED, LOCKS_OUT. Harmless to repeat.
   */
  add(call: Call, groupId: string, members: GroupMembers): Promise<Details>;
  /** Leaves out what is no member. Raises NOT_FOUND (group), PERMISSION_DENIED, LAST_INSTANCE_OWNER. Harmless to repeat. */
  remove(call: Call, groupId: string, members: GroupMembers): Promise<Details>;
  /** Lists the direct members by the time at which they were added. Raises NOT_FOUND, PAGE_TOKEN_INVALID. */
  list(call: Call, groupId: string, page: PageRequest): Promise<ListedPage<GroupMember>>;
}

/** Creates the commands of members. */
export function createMemberCommands(context: FeatureContext): MemberCommands {
  return {
    add: (begun, groupId, members) =>
      change(context, begun, {
        load: ({ tx, call }) => getGroup(tx, call.access.organizationId, groupId),
        decide: (group, command) => decideAddition(context, command, { group, members: once(members) }),
      }),
    remove: (begun, groupId, members) =>
      change(context, begun, {
        load: ({ tx, call }) => getGroup(tx, call.access.organizationId, groupId),
        decide: async (group, command) => {
          await requireMayChange(command, group);
          await keepInstanceOwner(command, group);
          return removeMembers(group, await findMembers(command.tx, group.id, once(members)));
        },
      }),
    list: (call, groupId, page) =>
      context.database.read(async (tx) => {
        const group = await getGroup(tx, call.access.organizationId, groupId);
        return await readList(context, tx, { list: memberList, call, asked: group, page });
      }),
  };
}

/**
 * Makes sure that somebody holds INSTANCE_OWNER after a command that takes members out of a group, or ends it. Its `append` then raises
 * LAST_INSTANCE_OWNER.
 */
export async function keepInstanceOwner(
  { tx, afterAppend }: CommandTransaction,
  group: Group,
): Promise<void> {
  const memberships = await listMembershipsOfReach(tx, group.id);
  if (memberships.some(({ scope }) => scope.kind === "instance"))
    afterAppend(() => requireInstanceOwner(tx, {}));
}

/** A source changes the members of its group without the permissions, which the caller had who made it the source. */
async function requireMayChange(
  { tx, call }: CommandTransaction,
  group: Group,
): Promise<readonly Membership[]> {
  requireSource(group, call.caller);
  return group.source === undefined ? await requireMayGive(tx, call.caller.held, group.id) : [];
}

async function decideAddition(
  context: FeatureContext,
  command: CommandTransaction,
  { group, members }: { readonly group: Group; readonly members: GroupMembers },
): Promise<readonly NewEvent[]> {
  const { tx } = command;
  const memberships = await requireMayChange(command, group);
  await requireExisting(tx, group, members);
  const present = await findMembers(tx, group.id, members);
  const fresh: GroupMembers = {
    userIds: members.userIds.filter((id) => !present.userIds.includes(id)),
    groupIds: members.groupIds.filter((id) => !present.groupIds.includes(id)),
  };
  if (isNobody(fresh)) return [];
  await requireNestable(tx, group, fresh.groupIds);
  if (await isAnyInManyGroups(tx, fresh.userIds, maxGroupsOfUser))
    throw limitReached("group", maxGroupsOfUser);
  const gains = await listGains(tx, { group, memberships, fresh });
  const { settled, events } = await settleGains(context, command, gains);
  return [...addMembers(group, fresh), ...limitTokens(settled), ...events];
}

/** Users and groups of other organizations count as absent. Raises NOT_FOUND. */
async function requireExisting(
  tx: ReadTransaction,
  { organizationId }: Group,
  { userIds, groupIds }: GroupMembers,
): Promise<void> {
  const users = userIds.length === 0 ? [] : await listOrganizationsOfUsers(tx, userIds);
  const known = new Set(users.flatMap((user) => (user.organizationId === organizationId ? [user.id] : [])));
  const user = userIds.find((id) => !known.has(id));
  if (user !== undefined) throw userNotFound(user);
  const groups = new Set<string>((await findGroups(tx, organizationId, groupIds)).map(({ id }) => id));
  const group = groupIds.find((id) => !groups.has(id));
  if (group !== undefined) throw groupNotFound(group);
}

interface MemberGain extends Gain {
  readonly membership: Membership;
}

/**
 * Lists what users gain who come into the group, themselves or with a group: each membership that they do not have yet by the group that
 * it is of. Raises GROUP_SOURCED, LIMIT_REACHED.
 */
async function listGains(
  tx: ReadTransaction,
  { group, memberships, fresh }: AddedMembers,
): Promise<readonly MemberGain[]> {
  if (memberships.length === 0) return [];
  const sourced = fresh.groupIds.length === 0 ? undefined : await findSourcedIn(tx, fresh.groupIds);
  if (sourced !== undefined) throw groupSourced(sourced);
  const limit = maxAdministrators + 1;
  const inGroups = await listUsersIn(tx, fresh.groupIds, limit);
  const coming = [...new Set([...fresh.userIds.map((id) => toId<UserId>(id)), ...inGroups])];
  const gains: MemberGain[] = [];
  for (const [groupId, ofGroup] of Map.groupBy(memberships, (membership) => membership.groupId ?? "")) {
    const before = new Set(await listUsersIn(tx, [groupId], limit));
    const gaining = coming.filter((id) => !before.has(id));
    if (before.size + gaining.length > maxAdministrators)
      throw limitReached("group.member", maxAdministrators);
    for (const membership of ofGroup)
      for (const userId of gaining) {
        const { organizationId } = group;
        const { scope, roles } = membership;
        gains.push({ userId, organizationId, scope, gained: toRoles(roles), membership });
      }
  }
  await requireRoom(tx, gains);
  return gains;
}

interface AddedMembers {
  readonly group: Group;
  /** All that the members of the group have by it, and by the groups that it is in. */
  readonly memberships: readonly Membership[];
  readonly fresh: GroupMembers;
}

async function requireRoom(tx: ReadTransaction, gains: readonly MemberGain[]): Promise<void> {
  for (const [userId, gained] of Map.groupBy(gains, (gain) => gain.userId))
    if ((await countHeldMemberships(tx, userId)) + gained.length > maxMemberships)
      throw limitReached("membership", maxMemberships);
}

function limitTokens(settled: readonly SettledGain<MemberGain>[]): readonly NewEvent[] {
  const byMembership = Map.groupBy(settled, ({ gain }) => gain.membership);
  return [...byMembership].flatMap(([{ id, details }, gains]) => {
    const tokenIds = gains.flatMap(({ limitedTokenIds }) => limitedTokenIds);
    return tokenIds.length === 0
      ? []
      : [limitMembership({ id, resourceOwner: details.resourceOwner }, tokenIds)];
  });
}

function once({ userIds, groupIds }: GroupMembers): GroupMembers {
  return { userIds: [...new Set(userIds)], groupIds: [...new Set(groupIds)] };
}
