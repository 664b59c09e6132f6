import type { ReadTransaction, WriteTransaction } from "../../../kernel/base/database.ts";
import type { ApplicationId, InteractionId, UserId } from "../../../kernel/base/ids.ts";
import type { Projection, RecordedEvent } from "../../../kernel/events/event.ts";
import {
  interactionMs,
  maxInteractionsOfUser,
  maxWaitingInteractions,
  requireInteractionRoom,
  type StoredInteraction,
} from "./interaction.ts";

/**
 * What events do to interactions, which are not made from the log: a user who has got as far as a second page with a password that
 * is changed, or as a user who may not log in any more, begins again. A rebuild leaves those that began after the event. They are
 * removed with the user, the application, and what these belong to.
 */
export const interactionProjection: Projection = {
  tables: [],
  on: {
    "user.password.set": removeInteractionsUntil,
    "user.password.removed": removeInteractionsUntil,
    "user.locked": removeInteractionsUntil,
    "user.removed": (tx, { aggregateId }) => removeInteractionsOfUser(tx, aggregateId),
    "application.removed": (tx, { aggregateId, resourceOwner }) =>
      removeWhere(tx, "application_organization_id = ? AND application_id = ?", [resourceOwner, aggregateId]),
    "project.removed": (tx, { aggregateId, resourceOwner }) =>
      removeWhere(
        tx,
        `application_organization_id = ?
         AND application_id IN (SELECT id FROM stored_applications WHERE project_id = ?)`,
        [resourceOwner, aggregateId],
      ),
    async "organization.removed"(tx, { aggregateId }) {
      await removeWhere(tx, "user_organization_id = ?", [aggregateId]);
      await removeWhere(tx, "application_organization_id = ?", [aggregateId]);
    },
  },
};

/** Finds the interaction of a cookie whose time is not over. */
export async function findInteraction(
  tx: ReadTransaction,
  asked: { readonly id: string; readonly cookieHash: string; readonly nowMs: number },
): Promise<StoredInteraction | undefined> {
  const row = await tx.get<InteractionRow>(
    `SELECT id, cookie_hash, user_id, application_id, key_id, content, expiration_ms FROM interactions
     WHERE id = ? AND cookie_hash = ? AND expiration_ms > ?`,
    [asked.id, asked.cookieHash, asked.nowMs],
  );
  if (row === undefined) return undefined;
  return {
    id: row.id,
    cookieHash: row.cookie_hash,
    userId: row.user_id ?? undefined,
    applicationId: row.application_id ?? undefined,
    content: { keyId: row.key_id, value: row.content },
    expirationMs: row.expiration_ms,
  };
}

/**
 * Stores an interaction that begins for somebody in a network, which `holderHash` names. Raises LIMIT_REACHED if as many wait there
 * as may (`maxWaitingInteractions`). One that began with a session counts for its user: the newest `maxInteractionsOfUser` of a
 * user stay.
 */
export async function putNewInteraction(
  tx: WriteTransaction,
  interaction: StoredInteraction,
  { holderHash, nowMs }: { readonly holderHash: string; readonly nowMs: number },
): Promise<void> {
  requireInteractionRoom(await findRoom(tx, holderHash, nowMs), nowMs);
  await put(tx, interaction, holderHash);
}

/**
 * Stores a logout that waits, whose holder `holderHash` names. The oldest ones of the holder go where there are more than `max`.
 */
export async function putNewLogout(
  tx: WriteTransaction,
  logout: StoredInteraction,
  { holderHash, max }: { readonly holderHash: string; readonly max: number },
): Promise<void> {
  await removeOldest(tx, "holder_hash = ? AND user_id IS NULL", [holderHash, max - 1]);
  await put(tx, logout, holderHash);
}

/** Stores an interaction, in place of what was stored of it before. Of its user the newest `maxInteractionsOfUser` stay. */
export async function putInteraction(tx: WriteTransaction, interaction: StoredInteraction): Promise<void> {
  await put(tx, interaction, null);
}

/** Finds when one more may wait in a network where all places are taken; undefined: now. */
async function findRoom(tx: ReadTransaction, holderHash: string, nowMs: number): Promise<number | undefined> {
  const row = await tx.get<Pick<InteractionRow, "expiration_ms">>(
    `SELECT expiration_ms FROM interactions WHERE holder_hash = ? AND user_id IS NULL AND expiration_ms > ?
     ORDER BY expiration_ms DESC LIMIT 1 OFFSET ?`,
    [holderHash, nowMs, maxWaitingInteractions - 1],
  );
  return row?.expiration_ms;
}

/** The organizations are those of this moment: user and application stay in theirs. */
async function put(
  tx: WriteTransaction,
  interaction: StoredInteraction,
  holderHash: string | null,
): Promise<void> {
  const { id, cookieHash, userId = null, applicationId = null, content, expirationMs } = interaction;
  if (userId !== null)
    await removeOldest(tx, "user_id = ? AND id <> ?", [userId, id, maxInteractionsOfUser - 1]);
  await tx.run(
    `INSERT INTO interactions (id, cookie_hash, user_id, user_organization_id, application_id,
       application_organization_id, holder_hash, key_id, content, expiration_ms)
     VALUES (?, ?, ?, (SELECT resource_owner FROM stored_users WHERE id = ?), ?,
       (SELECT resource_owner FROM stored_applications WHERE id = ?), ?, ?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET user_id = excluded.user_id, user_organization_id = excluded.user_organization_id,
       key_id = excluded.key_id, content = excluded.content`,
    [
      id,
      cookieHash,
      userId,
      userId,
      applicationId,
      applicationId,
      holderHash,
      content.keyId,
      content.value,
      expirationMs,
    ],
  );
}

/** Removes the oldest interactions; the last of the values says how many stay. */
async function removeOldest(
  tx: WriteTransaction,
  where: string,
  values: readonly (string | number)[],
): Promise<void> {
  await tx.run(
    `DELETE FROM interactions WHERE id IN
       (SELECT id FROM interactions WHERE ${where} ORDER BY expiration_ms DESC, id DESC LIMIT ${portion} OFFSET ?)`,
    values,
  );
}

/** Ends an interaction; does nothing if there is none with the id. */
export async function removeInteraction(tx: WriteTransaction, id: InteractionId): Promise<void> {
  await tx.run("DELETE FROM interactions WHERE id = ?", [id]);
}

/** Deletes at most `limit` interactions whose time is over. Returns how many. */
export async function deleteExpiredInteractions(
  tx: WriteTransaction,
  { nowMs, limit }: { readonly nowMs: number; readonly limit: number },
): Promise<number> {
  return await tx.change(
    `DELETE FROM interactions WHERE id IN
       (SELECT id FROM interactions WHERE expiration_ms <= ? ORDER BY expiration_ms LIMIT ?)`,
    [nowMs, limit],
  );
}

async function removeInteractionsUntil(
  tx: WriteTransaction,
  { aggregateId, date }: Pick<RecordedEvent, "aggregateId" | "date">,
): Promise<void> {
  const expirationMs = Math.ceil(date / 1000) + interactionMs;
  await tx.run("DELETE FROM interactions WHERE user_id = ? AND expiration_ms <= ?", [
    aggregateId,
    expirationMs,
  ]);
}

/** Ends the interactions in which the user has proved a first factor: they begin again. */
export async function removeInteractionsOfUser(tx: WriteTransaction, userId: string): Promise<void> {
  await tx.run("DELETE FROM interactions WHERE user_id = ?", [userId]);
}

/** How many rows go before other work gets a turn: an application may have any number. */
const portion = 500;

async function removeWhere(tx: WriteTransaction, where: string, values: readonly string[]): Promise<void> {
  const sql = `DELETE FROM interactions WHERE id IN (SELECT id FROM interactions WHERE ${where} LIMIT ?)`;
  while ((await tx.change(sql, [...values, portion])) === portion) await tx.pause();
}

interface InteractionRow {
  readonly id: InteractionId;
  readonly cookie_hash: string;
  readonly user_id: UserId | null;
  readonly application_id: ApplicationId | null;
  readonly key_id: string;
  readonly content: Uint8Array;
  readonly expiration_ms: number;
}
