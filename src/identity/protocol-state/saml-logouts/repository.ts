import type { ReadTransaction, WriteTransaction } from "../../../kernel/base/database.ts";
import type { ApplicationId, InteractionId, UserId } from "../../../kernel/base/ids.ts";
import { insertSql } from "../../../kernel/base/sql.ts";
import type { Projection } from "../../../kernel/events/event.ts";
import type { StoredSamlLogout } from "./saml-logout.ts";

const table = "saml_logouts";

/**
 * What events do to logouts that go on, which are not made from the log: they go with their user, with the application that asked, and
 * with the organization of either.
 */
export const samlLogoutProjection: Projection = {
  tables: [],
  on: {
    "user.removed": (tx, { aggregateId }) => removeWhere(tx, "user_id = ?", aggregateId),
    "application.removed": (tx, { aggregateId }) => removeWhere(tx, "application_id = ?", aggregateId),
    "project.removed": (tx, { aggregateId }) => removeWhere(tx, ofProject, aggregateId),
    async "organization.removed"(tx, { aggregateId }) {
      await removeWhere(tx, ofUserOrganization, aggregateId);
      await removeWhere(tx, ofApplicationOrganization, aggregateId);
    },
  },
};

const ofProject = "application_id IN (SELECT id FROM stored_applications WHERE project_id = ?)";
// Row by row of the logouts: there are few of them, and an organization may have any number of users.
const ofUserOrganization = "(SELECT resource_owner FROM stored_users WHERE id = saml_logouts.user_id) = ?";
const ofApplicationOrganization =
  "(SELECT resource_owner FROM stored_applications WHERE id = saml_logouts.application_id) = ?";

const columns = [
  "id",
  "cookie_hash",
  "user_id",
  "application_id",
  "request_hash",
  "key_id",
  "content",
  "expiration_ms",
] as const;
const select = `SELECT ${columns.join(", ")} FROM ${table}`;
const upsert = `${insertSql(table, columns)}
  ON CONFLICT (id) DO UPDATE SET request_hash = excluded.request_hash, key_id = excluded.key_id, content = excluded.content`;

/** Stores a logout, in place of what was stored of it before. */
export async function putSamlLogout(tx: WriteTransaction, logout: StoredSamlLogout): Promise<void> {
  await tx.run(upsert, [
    logout.id,
    logout.cookieHash,
    logout.userId,
    logout.applicationId ?? null,
    logout.requestHash ?? null,
    logout.content.keyId,
    logout.content.value,
    logout.expirationMs,
  ]);
}

/** Finds the logout of a cookie whose time is not over. */
export async function findSamlLogout(
  tx: ReadTransaction,
  asked: { readonly id: string; readonly cookieHash: string; readonly nowMs: number },
): Promise<StoredSamlLogout | undefined> {
  const row = await tx.get<LogoutRow>(`${select} WHERE id = ? AND cookie_hash = ? AND expiration_ms > ?`, [
    asked.id,
    asked.cookieHash,
    asked.nowMs,
  ]);
  return row && toLogout(row);
}

/** Finds the logout in which the LogoutRequest waits for its answer, if its time is not over, whatever browser brings the answer. */
export async function findSamlLogoutOfRequest(
  tx: ReadTransaction,
  asked: { readonly requestHash: string; readonly nowMs: number },
): Promise<StoredSamlLogout | undefined> {
  const row = await tx.get<LogoutRow>(`${select} WHERE request_hash = ? AND expiration_ms > ?`, [
    asked.requestHash,
    asked.nowMs,
  ]);
  return row && toLogout(row);
}

/** Ends a logout; does nothing if there is none with the id. */
export async function removeSamlLogout(tx: WriteTransaction, id: InteractionId): Promise<void> {
  await tx.run(`DELETE FROM ${table} WHERE id = ?`, [id]);
}

/** Deletes at most `limit` logouts whose time is over. Returns how many. */
export async function deleteExpiredSamlLogouts(
  tx: WriteTransaction,
  { nowMs, limit }: { readonly nowMs: number; readonly limit: number },
): Promise<number> {
  return await tx.change(
    `DELETE FROM ${table} WHERE id IN
       (SELECT id FROM ${table} WHERE expiration_ms <= ? ORDER BY expiration_ms LIMIT ?)`,
    [nowMs, limit],
  );
}

/** How many rows go before other work gets a turn: an application may have any number. */
const portion = 500;

async function removeWhere(tx: WriteTransaction, where: string, value: string): Promise<void> {
  const sql = `DELETE FROM ${table} WHERE id IN (SELECT id FROM ${table} WHERE ${where} LIMIT ${portion})`;
  while ((await tx.change(sql, [value])) === portion) await tx.pause();
}

interface LogoutRow {
  readonly id: InteractionId;
  readonly cookie_hash: string;
  readonly user_id: UserId;
  readonly application_id: ApplicationId | null;
  readonly request_hash: string | null;
  readonly key_id: string;
  readonly content: Uint8Array;
  readonly expiration_ms: number;
}

function toLogout(row: LogoutRow): StoredSamlLogout {
  return {
    id: row.id,
    cookieHash: row.cookie_hash,
    userId: row.user_id,
    applicationId: row.application_id ?? undefined,
    requestHash: row.request_hash ?? undefined,
    content: { keyId: row.key_id, value: row.content },
    expirationMs: row.expiration_ms,
  };
}
