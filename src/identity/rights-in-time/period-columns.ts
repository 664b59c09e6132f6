import type { SqlValue } from "../../kernel/base/database.ts";
import { endless, type Instant } from "../../kernel/base/clock.ts";
import type { Condition } from "../../kernel/base/sql.ts";
import type { PeriodPayload } from "../../kernel/events/rights-payloads.ts";
import type { Period } from "./period.ts";

/** The columns of the period of a right. */
export const periodColumns: readonly string[] = ["start_date", "end_date"];

/** A row with these columns. */
export interface PeriodRow {
  readonly start_date: Instant | null;
  readonly end_date: Instant | null;
}

/** Returns the values of the columns, in their order. */
export function toPeriodValues(payload: PeriodPayload): readonly SqlValue[] {
  return [payload.start_date ?? null, payload.end_date ?? null];
}

/** Reads the period that a row holds. */
export function toPeriod({ start_date: startDate, end_date: endDate }: PeriodRow): Period {
  return { startDate: startDate ?? undefined, endDate: endDate ?? undefined };
}

/** Returns the last of the ends of each id; `endless`: there is one without an end. */
export function toLastEnds<Id extends string>(
  rows: readonly { readonly id: Id; readonly end_date: Instant | null }[],
): ReadonlyMap<Id, Instant> {
  const ends = new Map<Id, Instant>();
  for (const { id, end_date: end } of rows) {
    const before = ends.get(id);
    if (before === undefined || (end ?? endless) > before) ends.set(id, end ?? endless);
  }
  return ends;
}

/** The rights of the table `alias` that are in effect at that instant. */
export function inEffect(alias: string, now: Instant): Condition {
  return {
    sql: `(${alias}.start_date IS NULL OR ${alias}.start_date <= ?) AND (${alias}.end_date IS NULL OR ${alias}.end_date > ?)`,
    parameters: [now, now],
  };
}

/** The rights of the table `alias` that are not over at that instant: those in effect, and those that begin later. */
export function notEnded(alias: string, now: Instant): Condition {
  return { sql: `(${alias}.end_date IS NULL OR ${alias}.end_date > ?)`, parameters: [now] };
}

/** Rights that are not over at that instant and end before another one. `column` holds their end. */
export function endsBefore(column: string, before: string, now: Instant): Condition {
  return { sql: `${column} > ? AND ${column} < ?`, parameters: [now, before] };
}
