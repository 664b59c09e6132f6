import type { ReadTransaction, WriteTransaction } from "../../../kernel/base/database.ts";
import type { ApplicationId } from "../../../kernel/base/ids.ts";
import { insertSql } from "../../../kernel/base/sql.ts";
import type { Projection } from "../../../kernel/events/event.ts";
import type { PushedRequest } from "./pushed-request.ts";

/** What events do to pushed requests, which are not made from the log: they are removed with their application. */
export const pushedRequestProjection: Projection = {
  tables: [],
  on: {
    "application.removed": (tx, { aggregateId }) => removeWhere(tx, "application_id = ?", aggregateId),
    "project.removed": (tx, { aggregateId }) =>
      removeWhere(
        tx,
        "application_id IN (SELECT id FROM stored_applications WHERE project_id = ?)",
        aggregateId,
      ),
  },
};

const insertPushedRequest = insertSql("pushed_requests", [
  "hash",
  "application_id",
  "holder_hash",
  "key_id",
  "content",
  "expiration_ms",
]);

/** Stores a request. */
export async function putPushedRequest(tx: WriteTransaction, request: PushedRequest): Promise<void> {
  const { hash, applicationId, holderHash, content, expirationMs } = request;
  const { keyId, value } = content;
  await tx.run(insertPushedRequest, [hash, applicationId, holderHash, keyId, value, expirationMs]);
}

/** Counts the requests of a holder that wait. `firstEndMs`: when the first of them ends; undefined: none waits. */
export async function countWaitingRequests(
  tx: ReadTransaction,
  { holderHash, nowMs }: { readonly holderHash: string; readonly nowMs: number },
): Promise<{ readonly count: number; readonly firstEndMs: number | undefined }> {
  const row = await tx.get<{ n: number; first_end: number | null }>(
    `SELECT COUNT(*) AS n, MIN(expiration_ms) AS first_end FROM pushed_requests
     WHERE holder_hash = ? AND expiration_ms > ?`,
    [holderHash, nowMs],
  );
  return { count: row?.n ?? 0, firstEndMs: row?.first_end ?? undefined };
}

/** Finds a request of an application that was not used, and whose time is not over. */
export async function findPushedRequest(
  tx: ReadTransaction,
  asked: { readonly hash: string; readonly applicationId: string; readonly nowMs: number },
): Promise<PushedRequest | undefined> {
  const row = await tx.get<PushedRequestRow>(
    `SELECT application_id, holder_hash, key_id, content, expiration_ms FROM pushed_requests
     WHERE hash = ? AND application_id = ? AND expiration_ms > ?`,
    [asked.hash, asked.applicationId, asked.nowMs],
  );
  return (
    row && {
      hash: asked.hash,
      applicationId: row.application_id,
      holderHash: row.holder_hash,
      content: { keyId: row.key_id, value: row.content },
      expirationMs: row.expiration_ms,
    }
  );
}

/** Uses a request up. Returns whether this was its first use, in time. */
export async function usePushedRequest(tx: WriteTransaction, hash: string, nowMs: number): Promise<boolean> {
  const used = await tx.change("DELETE FROM pushed_requests WHERE hash = ? AND expiration_ms > ?", [
    hash,
    nowMs,
  ]);
  return used === 1;
}

/** Deletes at most `limit` requests whose time is over. Returns how many. */
export async function deleteExpiredPushedRequests(
  tx: WriteTransaction,
  { nowMs, limit }: { readonly nowMs: number; readonly limit: number },
): Promise<number> {
  return await tx.change(
    `DELETE FROM pushed_requests WHERE hash IN
       (SELECT hash FROM pushed_requests WHERE expiration_ms <= ? ORDER BY expiration_ms LIMIT ?)`,
    [nowMs, limit],
  );
}

/** How many rows go before other work gets a turn: an application may have any number. */
const portion = 500;

async function removeWhere(tx: WriteTransaction, condition: string, id: string): Promise<void> {
  const sql = `DELETE FROM pushed_requests WHERE hash IN (SELECT hash FROM pushed_requests WHERE ${condition} LIMIT ${portion})`;
  while ((await tx.change(sql, [id])) === portion) await tx.pause();
}

interface PushedRequestRow {
  readonly application_id: ApplicationId;
  readonly holder_hash: string;
  readonly key_id: string;
  readonly content: Uint8Array;
  readonly expiration_ms: number;
}
