// What callers read of targets, and which of them a call reaches.

import type { Call } from "../../kernel/base/call.ts";
import type { ReadTransaction } from "../../kernel/base/database.ts";
import type { InstanceId } from "../../kernel/base/ids.ts";
import { type Page, type PageRequest, readSequencePage } from "../../kernel/base/paging.ts";
import { holdsOnInstance, type Permission } from "../../kernel/base/permission.ts";
import { permissionDenied } from "../../kernel/base/problem.ts";
import { processedSequence } from "../../kernel/events/processed-sequence.ts";
import type { FeatureContext } from "../context.ts";
import { type ListedPage, readList } from "../list.ts";
import { countDeliveries, findPosition, listDeliveries } from "./positions/position-repository.ts";
import { isFailing, type TargetDelivery, type TargetPosition } from "./positions/position.ts";
import { findCreator } from "./target/creator-repository.ts";
import { getTarget, type TargetFilter, targetList } from "./target/repository.ts";
import type { Target } from "./target/target.ts";

/** A target as callers see it, with what is known of its deliveries. */
export interface SeenTarget extends Omit<Target, "state"> {
  readonly state: Target["state"] | "FAILING" | "CREATOR_GONE";
  /** Undefined: it has not begun. */
  readonly position: TargetPosition | undefined;
}

/** What commands of targets work with. */
export interface TargetSetup {
  readonly context: FeatureContext;
  readonly instanceId: InstanceId;
}

/** The owners whose targets a call reaches: its organization, and the instance for callers who hold the permission there. */
export function ownersOf(
  { instanceId }: TargetSetup,
  { access, caller }: Pick<Call, "access" | "caller">,
  permission: Permission,
): readonly string[] {
  const isOfInstance = holdsOnInstance(caller.held, permission);
  return isOfInstance ? [access.organizationId, instanceId] : [access.organizationId];
}

/** Refuses a caller who does not hold the permission for the whole instance. Raises PERMISSION_DENIED. */
export function requireForInstance(
  { instanceId }: TargetSetup,
  { caller }: Call,
  permission: Permission,
): void {
  if (!holdsOnInstance(caller.held, permission)) throw permissionDenied(permission, instanceId);
}

/** Lists targets of the organization of the call, or of the instance. Raises PERMISSION_DENIED, PAGE_TOKEN_INVALID. */
export function listTargets(
  setup: TargetSetup,
  {
    call,
    asked: { isOfInstance, ...filter },
    page: asked,
  }: {
    readonly call: Call;
    readonly asked: TargetFilter & { readonly isOfInstance: boolean };
    readonly page: PageRequest;
  },
): Promise<ListedPage<SeenTarget>> {
  const { context, instanceId } = setup;
  if (isOfInstance) requireForInstance(setup, call, "policy.read");
  const of = isOfInstance ? instanceId : call.access.organizationId;
  return context.database.read(async (tx) => {
    const input = { list: targetList, call, asked: { of, filter }, page: asked };
    const { page, sequence } = await readList(context, tx, input);
    const items: SeenTarget[] = [];
    for (const target of page.items) items.push(await toSeenTarget(setup, tx, target));
    return { sequence, page: { ...page, items } };
  });
}

/** Adds to a target what is known of its deliveries, and of the user who decides about them. */
export async function toSeenTarget(
  { context, instanceId }: TargetSetup,
  tx: ReadTransaction,
  target: Target,
): Promise<SeenTarget> {
  const position = await findPosition(tx, target.id);
  if (target.state !== "ACTIVE") return { ...target, position };
  const creator = await findCreator(tx, target, { instanceId, nowMs: context.clock.nowMs() });
  if (creator === undefined) return { ...target, state: "CREATOR_GONE", position };
  return { ...target, state: position !== undefined && isFailing(position) ? "FAILING" : "ACTIVE", position };
}

/** Lists what was sent to a target, the newest event first. Raises NOT_FOUND, PAGE_TOKEN_INVALID. */
export async function listDeliveriesOfTarget(
  setup: TargetSetup,
  { call, id, page }: { readonly call: Call; readonly id: string; readonly page: PageRequest },
): Promise<{ readonly page: Page<TargetDelivery>; readonly sequence: number }> {
  const { context } = setup;
  return await context.database.read(async (tx) => {
    const target = await getTarget(tx, ownersOf(setup, call, "policy.read"), id);
    const sequence = await processedSequence(tx);
    return {
      sequence,
      page: await readSequencePage(context.keyring, page, {
        key: ["ListDeliveries", call.access.organizationId, target.id],
        async read({ last, limit }) {
          const before = last ?? Number.MAX_SAFE_INTEGER;
          const found = await listDeliveries(tx, target.id, { before, limit: limit + 1 });
          return { items: found.slice(0, limit), hasMore: found.length > limit };
        },
        count: (limit) => countDeliveries(tx, target.id, limit),
      }),
    };
  });
}
