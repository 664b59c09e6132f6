import type { Call } from "../../kernel/base/call.ts";
import type { ReadTransaction } from "../../kernel/base/database.ts";
import { createdDetails, type Details } from "../../kernel/base/details.ts";
import type { InstanceId, MembershipId } from "../../kernel/base/ids.ts";
import type { PageRequest } from "../../kernel/base/paging.ts";
import { type HeldRoles, holdsAt, type Scope, scopesWithPermission } from "../../kernel/base/permission.ts";
import { requireBelowLimit } from "../../kernel/base/problem.ts";
import { type AsOf, listEventReaderRoles } from "../as-of/as-of.ts";
import { selectPast } from "../as-of/gather.ts";
import { pastOf } from "../as-of/past.ts";
import { change, type Decide, type FeatureContext, write } from "../context.ts";
import { requireMayGiveTo } from "../groups/group.ts";
import { findGroup } from "../groups/repository.ts";
import { requireInstanceOwner } from "../held-roles/instance-owners.ts";
import { toRoles } from "../held-roles/repository.ts";
import { type ListedPage, readList } from "../list.ts";
import { findHomeOf } from "../people/user/repository.ts";
import { requireUserInReach } from "../people/user/user.ts";
import { remove, type Removal } from "../removal.ts";
import {
  changePeriod,
  hasEnded,
  isInPeriod,
  type Period,
  type PeriodChange,
} from "../rights-in-time/period.ts";
import { settleGains } from "./gains.ts";
import { getGroupToGiveTo, listUsersOf } from "./holders.ts";
import { type AskedMemberships, type MembershipFilter, membershipList } from "./list-repository.ts";
import {
  addMembership,
  findGained,
  isSame,
  maxMemberships,
  maxMembershipsOfGroup,
  type Membership,
  type MembershipHolder,
  membershipTaken,
  removeMembership,
  requireFitting,
  requireHeld,
  type ScopeName,
  updateMembership,
} from "./membership.ts";
import {
  countHeldMemberships,
  countMembershipsOf,
  findScope,
  getMembership,
  getScope,
  hasMembership,
} from "./repository.ts";
import type { Gain } from "./tokens-to-limit.ts";

/** Roles by their names, and when they are in effect. */
export interface AskedRoles extends Period {
  readonly roles: readonly string[];
}

/** What a caller asks for: for a user, or for a group. */
export interface NewMembership extends AskedRoles {
  /** Empty with a group. */
  readonly userId: string;
  /** Absent or empty with a user. */
  readonly groupId?: string;
  readonly scope: ScopeName;
}

/** Roles by their names that replace others, and what the dates become. */
export interface AskedChange extends PeriodChange {
  readonly roles: readonly string[];
}

/** The use cases of memberships. Callers give and take only roles that they hold themselves. */
export interface MembershipCommands {
  /**
   * Gives a user, or each user in a group, roles on a scope. A token of a user that another user made does not carry the roles if the token that it
   * was made with does not, and a password that a user without the roles set is removed. The next login asks about second factors
   * that such a user registered. Raises NOT_FOUND, PERMISSION_DENIED, ALREADY_EXISTS, LIMIT_REACHED, GROUP_SOURCED.
   */
  add(
    call: Call,
    membership: NewMembership,
  ): Promise<{ readonly id: MembershipId; readonly details: Details }>;
  /**
   * Lists the memberships that the caller may read. With several scopes the list is empty: a membership has one. With `asOf` those of a
   * user at that moment, where the caller may read events. Raises PAGE_TOKEN_INVALID, and what the past raises.
   */
  list(
    call: Call,
    filter: MembershipFilter & { readonly asOf?: AsOf | undefined },
    page: PageRequest,
  ): Promise<ListedPage<Membership>>;
  /**
   * Replaces the roles and changes the dates, and checks tokens for what is gained as `add` does. Raises NOT_FOUND, PERMISSION_DENIED,
   * FIELD_INVALID, LAST_INSTANCE_OWNER. Harmless to repeat.
   */
  update(call: Call, id: string, asked: AskedChange): Promise<Details>;
  /** Raises NOT_FOUND, PERMISSION_DENIED, LAST_INSTANCE_OWNER. */
  remove(call: Call, id: string): Promise<Removal>;
}

/** Creates the commands of memberships. The instance is the scope that has no organization. */
export function createMembershipCommands(
  context: FeatureContext,
  instanceId: InstanceId,
): MembershipCommands {
  const changeMembership = (begun: Call, id: string, decide: Decide<Membership>) =>
    change(context, begun, { load: ({ tx, call }) => loadMembership(tx, call, id), decide });
  return {
    add: (asked, membership) =>
      write(context, asked, async (command) => {
        const { tx, call, append } = command;
        const scope = await getScope(tx, call.caller.held, { name: membership.scope, instanceId });
        const resourceOwner = scope.kind === "instance" ? instanceId : scope.organizationId;
        const wanted: HeldRoles = { scope, roles: toRoles(membership.roles) };
        requireHeld(call.caller.held, wanted, resourceOwner);
        const holder = await getHolder(tx, call, membership, scope);
        if (await hasMembership(tx, holder, membership.scope)) throw membershipTaken(holder);
        const gained = hasEnded(membership, () => tx.now()) ? [] : wanted.roles;
        const gains = await listGains(tx, { ...holder, endDate: membership.endDate }, { scope, gained });
        await requireRoom(tx, holder, gains);
        const id = tx.nextId<MembershipId>();
        const { settled, events } = await settleGains(context, command, gains);
        const limitedTokenIds = settled.flatMap((each) => each.limitedTokenIds);
        const date = await append([
          addMembership({ id, ...holder, ...wanted, period: membership, resourceOwner, limitedTokenIds }),
          ...events,
        ]);
        return { id, details: createdDetails(date, resourceOwner) };
      }),
    list: async (call, { asOf, ...filter }, page) => {
      if (asOf !== undefined) return await listPast(context, call, { asOf, filter, page });
      return await context.database.read(async (tx) => {
        const asked = await toAsked(tx, call.caller.held, filter);
        return await readList(context, tx, { list: membershipList, call, asked, page });
      });
    },
    update: (call, id, asked) => changeMembership(call, id, decideUpdate(context, asked)),
    remove: (begun, id) =>
      remove(context, begun, {
        load: ({ tx, call }) => loadMembership(tx, call, id),
        async decide(membership, { tx }) {
          if (membership.scope.kind === "instance") await requireInstanceOwner(tx, { membershipId: id });
          return [removeMembership(membership)];
        },
      }),
  };
}

/** Returns a membership that the caller may change and remove. Raises NOT_FOUND, PERMISSION_DENIED. */
async function loadMembership(tx: ReadTransaction, call: Call, id: string): Promise<Membership> {
  const { held } = call.caller;
  const membership = await getMembership(tx, held, id);
  const { scope, roles, details } = membership;
  requireHeld(held, { scope, roles: toRoles(roles) }, details.resourceOwner);
  return membership;
}

function decideUpdate(context: FeatureContext, { roles: names, ...dates }: AskedChange): Decide<Membership> {
  return async (membership, command) => {
    const { tx, call } = command;
    const { id, scope, details } = membership;
    requireFitting(scope.kind, names);
    const wanted: HeldRoles = { scope, roles: toRoles(names) };
    const period = changePeriod(membership, dates);
    const asked = { roles: wanted.roles, ...period };
    if (isSame(membership, asked)) return [];
    requireHeld(call.caller.held, wanted, details.resourceOwner);
    const group = membership.groupId && (await findGroup(tx, membership.groupId));
    if (group) requireMayGiveTo(call.caller.held, group);
    const isForGood = period.endDate === undefined && isInPeriod(period, tx.now());
    if (scope.kind === "instance" && !(isForGood && wanted.roles.includes("INSTANCE_OWNER")))
      await requireInstanceOwner(tx, { membershipId: id });
    const { gained, kept } = findGained(membership, asked, tx.now());
    const gains = await listGains(
      tx,
      { ...membership, endDate: period.endDate },
      { scope, gained, changed: { membershipId: id, kept } },
    );
    const { settled, events } = await settleGains(context, command, gains);
    const limitedTokenIds = settled.flatMap((each) => each.limitedTokenIds);
    return [...updateMembership(membership, asked, { gained, limitedTokenIds }), ...events];
  };
}

/** Finds whose membership it is to be, if the caller may give roles there. Raises NOT_FOUND, PERMISSION_DENIED, GROUP_SOURCED. */
async function getHolder(
  tx: ReadTransaction,
  { caller: { held } }: Call,
  { userId, groupId = "" }: NewMembership,
  scope: Scope,
): Promise<MembershipHolder> {
  if (groupId !== "") return { groupId: await getGroupToGiveTo(tx, held, groupId) };
  const organizationId = scope.kind === "instance" ? undefined : scope.organizationId;
  return { userId: requireUserInReach(held, { userId, organizationId, home: await findHomeOf(tx, userId) }) };
}

/** The same gain of each user who has the roles by the membership. */
async function listGains(
  tx: ReadTransaction,
  holder: MembershipHolder & Period,
  gain: Pick<Gain, "scope" | "gained" | "changed">,
): Promise<readonly Gain[]> {
  const users = await listUsersOf(tx, holder, holder);
  const { scope, gained, changed } = gain;
  return users.map(({ userId, organizationId, until }) => ({
    userId,
    organizationId,
    until,
    scope,
    gained,
    changed,
  }));
}

/** Raises LIMIT_REACHED for a group with as many memberships as it may have, and for one with a user who has. */
async function requireRoom(
  tx: ReadTransaction,
  holder: MembershipHolder,
  gains: readonly Gain[],
): Promise<void> {
  if (holder.groupId !== undefined) {
    const max = maxMembershipsOfGroup;
    requireBelowLimit(await countMembershipsOf(tx, holder, max), { type: "membership", max });
  }
  for (const { userId } of gains)
    requireBelowLimit(await countHeldMemberships(tx, userId), { type: "membership", max: maxMemberships });
}

/** Lists the memberships of a user at a moment of the past. */
async function listPast(
  context: FeatureContext,
  call: Call,
  {
    asOf,
    filter,
    page,
  }: { readonly asOf: AsOf; readonly filter: MembershipFilter; readonly page: PageRequest },
): Promise<ListedPage<Membership>> {
  const opened = listEventReaderRoles(call.caller.held, call.caller.organizationId);
  const asked = await context.database.read((tx) => toAsked(tx, opened, filter));
  const selection = selectPast(filter.userId, { hasMemberships: true });
  return await pastOf(context).read({ asOf, selection }, (tx, sequence) =>
    readList(context, tx, {
      list: membershipList,
      call,
      asked,
      page,
      past: { micros: asOf.micros, sequence },
    }),
  );
}

/** Says where the caller may read memberships, as far as the filter asks for it. */
async function toAsked(
  tx: ReadTransaction,
  held: readonly HeldRoles[],
  filter: MembershipFilter,
): Promise<AskedMemberships> {
  const [name, ...others] = filter.scopes;
  const scope = name === undefined || others.length > 0 ? undefined : await findScope(tx, name);
  const isReadable = name === undefined || (scope !== undefined && holdsAt(held, "membership.read", scope));
  return { ...filter, reach: isReadable ? scopesWithPermission(held, "membership.read") : undefined };
}
