import type { WriteTransaction } from "../base/database.ts";
import type { Owned, Projection, RecordedEvent } from "./event.ts";

/** Deletes rows of removed organizations; see `EventLog.sweep`. */
export type Sweep = (tx: WriteTransaction, limit: number) => Promise<boolean>;

/**
 * Creates the sweep of the projections. Objects of a removed organization are deleted as if each had been removed
 * itself; there is no event for that, because the removal of the organization covers them.
 */
export function createSweep(
  projections: readonly Projection[],
  apply: (tx: WriteTransaction, event: RecordedEvent) => Promise<void>,
): Sweep {
  const owned: readonly Owned[] = projections.toReversed().flatMap((projection) => projection.owned ?? []);
  return async (tx, limit) => {
    let left = limit;
    for (;;) {
      const removed = await tx.get<{ id: string }>("SELECT id FROM removed_organizations LIMIT 1");
      if (removed === undefined) return false;
      for (const { ids, removal } of owned) {
        if (left <= 0) return true;
        const rows = await tx.all<{ id: string }>(`${ids} LIMIT ?`, [removed.id, left]);
        for (const { id } of rows) await apply(tx, toRemoval(removal, id, removed.id));
        left -= rows.length;
      }
    }
  };
}

function toRemoval(type: Owned["removal"], aggregateId: string, resourceOwner: string): RecordedEvent {
  return { type, aggregateId, resourceOwner, sequence: 0, date: 0, editor: "system", payload: {} };
}
