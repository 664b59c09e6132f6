import type { ReadTransaction, WriteTransaction } from "../../../kernel/base/database.ts";
import type { UserId } from "../../../kernel/base/ids.ts";
import { decideTry, type CountedTries, type TryKind, type TryLimits } from "./try.ts";

/** Names a counter. `key` is a keyed hash: see `tryKeyOf`. */
export interface TryCounter {
  readonly kind: TryKind;
  readonly key: string;
}

/** A try that is about to be made. */
export interface AskedTry extends TryCounter {
  /** The user that the tries are about; they are removed with the user; undefined when there is no such user. */
  readonly userId?: UserId | undefined;
  readonly nowMs: number;
  readonly limits: TryLimits;
}

/** Whether a try may be compared. `count` says how many tries, with this one, have not proved right. */
export type ReservedTry =
  | { readonly isAllowed: true; readonly count: number }
  | { readonly isAllowed: false; readonly retryAfterMs: number };

/**
 * Reserves a try: it counts as wrong until `resetTries` or `releaseTry`. Do it in a write that is committed before anything is
 * compared, so that tries made at once never compare more than the rest allows. A try that is not allowed is not counted.
 */
export async function reserveTry(tx: WriteTransaction, asked: AskedTry): Promise<ReservedTry> {
  const reserved = await checkTry(tx, asked);
  if (!reserved.isAllowed) return reserved;
  await putTries(tx, asked, reserved.tries);
  return { isAllowed: true, count: reserved.tries.count };
}

/** Reserves a try on several counters: on all of them, or on none if one of them does not allow it. The counts are in their order. */
export async function reserveTries(
  tx: WriteTransaction,
  asked: readonly AskedTry[],
): Promise<
  | { readonly isAllowed: true; readonly counts: readonly number[] }
  | { readonly isAllowed: false; readonly retryAfterMs: number }
> {
  let retryAfterMs = 0;
  for (const one of asked) {
    const checked = await checkTry(tx, one);
    if (!checked.isAllowed) retryAfterMs = Math.max(retryAfterMs, checked.retryAfterMs);
  }
  if (retryAfterMs > 0) return { isAllowed: false, retryAfterMs };
  const counts: number[] = [];
  for (const one of asked) {
    const reserved = await reserveTry(tx, one);
    if (!reserved.isAllowed) throw new Error("a try was counted twice");
    counts.push(reserved.count);
  }
  return { isAllowed: true, counts };
}

/** Returns how many tries of the counter have not proved right. */
export async function countTries(tx: ReadTransaction, counter: TryCounter, nowMs: number): Promise<number> {
  return (await findTries(tx, counter, nowMs))?.count ?? 0;
}

/** Forgets the tries of a counter, because one of them was right. */
export async function resetTries(tx: WriteTransaction, { kind, key }: TryCounter): Promise<void> {
  await tx.run("DELETE FROM tries WHERE kind = ? AND hash = ?", [kind, key]);
}

/** Forgets the tries of that kind about a user, with every counter. */
export async function resetTriesOfUser(tx: WriteTransaction, kind: TryKind, userId: UserId): Promise<void> {
  await tx.run("DELETE FROM tries WHERE user_id = ? AND kind = ?", [userId, kind]);
}

/** Forgets all tries about users that the query names by `id`. */
export async function removeTriesOf(
  tx: WriteTransaction,
  users: { readonly sql: string; readonly parameters: readonly string[] },
): Promise<void> {
  await tx.run(`DELETE FROM tries WHERE user_id IN (${users.sql})`, users.parameters);
}

/** Writes the row of a counter again as it is: what recording a wrong try would cost, for a name that nobody has. */
export async function noteTry(tx: WriteTransaction, { kind, key }: TryCounter): Promise<void> {
  await tx.run("UPDATE tries SET count = count + 0 WHERE kind = ? AND hash = ?", [kind, key]);
}

/** Takes back one try within a window, because it was right; the others still count. `reservedMs` is its instant. */
export async function releaseTry(
  tx: WriteTransaction,
  counter: TryCounter,
  { reservedMs, nowMs }: { readonly reservedMs: number; readonly nowMs: number },
): Promise<void> {
  const tries = await findTries(tx, counter, nowMs);
  const index = tries?.instants.lastIndexOf(reservedMs) ?? -1;
  if (tries === undefined || index < 0) return;
  const instants = tries.instants.toSpliced(index, 1);
  if (instants.length === 0) await resetTries(tx, counter);
  else await putTries(tx, counter, { ...tries, count: instants.length, instants });
}

/** Takes back a try in a row that was not made: nothing was compared. The pause before the next one stays. */
export async function retractTry(tx: WriteTransaction, { kind, key }: TryCounter): Promise<void> {
  await tx.run("UPDATE tries SET count = count - 1 WHERE kind = ? AND hash = ? AND count > 0", [kind, key]);
}

/** Deletes at most `limit` counters whose time is over. Returns how many. */
export async function deleteExpiredTries(
  tx: WriteTransaction,
  { nowMs, limit }: { readonly nowMs: number; readonly limit: number },
): Promise<number> {
  return await tx.change(
    `DELETE FROM tries WHERE (kind, hash) IN
       (SELECT kind, hash FROM tries WHERE expiration_ms <= ? ORDER BY expiration_ms LIMIT ?)`,
    [nowMs, limit],
  );
}

async function checkTry(tx: ReadTransaction, asked: AskedTry) {
  return decideTry(await findTries(tx, asked, asked.nowMs), asked.limits, asked.nowMs);
}

async function findTries(
  tx: ReadTransaction,
  { kind, key }: TryCounter,
  nowMs: number,
): Promise<CountedTries | undefined> {
  const row = await tx.get<{ count: number; instants: string; expiration_ms: number }>(
    "SELECT count, instants, expiration_ms FROM tries WHERE kind = ? AND hash = ? AND expiration_ms > ?",
    [kind, key, nowMs],
  );
  if (row === undefined) return undefined;
  const instants = JSON.parse(row.instants) as number[]; // written below
  return { count: row.count, instants, expirationMs: row.expiration_ms };
}

async function putTries(
  tx: WriteTransaction,
  { kind, key, userId }: TryCounter & Pick<AskedTry, "userId">,
  { count, instants, expirationMs }: CountedTries,
): Promise<void> {
  await tx.run(
    `INSERT INTO tries (kind, hash, user_id, count, instants, expiration_ms) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (kind, hash) DO UPDATE SET user_id = excluded.user_id, count = excluded.count,
       instants = excluded.instants, expiration_ms = excluded.expiration_ms`,
    [kind, key, userId ?? null, count, JSON.stringify(instants), expirationMs],
  );
}
