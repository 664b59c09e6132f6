import type { Database, ReadTransaction } from "../../kernel/base/database.ts";
import type { EventLog } from "../../kernel/events/event-log.ts";
import { ReplayError } from "../../kernel/events/event-log.ts";
import { type Finding, toFinding } from "../../kernel/storage/finding.ts";

/** How far the log may be ahead of the clock: the clocks of synchronized machines differ by less. */
const toleranceMs = 60_000;

/**
 * Checks that the log is consistent: revisions without gaps in the order of the sequences, and every command
 * complete.
 */
export async function checkOrder(tx: ReadTransaction): Promise<Finding> {
  const row = await tx.get<{ count: number; disordered: number; halves: number }>(
    `SELECT COUNT(*) AS count,
       COUNT(*) FILTER (WHERE revision <> place) AS disordered,
       COUNT(*) FILTER (WHERE date < sequence OR NOT EXISTS (SELECT 1 FROM events l WHERE l.sequence = e.date)) AS halves
     FROM (SELECT sequence, date, revision,
             ROW_NUMBER() OVER (PARTITION BY aggregate_type, aggregate_id ORDER BY sequence) AS place FROM events) e`,
  );
  const { count = 0, disordered = 0, halves = 0 } = row ?? {};
  const faults = [
    ...(disordered > 0 ? [`${disordered} of ${count} events are out of the order of their revisions`] : []),
    ...(halves > 0 ? [`${halves} of ${count} events belong to an incomplete command`] : []),
  ];
  const fault = faults.length === 0 ? undefined : `${faults.join("; ")}; restore a backup`;
  return toFinding("event order", fault, `${count} events`);
}

/** Compares the last event with the clock: the log continues in any case, but dates are wrong while it is ahead. */
export async function checkClock(tx: ReadTransaction, nowMs: number): Promise<Finding> {
  const row = await tx.get<{ last: number | null }>("SELECT MAX(sequence) AS last FROM events");
  const aheadMs = (row?.last ?? 0) / 1000 - nowMs;
  if (aheadMs <= toleranceMs)
    return { state: "ok", check: "clock", detail: "not earlier than the last event" };
  return {
    state: "warning",
    check: "clock",
    detail: `the last event is ${Math.ceil(aheadMs / 1000)} s in the future; correct the clock, or wait until then`,
  };
}

/**
 * Rebuilds every table of the projections from the log and compares it with the existing one. Changes the database,
 * so call it with a copy. The database does the sorting and comparing, so memory stays bounded whatever the length of the
 * log.
 */
export async function checkTables(
  database: Pick<Database, "write">,
  log: EventLog,
  tables: readonly string[],
): Promise<Finding> {
  const check = "tables";
  try {
    return await database.write(async (tx): Promise<Finding> => {
      for (const table of tables) await tx.run(`CREATE TABLE "before ${table}" AS SELECT * FROM ${table}`);
      const count = await log.rebuild(tx);
      const differing: string[] = [];
      for (const table of tables) {
        const rows = await countDifferences(tx, table);
        if (rows > 0) differing.push(`${table} (${rows})`);
      }
      const fault = `rows that differ from the log: ${differing.join(", ")}; stop the service, make a backup, and run gatehouse rebuild`;
      return toFinding(
        check,
        differing.length === 0 ? undefined : fault,
        `${tables.length} equal to ${count} events`,
      );
    });
  } catch (error) {
    if (!(error instanceof ReplayError)) throw error;
    return { state: "FAILED", check, detail: `${error.message}; restore a backup` };
  }
}

async function countDifferences(tx: ReadTransaction, table: string): Promise<number> {
  const before = `SELECT * FROM "before ${table}"`;
  const after = `SELECT * FROM ${table}`;
  const row = await tx.get<{ rows: number }>(
    `SELECT COUNT(*) AS rows FROM (SELECT * FROM (${before} EXCEPT ${after}) AS gone
       UNION ALL SELECT * FROM (${after} EXCEPT ${before}) AS added) AS differing`,
  );
  return row?.rows ?? 0;
}
