import type { ReadTransaction, WriteTransaction } from "../../../kernel/base/database.ts";
import { countUpTo } from "../../../kernel/base/sql.ts";

/** How many due refreshes one query sorts; it does not see what is due after them. */
const maxLookedAt = 10_000;
/** How many of them may belong to one organization: more than it gets done before its postponed refreshes are due again. */
const maxPerOrganization = 1000;
const postponedMs = 10 * 60_000;

/** Checks whether more is due than one query sorts. */
export async function isBacklogged(tx: ReadTransaction, nowMs: number): Promise<boolean> {
  const due = {
    column: "next_ms",
    from: "metadata_refreshes",
    where: { sql: "next_ms <= ?", parameters: [nowMs] },
  };
  return (await countUpTo(tx, maxLookedAt, due)) >= maxLookedAt;
}

/**
 * Postpones refreshes by 10 minutes: among the 10,000 that are due longest, those of an organization beyond its first 1,000.
 * The result is their number. Otherwise one organization with a large backlog would fill every query and starve the rest.
 */
export async function postponeExcessRefreshes(tx: WriteTransaction, nowMs: number): Promise<number> {
  return await tx.change(
    `UPDATE metadata_refreshes SET next_ms = ? WHERE application_id IN (SELECT id FROM (
       SELECT a.id, ROW_NUMBER() OVER (PARTITION BY a.resource_owner ORDER BY r.next_ms, a.id) AS turn
       FROM (SELECT application_id, next_ms FROM metadata_refreshes WHERE next_ms <= ? ORDER BY next_ms LIMIT ?) r
       JOIN applications a ON a.id = r.application_id) AS turns
     WHERE turn > ?)`,
    [nowMs + postponedMs, nowMs, maxLookedAt, maxPerOrganization],
  );
}
