import type { ReadTransaction, WriteTransaction } from "../../../base/database.ts";

/** As many as a look for what is due sorts: it sees nothing of what comes behind them. */
const maxLookedAt = 10_000;
/** What one organization may have among them: more than it is given in the time for which the rest is put back. */
const maxPerOrganization = 1000;
const putBackMs = 10 * 60_000;

/** Says whether so much is due that a look for it does not see all. */
export async function isBacklogged(tx: ReadTransaction, nowMs: number): Promise<boolean> {
  const row = await tx.get<{ total: number }>(
    "SELECT COUNT(*) AS total FROM (SELECT 1 FROM metadata_refreshes WHERE next_ms <= ? LIMIT ?) AS counted",
    [nowMs, maxLookedAt],
  );
  return (row?.total ?? 0) >= maxLookedAt;
}

/**
 * Puts back by 10 minutes what an organization has due beyond 1,000, among the 10,000 that are due longest, and returns
 * how much that was. Without it one that has more due than it is ever given would be all that is seen.
 */
export async function putBackExcess(tx: WriteTransaction, nowMs: number): Promise<number> {
  return await tx.run(
    `UPDATE metadata_refreshes SET next_ms = ? WHERE application_id IN (SELECT id FROM (
       SELECT a.id, ROW_NUMBER() OVER (PARTITION BY a.resource_owner ORDER BY r.next_ms, a.id) AS turn
       FROM (SELECT * FROM metadata_refreshes WHERE next_ms <= ? ORDER BY next_ms LIMIT ?) r
       JOIN applications a ON a.id = r.application_id)
     WHERE turn > ?)`,
    [nowMs + putBackMs, nowMs, maxLookedAt, maxPerOrganization],
  );
}
