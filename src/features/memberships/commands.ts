import type { Call } from "../../base/call.ts";
import type { ReadTransaction } from "../../base/database.ts";
import { createdDetails, type Details } from "../../base/details.ts";
import type { InstanceId, MembershipId, UserId } from "../../base/ids.ts";
import { findMissing, type HeldRoles, holdsAt, type Scope } from "../../base/permission.ts";
import { notFound, permissionDenied } from "../../base/problem.ts";
import type { NewEvent } from "../../events/event.ts";
import { type FeatureContext, write } from "../context.ts";
import { getOrganization } from "../organizations/commands.ts";
import { getUserInReach } from "../users/commands.ts";
import { listTokensMadeByOthers } from "../users/token-repository.ts";
import { removeToken } from "../users/token.ts";
import { addMembership, membershipTaken, requireHeld, type ScopeName, toRoles } from "./membership.ts";
import { findScope, hasMembership, listHeldRoles } from "./repository.ts";

export interface MembershipCommands {
  /**
   * Gives a user roles on a scope, and removes the tokens that were made for him by somebody who does not hold as much as
   * he does from then on. Raises NOT_FOUND, PERMISSION_DENIED, ALREADY_EXISTS.
   */
  add(
    call: Call,
    membership: { readonly userId: string; readonly scope: ScopeName; readonly roles: readonly string[] },
  ): Promise<{ readonly id: MembershipId; readonly details: Details }>;
}

export function createMembershipCommands(
  context: FeatureContext,
  instanceId: InstanceId,
): MembershipCommands {
  return {
    add: (asked, membership) =>
      write(context, asked, async ({ tx, call, append }) => {
        const scope = await getScope(tx, call, { name: membership.scope, instanceId });
        const resourceOwner = scope.kind === "instance" ? instanceId : scope.organizationId;
        const wanted: HeldRoles = { scope, roles: toRoles(membership.roles) };
        requireHeld(call.caller.held, wanted, resourceOwner);
        const userId = await getUserInReach(tx, call, {
          userId: membership.userId,
          organizationId: scope.kind === "instance" ? undefined : scope.organizationId,
        });
        if (await hasMembership(tx, userId, membership.scope)) throw membershipTaken(userId);
        const id = context.ids.next<MembershipId>();
        const added = addMembership({ id, userId, scope, roles: wanted.roles, resourceOwner });
        const date = await append([added, ...(await removeWeakTokens(tx, userId, wanted))]);
        return { id, details: createdDetails(date, resourceOwner) };
      }),
  };
}

/** Judges the scope again, inside of the write. */
async function getScope(
  tx: ReadTransaction,
  call: Call,
  { name, instanceId }: { readonly name: ScopeName; readonly instanceId: InstanceId },
): Promise<Scope> {
  const scope = await findScope(tx, name);
  if (scope === undefined || !holdsAt(call.caller.held, "membership.write", scope)) {
    if (name.kind === "instance" || name.kind === "organization") {
      throw permissionDenied("membership.write", name.kind === "instance" ? instanceId : name.id);
    }
    throw notFound(name.kind === "project" ? "project" : "project_grant", name.id);
  }
  if (scope.kind === "organization") await getOrganization(tx, scope.organizationId);
  return scope;
}

async function removeWeakTokens(
  tx: ReadTransaction,
  userId: UserId,
  added: HeldRoles,
): Promise<readonly NewEvent[]> {
  const target = [...(await listHeldRoles(tx, userId)), added];
  const events: NewEvent[] = [];
  for (const token of await listTokensMadeByOthers(tx, userId)) {
    const isWeaker = findMissing(await listHeldRoles(tx, token.creator), target) !== undefined;
    if (isWeaker) events.push(removeToken(token));
  }
  return events;
}
