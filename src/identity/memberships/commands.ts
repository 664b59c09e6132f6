import type { Call } from "../../kernel/base/call.ts";
import type { ReadTransaction } from "../../kernel/base/database.ts";
import { createdDetails, type Details } from "../../kernel/base/details.ts";
import type { InstanceId, MembershipId, UserId } from "../../kernel/base/ids.ts";
import type { PageRequest } from "../../kernel/base/paging.ts";
import { type HeldRoles, holdsAt, type Scope, scopesWithPermission } from "../../kernel/base/permission.ts";
import { change, type Decide, type FeatureContext, type WaysInAsked, write } from "../context.ts";
import { remove, type Removal } from "../removal.ts";
import { type ListedPage, readList } from "../list.ts";
import { requireBelowLimit } from "../../kernel/base/problem.ts";
import { findStoredOrganizationOfUser, getUserInReach } from "../people/user/repository.ts";
import { userNotFound } from "../people/user/user.ts";
import { requireInstanceOwner } from "../held-roles/instance-owners.ts";
import { toRoles } from "../held-roles/repository.ts";
import { type AskedMemberships, type MembershipFilter, membershipList } from "./list-repository.ts";
import {
  addMembership,
  isSameRoles,
  maxMemberships,
  type Membership,
  membershipTaken,
  removeMembership,
  requireFitting,
  requireHeld,
  type ScopeName,
  updateMembership,
} from "./membership.ts";
import { countMembershipsOf, findScope, getMembership, getScope, hasMembership } from "./repository.ts";
import { questionFactors } from "./question-factors.ts";
import { stopKnownLogins } from "./stop-known-logins.ts";
import { findTokensToLimit, type Gain } from "./tokens-to-limit.ts";

/** The use cases of memberships. Callers give and take only roles that they hold themselves. */
export interface MembershipCommands {
  /**
   * Gives a user roles on a scope. A token of the user that another user made does not carry the roles if the token that it
   * was made with does not, and a password that a user without the roles set is removed. The next login asks about second factors
   * that such a user registered. Raises NOT_FOUND, PERMISSION_DENIED, ALREADY_EXISTS, LIMIT_REACHED.
   */
  add(
    call: Call,
    membership: { readonly userId: string; readonly scope: ScopeName; readonly roles: readonly string[] },
  ): Promise<{ readonly id: MembershipId; readonly details: Details }>;
  /** Lists the memberships that the caller may read. With several scopes the list is empty: a membership has one. */
  list(call: Call, filter: MembershipFilter, page: PageRequest): Promise<ListedPage<Membership>>;
  /**
   * Replaces the roles, and checks tokens for the new ones as `add` does. Raises NOT_FOUND, PERMISSION_DENIED,
   * FIELD_INVALID, LAST_INSTANCE_OWNER. Harmless to repeat.
   */
  update(call: Call, id: string, roles: readonly string[]): Promise<Details>;
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
        const userId = await getUserInReach(tx, call.caller.held, {
          userId: membership.userId,
          organizationId: scope.kind === "instance" ? undefined : scope.organizationId,
        });
        if (await hasMembership(tx, userId, membership.scope)) throw membershipTaken(userId);
        const count = await countMembershipsOf(tx, userId, maxMemberships);
        requireBelowLimit(count, { type: "membership", max: maxMemberships });
        await context.waysIn?.keep(command, toKept(userId, scope));
        const id = tx.nextId<MembershipId>();
        const gain = await toGain(tx, { userId, scope, gained: wanted.roles, kept: [] });
        const limitedTokenIds = await findTokensToLimit(tx, gain);
        const date = await append([
          addMembership({ id, userId, scope, roles: wanted.roles, resourceOwner, limitedTokenIds }),
          ...(await questionFactors(tx, gain, limitedTokenIds)),
          ...(await stopKnownLogins(tx, gain)),
        ]);
        return { id, details: createdDetails(date, resourceOwner) };
      }),
    list: (call, filter, page) =>
      context.database.read(async (tx) => {
        const asked = await toAsked(tx, call, filter);
        return await readList(context, tx, { list: membershipList, call, asked, page });
      }),
    update: (call, id, roles) => changeMembership(call, id, decideUpdate(context, roles)),
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

function toKept(userId: UserId, { kind }: Scope): WaysInAsked {
  return { of: "user", userId, isGain: kind === "instance" };
}

function decideUpdate(context: FeatureContext, names: readonly string[]): Decide<Membership> {
  return async (membership, command) => {
    const { tx, call } = command;
    const { scope, userId, details } = membership;
    requireFitting(scope.kind, names);
    const wanted: HeldRoles = { scope, roles: toRoles(names) };
    if (isSameRoles(membership, wanted.roles)) return [];
    requireHeld(call.caller.held, wanted, details.resourceOwner);
    if (scope.kind === "instance" && !wanted.roles.includes("INSTANCE_OWNER"))
      await requireInstanceOwner(tx, { membershipId: membership.id });
    await context.waysIn?.keep(command, toKept(userId, scope));
    const gain = await toGain(tx, {
      userId,
      scope,
      gained: wanted.roles.filter((role) => !membership.roles.includes(role)),
      kept: wanted.roles.filter((role) => membership.roles.includes(role)),
    });
    const limitedTokenIds = await findTokensToLimit(tx, gain);
    return [
      updateMembership(membership, wanted.roles, limitedTokenIds),
      ...(await questionFactors(tx, gain, limitedTokenIds)),
      ...(await stopKnownLogins(tx, gain)),
    ];
  };
}

async function toGain(tx: ReadTransaction, gained: Omit<Gain, "organizationId">): Promise<Gain> {
  const organizationId = await findStoredOrganizationOfUser(tx, gained.userId);
  if (organizationId === undefined) throw userNotFound(gained.userId);
  return { ...gained, organizationId };
}

/** Says where the caller may read memberships, as far as the filter asks for it. */
async function toAsked(
  tx: ReadTransaction,
  { caller: { held } }: Call,
  { userId, scopes }: MembershipFilter,
): Promise<AskedMemberships> {
  const [name, ...others] = scopes;
  const scope = name === undefined || others.length > 0 ? undefined : await findScope(tx, name);
  const isReadable = name === undefined || (scope !== undefined && holdsAt(held, "membership.read", scope));
  return { userId, scopes, reach: isReadable ? scopesWithPermission(held, "membership.read") : undefined };
}
