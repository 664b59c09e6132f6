import type { ReadTransaction } from "../../kernel/base/database.ts";
import type { ApplicationBase } from "../applications/application/application.ts";
import {
  applicationColumns,
  type ApplicationRow,
  toApplicationBase,
} from "../applications/application/repository.ts";

/** Says whether the client that is described at that URL was taken up in the project, and nobody has removed it. */
export async function isExternalClientThere(
  tx: ReadTransaction,
  { url, projectId }: { readonly url: string; readonly projectId: string },
): Promise<boolean> {
  const sql = "SELECT 1 FROM applications WHERE id = ? AND project_id = ?";
  return (await tx.get(sql, [url, projectId])) !== undefined;
}

/** Says whether a client of a removed organization has the id, and not all that was stored of it is deleted yet. */
export async function isIdLeft(tx: ReadTransaction, id: string): Promise<boolean> {
  const sql = `SELECT 1 FROM stored_applications
    WHERE id = ? AND resource_owner IN (SELECT id FROM removed_organizations)`;
  return (await tx.get(sql, [id])) !== undefined;
}

/** Counts the clients that have registered themselves, up to a limit. */
export async function countRegistered(tx: ReadTransaction, limit: number): Promise<number> {
  const row = await tx.get<{ readonly count: number }>(
    `SELECT COUNT(*) AS count FROM
       (SELECT 1 FROM stored_applications WHERE external = 'REGISTRATION' AND external <> '' LIMIT ?) counted`,
    [limit],
  );
  return row?.count ?? 0;
}

const columns = applicationColumns.map((column) => `a.${column}`).join(", ");
/** When somebody confirmed it for the last time. As a value, so that it is looked up for each of the few clients. */
const lastConfirmed = "(SELECT MAX(c.confirmation_date) FROM confirmations c WHERE c.application_id = a.id)";
const isNew = `${lastConfirmed} IS NULL`;

/** Finds the oldest client that has registered itself and that nobody has logged in to. */
export async function findOldestUnused(tx: ReadTransaction): Promise<ApplicationBase | undefined> {
  const row = await tx.get<ApplicationRow>(
    `SELECT ${columns} FROM applications a WHERE a.external = 'REGISTRATION' AND a.external <> '' AND ${isNew}
     ORDER BY a.creation_date, a.id LIMIT 1`,
    [],
  );
  return row && toApplicationBase(row);
}

/** Lists active external clients that nobody has logged in to since one instant, or has used since another. In no order. */
export async function listUnused(
  tx: ReadTransaction,
  {
    nowMs,
    unseenMs,
    unusedMs,
    limit,
  }: {
    readonly nowMs: number;
    readonly unseenMs: number;
    readonly unusedMs: number;
    readonly limit: number;
  },
): Promise<readonly ApplicationBase[]> {
  const rows = await tx.all<ApplicationRow>(
    `SELECT ${columns} FROM applications a
     WHERE a.external IN ('REGISTRATION', 'METADATA_DOCUMENT') AND a.external <> '' AND a.creation_date < ? AND a.state = 'ACTIVE'
       AND (${isNew} OR (a.creation_date < ?
         AND ${lastConfirmed} < ?
         AND NOT EXISTS (SELECT 1 FROM authorizations t WHERE t.application_id = a.id AND t.expiration_ms > ?)))
     LIMIT ?`,
    [unseenMs * 1000, unusedMs * 1000, unusedMs * 1000, nowMs, limit],
  );
  return rows.map(toApplicationBase);
}
