import type { Call } from "../../kernel/base/call.ts";
import type { ReadTransaction } from "../../kernel/base/database.ts";
import type { Details } from "../../kernel/base/details.ts";
import { toId, type UserId } from "../../kernel/base/ids.ts";
import type { PageRequest } from "../../kernel/base/paging.ts";
import { endless, type Instant } from "../../kernel/base/clock.ts";
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
  findPeriods,
  findSourcedIn,
  isAnyInManyGroups,
  listUsersIn,
} from "../groups/member-repository.ts";
import { type AskedMembers, type GroupMember, memberList } from "../groups/member-list-repository.ts";
import { findGroups, getGroup } from "../groups/repository.ts";
import { requireInstanceOwner } from "../held-roles/instance-owners.ts";
import { toRoles } from "../held-roles/repository.ts";
import { type ListedPage, readList } from "../list.ts";
import { toUntil } from "../memberships/holders.ts";
import { settleGains, type SettledGain } from "../memberships/gains.ts";
import { limitMembership, maxMemberships, type Membership } from "../memberships/membership.ts";
import { countHeldMemberships } from "../memberships/repository.ts";
import type { Gain } from "../memberships/tokens-to-limit.ts";
import { listOrganizationsOfUsers } from "../people/user/repository.ts";
import { userNotFound } from "../people/user/user.ts";
import { hasEnded, isSamePeriod, type Period } from "../rights-in-time/period.ts";
import { requireNestable } from "./nesting.ts";
import { listMembershipsOfReach, requireMayGive } from "./reach.ts";

/** Users and groups that are to become members, and when the users are so. */
export interface MembersInTime extends GroupMembers, Period {}

/** The use cases of the members of groups. Callers need all that it takes to give, and take away, what the members have by the group. */
export interface MemberCommands {
  /**
   * Leaves out what is a member already, unless dates are sent for users, or theirs have ended. Users who gain a membership are treated as by `add` of memberships. Raises NOT_FOUND (group,
   * user), PERMISSION_DENIED, GROUP_CIRCLE, GROUP_TOO_DEEP, GROUP_SOURCED, LIMIT_REACHED, LOCKS_OUT, LAST_INSTANCE_OWNER. Harmless to
   * repeat.
   */
  add(call: Call, groupId: string, members: MembersInTime): Promise<Details>;
  /** Leaves out what is no member. Raises NOT_FOUND (group), PERMISSION_DENIED, LAST_INSTANCE_OWNER. Harmless to repeat. */
  remove(call: Call, groupId: string, members: GroupMembers): Promise<Details>;
  /** Lists the direct members by the time at which they were added, or by their ends. Raises NOT_FOUND, PAGE_TOKEN_INVALID. */
  list(
    call: Call,
    asked: Pick<AskedMembers, "expiresBefore"> & { readonly groupId: string },
    page: PageRequest,
  ): Promise<ListedPage<GroupMember>>;
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
    list: (call, { groupId, expiresBefore }, page) =>
      context.database.read(async (tx) => {
        const group = await getGroup(tx, call.access.organizationId, groupId);
        const asked = { ...group, expiresBefore };
        return await readList(context, tx, { list: memberList, call, asked, page });
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
  { group, members }: { readonly group: Group; readonly members: MembersInTime },
): Promise<readonly NewEvent[]> {
  const { tx } = command;
  const memberships = await requireMayChange(command, group);
  await requireExisting(tx, group, members);
  const { groupIds } = await findMembers(tx, group.id, { userIds: [], groupIds: members.groupIds });
  const freshGroups = members.groupIds.filter((id) => !groupIds.includes(id));
  const present = await findPeriods(tx, group.id, members.userIds);
  const freshUsers = members.userIds.filter((id) => !present.has(id));
  const changedUsers = members.userIds.filter((id) => isChanged(present.get(id), members, tx.now()));
  const added: GroupMembers = { userIds: [...freshUsers, ...changedUsers], groupIds: freshGroups };
  if (isNobody(added)) return [];
  await requireNestable(tx, group, freshGroups);
  if (await isAnyInManyGroups(tx, freshUsers, maxGroupsOfUser)) throw limitReached("group", maxGroupsOfUser);
  if (changedUsers.length > 0) await keepInstanceOwner(command, group);
  const gains = await listGains(tx, { group, memberships, added, period: members });
  const { settled, events } = await settleGains(context, command, gains);
  return [...addMembers(group, added, members), ...limitTokens(settled), ...events];
}

/** Says whether a present member gets other dates: those that are sent or, if there are none, no end instead of one that has come. */
function isChanged(present: Period | undefined, sent: Period, now: Instant): boolean {
  if (present === undefined) return false;
  const isSent = sent.startDate !== undefined || sent.endDate !== undefined;
  return isSent ? !isSamePeriod(present, sent) : hasEnded(present, () => now);
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
  /** Whether the user has had nothing of the membership so far; if not, only the end is later. */
  readonly isNew: boolean;
}

/**
 * Lists what users gain who come into the group, themselves or with a group: each membership that they do not have yet, or have until an
 * earlier end only, by the group that it is of. Raises GROUP_SOURCED, LIMIT_REACHED.
 */
async function listGains(tx: ReadTransaction, asked: AddedMembers): Promise<readonly MemberGain[]> {
  const { group, memberships, added } = asked;
  if (memberships.length === 0) return [];
  const sourced = added.groupIds.length === 0 ? undefined : await findSourcedIn(tx, added.groupIds);
  if (sourced !== undefined) throw groupSourced(sourced);
  const coming = await listComing(tx, asked);
  const gains: MemberGain[] = [];
  for (const [groupId, ofGroup] of Map.groupBy(memberships, (membership) => membership.groupId ?? "")) {
    const users = await listUsersIn(tx, [groupId], maxAdministrators + 1);
    const before = new Map(users.map(({ id, endDate }) => [id, endDate]));
    if (new Set([...before.keys(), ...coming.keys()]).size > maxAdministrators)
      throw limitReached("group.member", maxAdministrators);
    for (const membership of ofGroup.filter((each) => !hasEnded(each, () => tx.now())))
      for (const [userId, endDate] of coming) {
        const present = before.get(userId);
        if (present !== undefined && present >= endDate) continue;
        const isNew = present === undefined;
        gains.push({
          userId,
          organizationId: group.organizationId,
          scope: membership.scope,
          gained: toRoles(membership.roles),
          until: toUntil(endDate, membership.endDate),
          membership,
          isNew,
          changed: isNew ? undefined : { membershipId: membership.id, kept: [] },
        });
      }
  }
  await requireRoom(tx, gains);
  return gains;
}

/** Lists the users who come into the group, each with the end of being in it. */
async function listComing(
  tx: ReadTransaction,
  { added, period }: AddedMembers,
): Promise<ReadonlyMap<UserId, Instant>> {
  const coming = new Map<UserId, Instant>();
  for (const { id, endDate } of await listUsersIn(tx, added.groupIds, maxAdministrators + 1))
    coming.set(id, endDate);
  if (hasEnded(period, () => tx.now())) return coming;
  const end = period.endDate ?? endless;
  for (const id of added.userIds.map((each) => toId<UserId>(each))) {
    const byGroup = coming.get(id);
    coming.set(id, byGroup !== undefined && byGroup > end ? byGroup : end);
  }
  return coming;
}

interface AddedMembers {
  readonly group: Group;
  /** All that the members of the group have by it, and by the groups that it is in. */
  readonly memberships: readonly Membership[];
  /** New members, and users that are members already and get other dates. */
  readonly added: GroupMembers;
  /** Of the users. */
  readonly period: Period;
}

async function requireRoom(tx: ReadTransaction, gains: readonly MemberGain[]): Promise<void> {
  const fresh = gains.filter(({ isNew }) => isNew);
  for (const [userId, gained] of Map.groupBy(fresh, (gain) => gain.userId))
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

function once<Members extends GroupMembers>(members: Members): Members {
  return {
    ...members,
    userIds: [...new Set(members.userIds)],
    groupIds: [...new Set(members.groupIds)],
  };
}
