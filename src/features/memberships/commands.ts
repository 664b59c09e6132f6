import type { Call } from "../../base/call.ts";
import type { ReadTransaction } from "../../base/database.ts";
import { changedDetails, createdDetails, type Details } from "../../base/details.ts";
import type { InstanceId, MembershipId } from "../../base/ids.ts";
import { type Page, type PageRequest, readPage } from "../../base/paging.ts";
import { type HeldRoles, holdsAt, scopesWithPermission } from "../../base/permission.ts";
import { processedSequence } from "../../events/processed-sequence.ts";
import { requireBelowLimit } from "../../base/problem.ts";
import { type FeatureContext, requireTarget, write } from "../context.ts";
import { getUserInReach } from "../users/user/repository.ts";
import { requireInstanceOwner } from "../held-roles/instance-owners.ts";
import { toRoles } from "../held-roles/repository.ts";
import { countMemberships, listMemberships, type MembershipFilter } from "./list-repository.ts";
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
import { findTokensToLimit } from "./token-judgement.ts";

/** The use cases of memberships. Callers give and take only roles that they hold themselves. */
export interface MembershipCommands {
  /**
   * Gives a user roles on a scope. A token of the user that another user made does not carry the roles if the token that it
   * was made with does not. Raises NOT_FOUND, PERMISSION_DENIED, ALREADY_EXISTS, LIMIT_REACHED.
   */
  add(
    call: Call,
    membership: { readonly userId: string; readonly scope: ScopeName; readonly roles: readonly string[] },
  ): Promise<{ readonly id: MembershipId; readonly details: Details }>;
  /** Lists the memberships that the caller may read. With several scopes the list is empty: a membership has one. */
  list(
    call: Call,
    filter: { readonly userId: string; readonly scopes: readonly ScopeName[] },
    page: PageRequest,
  ): Promise<{ readonly page: Page<Membership>; readonly sequence: number }>;
  /**
   * Replaces the roles, and judges tokens for the new ones as `add` does. Raises NOT_FOUND, PERMISSION_DENIED,
   * FIELD_INVALID, LAST_INSTANCE_OWNER. Harmless to repeat.
   */
  update(call: Call, id: string, roles: readonly string[]): Promise<Details>;
  /** Raises NOT_FOUND, PERMISSION_DENIED, LAST_INSTANCE_OWNER. */
  remove(call: Call, id: string): Promise<Details>;
}

/** Creates the commands of memberships. The instance is the scope that has no organization. */
export function createMembershipCommands(
  context: FeatureContext,
  instanceId: InstanceId,
): MembershipCommands {
  return {
    add: (asked, membership) =>
      write(context, asked, async ({ tx, call, append }) => {
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
        const id = context.ids.next<MembershipId>();
        const limitedTokenIds = await findTokensToLimit(tx, {
          userId,
          scope,
          gained: wanted.roles,
          kept: [],
        });
        const date = await append([
          addMembership({ id, userId, scope, roles: wanted.roles, resourceOwner, limitedTokenIds }),
        ]);
        return { id, details: createdDetails(date, resourceOwner) };
      }),
    list: (call, filter, page) => list(context, { call, filter, page }),
    update: (call, id, roles) => update(context, { call, id, roles }),
    remove: (asked, id) =>
      write(context, asked, async ({ tx, call, append }) => {
        const membership = requireTarget(call, await loadMembership(tx, call, id));
        if (membership.scope.kind === "instance") await requireInstanceOwner(tx, { membershipId: id });
        return changedDetails(membership.details, await append([removeMembership(membership)]));
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

function update(
  context: FeatureContext,
  asked: { readonly call: Call; readonly id: string; readonly roles: readonly string[] },
): Promise<Details> {
  return write(context, asked.call, async ({ tx, call, append }) => {
    const membership = requireTarget(call, await loadMembership(tx, call, asked.id));
    const { scope, userId, details } = membership;
    requireFitting(scope.kind, asked.roles);
    const wanted: HeldRoles = { scope, roles: toRoles(asked.roles) };
    if (isSameRoles(membership, wanted.roles)) return details;
    requireHeld(call.caller.held, wanted, details.resourceOwner);
    if (scope.kind === "instance" && !wanted.roles.includes("INSTANCE_OWNER"))
      await requireInstanceOwner(tx, { membershipId: membership.id });
    const limitedTokenIds = await findTokensToLimit(tx, {
      userId,
      scope,
      gained: wanted.roles.filter((role) => !membership.roles.includes(role)),
      kept: wanted.roles.filter((role) => membership.roles.includes(role)),
    });
    const date = await append([updateMembership(membership, wanted.roles, limitedTokenIds)]);
    return changedDetails(details, date);
  });
}

function list(
  context: FeatureContext,
  input: {
    readonly call: Call;
    readonly filter: Parameters<MembershipCommands["list"]>[1];
    readonly page: PageRequest;
  },
): ReturnType<MembershipCommands["list"]> {
  const { userId, scopes } = input.filter;
  const { caller } = input.call;
  const named = scopes.map((scope) => [scope.kind, scope.kind === "instance" ? "" : scope.id]);
  return context.database.read(async (tx) => {
    const filter = await toFilter(tx, input.call, input.filter);
    return {
      sequence: await processedSequence(tx),
      page: await readPage<Membership>(context.keyring, input.page, {
        key: ["ListMemberships", caller.organizationId, userId, ...named.flat()],
        read: async (query) => (filter === undefined ? [] : await listMemberships(tx, filter, query)),
        count: async (limit) => (filter === undefined ? 0 : await countMemberships(tx, filter, limit)),
      }),
    };
  });
}

/** Makes the filter of the list; undefined when nothing that the caller may read can match. */
async function toFilter(
  tx: ReadTransaction,
  { caller: { held } }: Call,
  { userId, scopes }: Parameters<MembershipCommands["list"]>[1],
): Promise<MembershipFilter | undefined> {
  const [name, ...others] = scopes;
  const all = { reach: scopesWithPermission(held, "membership.read"), userId, scope: name };
  if (name === undefined) return all;
  const scope = others.length === 0 ? await findScope(tx, name) : undefined;
  return scope !== undefined && holdsAt(held, "membership.read", scope) ? all : undefined;
}
