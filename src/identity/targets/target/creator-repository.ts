// What the token of a target carries at a moment: the creator of the target is found by it as a caller is by the token of a call.

import type { Caller } from "../../../kernel/base/call.ts";
import { toEpochMs } from "../../../kernel/base/clock.ts";
import type { ReadTransaction } from "../../../kernel/base/database.ts";
import { type InstanceId, toId } from "../../../kernel/base/ids.ts";
import { type HeldRoles, holdsOnInstance, holdsOnOrganization } from "../../../kernel/base/permission.ts";
import { readCarriedRoles } from "../../held-roles/carried-roles-repository.ts";
import { findToken } from "../../programs/tokens/repository.ts";
import type { Target } from "./target.ts";

/** The user who decides what is delivered to a target, with what the token of the target carries. */
export interface Creator extends Pick<Caller, "userId" | "held"> {
  /** The first instant at which that may be over though nothing was changed, in ms since 1970; undefined: none is known. */
  readonly untilMs: number | undefined;
}

/** Says whether somebody may read all events of the owner of a target: an organization, or the instance. */
export function mayReadEvents(held: readonly HeldRoles[], owner: string, instanceId: InstanceId): boolean {
  return owner === instanceId
    ? holdsOnInstance(held, "event.read")
    : holdsOnOrganization(held, "event.read", toId(owner));
}

/** Returns the creator of a target, or undefined if the token is not in force, or does not carry the right to read its events. */
export async function findCreator(
  tx: ReadTransaction,
  target: Pick<Target, "tokenId" | "details">,
  { instanceId, nowMs }: { readonly instanceId: InstanceId; readonly nowMs: number },
): Promise<Creator | undefined> {
  const token = await findToken(tx, target.tokenId);
  if (token === undefined || token.userState !== "ACTIVE" || token.organizationState !== "ACTIVE")
    return undefined;
  if (token.expirationMs !== undefined && token.expirationMs <= nowMs) return undefined;
  const { held, heldUntil } = await readCarriedRoles(tx, token);
  if (!mayReadEvents(held, target.details.resourceOwner, instanceId)) return undefined;
  const ends = [token.expirationMs, heldUntil === undefined ? undefined : toEpochMs(heldUntil)];
  const known = ends.filter((end) => end !== undefined);
  return { userId: token.userId, held, untilMs: known.length === 0 ? undefined : Math.min(...known) };
}
