import { type ReadTransaction, toInList, type WriteTransaction } from "../../../kernel/base/database.ts";
import type { ApplicationId, OrganizationId } from "../../../kernel/base/ids.ts";
import type { Refresh } from "./metadata-schedule.ts";

/** An application whose metadata is to be fetched now. */
export interface DueRefresh {
  readonly applicationId: ApplicationId;
  readonly organizationId: OrganizationId;
  readonly metadataUrl: string;
  readonly failures: number;
}

/** The query sorts everything that is due, the longest due first; beyond this number it would hold up calls. */
const maxSorted = 10_000;

/**
 * Lists the refreshes that are due and not under way, in turns of organizations: first the oldest of each organization, then
 * the next of each, up to a number for each. So an organization with much to fetch does not hold up the others.
 */
export async function listDueRefreshes(
  tx: ReadTransaction,
  asked: {
    readonly nowMs: number;
    readonly limit: number;
    readonly limitPerOrganization: number;
    readonly underWay: readonly ApplicationId[];
  },
): Promise<readonly DueRefresh[]> {
  const underWay = toInList(asked.underWay);
  const rows = await tx.all<DueRow>(
    `SELECT id, resource_owner, metadata_url, failures FROM (
       SELECT a.id, a.resource_owner, a.metadata_url, r.failures, r.next_ms,
         ROW_NUMBER() OVER (PARTITION BY a.resource_owner ORDER BY r.next_ms, a.id) AS turn
       FROM (SELECT application_id, next_ms, failures FROM metadata_refreshes WHERE next_ms <= ? ORDER BY next_ms LIMIT ?) r
       JOIN applications a ON a.id = r.application_id
       WHERE a.id NOT IN ${underWay.sql}) AS due
     WHERE turn <= ? ORDER BY turn, next_ms, id LIMIT ?`,
    [asked.nowMs, maxSorted, ...underWay.parameters, asked.limitPerOrganization, asked.limit],
  );
  return rows.map((row) => ({
    applicationId: row.id,
    organizationId: row.resource_owner,
    metadataUrl: row.metadata_url,
    failures: row.failures,
  }));
}

/**
 * Stores when the metadata of the application is fetched next, replacing the previous date. `fetchDate`, in
 * microseconds since 1970, says that the metadata in force has just been found; without it the last such date is
 * kept.
 */
export async function putRefresh(
  tx: WriteTransaction,
  id: ApplicationId,
  refresh: Refresh & { readonly fetchDate?: number | undefined },
): Promise<void> {
  await tx.run(
    `INSERT INTO metadata_refreshes (application_id, next_ms, failures, fetch_date) VALUES (?, ?, ?, ?)
     ON CONFLICT (application_id) DO UPDATE SET next_ms = excluded.next_ms, failures = excluded.failures,
       fetch_date = COALESCE(excluded.fetch_date, metadata_refreshes.fetch_date)`,
    [id, refresh.nextMs, refresh.failures, refresh.fetchDate ?? null],
  );
}

/** Ends the fetches of the metadata. */
export async function removeRefresh(tx: WriteTransaction, id: ApplicationId): Promise<void> {
  await tx.run("DELETE FROM metadata_refreshes WHERE application_id = ?", [id]);
}

/** Ends the fetches of the applications that the query names by `id`. */
export async function removeRefreshesOf(
  tx: WriteTransaction,
  applications: { readonly sql: string; readonly parameters: readonly string[] },
): Promise<void> {
  await tx.run(
    `DELETE FROM metadata_refreshes WHERE application_id IN (${applications.sql})`,
    applications.parameters,
  );
}

interface DueRow {
  readonly id: ApplicationId;
  readonly resource_owner: OrganizationId;
  readonly metadata_url: string;
  readonly failures: number;
}
