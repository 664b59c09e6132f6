import type { ReadTransaction, WriteTransaction } from "../../../kernel/base/database.ts";
import { countUpTo, equals } from "../../../kernel/base/sql.ts";
import type { DeleteExpired } from "../../delete-expired.ts";
import {
  type TargetDelivery,
  type AttemptFailure,
  keptDeliveries,
  keptMs,
  type TargetPosition,
} from "./position.ts";

/** Lets a target begin behind a sequence; does nothing if it has begun. */
export async function addPosition(tx: WriteTransaction, targetId: string, sequence: number): Promise<void> {
  await tx.run(
    `INSERT INTO target_positions (target_id, sequence, attempts, next_attempt_ms, generation, holder, held_until_ms)
     VALUES (?, ?, 0, 0, 0, '', 0) ON CONFLICT (target_id) DO NOTHING`,
    [targetId, sequence],
  );
}

/**
 * Lets the target go on at once, whatever it waits for, and from this event on if it is further. Whatever process delivers for the target
 * begins again.
 */
export async function goBackTo(
  tx: WriteTransaction,
  targetId: string,
  sequence: number | undefined,
): Promise<void> {
  await tx.run(
    `UPDATE target_positions SET generation = generation + 1, attempts = 0, next_attempt_ms = 0, holder = '', held_until_ms = 0,
       sequence = CASE WHEN sequence >= ? THEN ? ELSE sequence END
     WHERE target_id = ?`,
    [sequence ?? Number.MAX_SAFE_INTEGER, (sequence ?? 1) - 1, targetId],
  );
}

/** Forgets how far a target has come, and what became of events. */
export async function removePosition(tx: WriteTransaction, targetId: string): Promise<void> {
  await deleteUpTo(tx, targetId, Number.MAX_SAFE_INTEGER);
  await tx.run("DELETE FROM target_positions WHERE target_id = ?", [targetId]);
}

/** Returns how far the target has come, or undefined. */
export async function findPosition(
  tx: ReadTransaction,
  targetId: string,
): Promise<TargetPosition | undefined> {
  const row = await tx.get<PositionRow>(
    `SELECT target_id, sequence, attempts, next_attempt_ms, generation, holder, held_until_ms
     FROM target_positions WHERE target_id = ?`,
    [targetId],
  );
  return (
    row && {
      targetId: row.target_id,
      sequence: row.sequence,
      attempts: row.attempts,
      nextAttemptMs: row.next_attempt_ms,
      generation: row.generation,
      holder: row.holder,
      heldUntilMs: row.held_until_ms,
    }
  );
}

/** Claims the target for a process, unless another one delivers for it. Returns whether it did. */
export async function claimPosition(
  tx: WriteTransaction,
  targetId: string,
  claim: { readonly holder: string; readonly untilMs: number; readonly nowMs: number },
): Promise<boolean> {
  const count = await tx.change(
    `UPDATE target_positions SET holder = ?, held_until_ms = ?
     WHERE target_id = ? AND (holder = ? OR holder = '' OR held_until_ms <= ?)`,
    [claim.holder, claim.untilMs, targetId, claim.holder, claim.nowMs],
  );
  return count === 1;
}

/** Stores how far the target has come. Returns false, and stores nothing, if the process does not deliver for it any more. */
export async function putPosition(
  tx: WriteTransaction,
  holder: string,
  position: TargetPosition,
): Promise<boolean> {
  const { targetId, sequence, attempts, nextAttemptMs, generation, heldUntilMs } = position;
  const count = await tx.change(
    `UPDATE target_positions SET sequence = ?, attempts = ?, next_attempt_ms = ?, holder = ?, held_until_ms = ?
     WHERE target_id = ? AND holder = ? AND generation = ?`,
    [sequence, attempts, nextAttemptMs, position.holder, heldUntilMs, targetId, holder, generation],
  );
  return count === 1;
}

/** Says whether the target is ACTIVE, for what follows from a delivery to it. */
export async function isStillActive(tx: ReadTransaction, targetId: string): Promise<boolean> {
  return (await tx.get("SELECT 1 FROM targets WHERE id = ? AND state = 'ACTIVE'", [targetId])) !== undefined;
}

/** Stores what became of events, in place of what is known of them. */
export async function putDeliveries(
  tx: WriteTransaction,
  targetId: string,
  deliveries: readonly TargetDelivery[],
): Promise<void> {
  for (const delivery of deliveries)
    await tx.run(
      `INSERT INTO target_deliveries
         (target_id, sequence, event_type, failure, status, attempts, first_attempt_ms, last_attempt_ms, duration_ms)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (target_id, sequence) DO UPDATE SET failure = excluded.failure,
         status = excluded.status, attempts = excluded.attempts, last_attempt_ms = excluded.last_attempt_ms,
         duration_ms = excluded.duration_ms, first_attempt_ms = CASE WHEN excluded.attempts = 1
           THEN excluded.first_attempt_ms ELSE target_deliveries.first_attempt_ms END`,
      [
        targetId,
        delivery.sequence,
        delivery.eventType,
        delivery.failure ?? "",
        delivery.status,
        delivery.attempts,
        delivery.firstAttemptMs,
        delivery.lastAttemptMs,
        delivery.durationMs,
      ],
    );
}

/** Lists deliveries of a target before a sequence, the newest event first; those that are too old to be listed are left out. */
export async function listDeliveries(
  tx: ReadTransaction,
  targetId: string,
  asked: { readonly before: number; readonly limit: number },
): Promise<readonly TargetDelivery[]> {
  const rows = await tx.all<DeliveryRow>(
    `SELECT sequence, event_type, failure, status, attempts, first_attempt_ms, last_attempt_ms, duration_ms
     FROM target_deliveries WHERE target_id = ? AND sequence < ? ORDER BY sequence DESC LIMIT ?`,
    [targetId, asked.before, asked.limit],
  );
  return rows.map((row) => ({
    sequence: row.sequence,
    eventType: row.event_type,
    failure: row.failure === "" ? undefined : row.failure,
    status: row.status,
    attempts: row.attempts,
    firstAttemptMs: row.first_attempt_ms,
    lastAttemptMs: row.last_attempt_ms,
    durationMs: row.duration_ms,
  }));
}

/** Counts the deliveries of a target, up to `limit`. */
export async function countDeliveries(tx: ReadTransaction, targetId: string, limit: number): Promise<number> {
  const where = equals("target_id", targetId);
  return await countUpTo(tx, limit, { column: "sequence", from: "target_deliveries", where });
}

/** Deletes deliveries that are too old to be listed. */
export const deleteOldDeliveries: DeleteExpired = (tx, { nowMs, limit }) =>
  tx.change(
    `DELETE FROM target_deliveries WHERE (target_id, sequence) IN
       (SELECT target_id, sequence FROM target_deliveries WHERE last_attempt_ms < ? LIMIT ?)`,
    [nowMs - keptMs, limit],
  );

/** Deletes the oldest deliveries of a target if there are more than are listed. */
export async function deleteSurplusDeliveries(tx: WriteTransaction, targetId: string): Promise<void> {
  const row = await tx.get<{ sequence: number }>(
    `SELECT sequence FROM target_deliveries WHERE target_id = ? ORDER BY sequence DESC LIMIT 1 OFFSET ${keptDeliveries}`,
    [targetId],
  );
  if (row !== undefined) await deleteUpTo(tx, targetId, row.sequence);
}

const portion = 500;

async function deleteUpTo(tx: WriteTransaction, targetId: string, sequence: number): Promise<void> {
  const sql = `DELETE FROM target_deliveries WHERE target_id = ? AND sequence IN
    (SELECT sequence FROM target_deliveries WHERE target_id = ? AND sequence <= ? ORDER BY sequence LIMIT ${portion})`;
  while ((await tx.change(sql, [targetId, targetId, sequence])) === portion) await tx.pause();
}

interface PositionRow {
  readonly target_id: string;
  readonly sequence: number;
  readonly attempts: number;
  readonly next_attempt_ms: number;
  readonly generation: number;
  readonly holder: string;
  readonly held_until_ms: number;
}

interface DeliveryRow {
  readonly sequence: number;
  readonly event_type: string;
  readonly failure: AttemptFailure | "";
  readonly status: number;
  readonly attempts: number;
  readonly first_attempt_ms: number;
  readonly last_attempt_ms: number;
  readonly duration_ms: number;
}
