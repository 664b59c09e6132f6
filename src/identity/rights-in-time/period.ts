import { earliest, type Instant } from "../../kernel/base/clock.ts";
import { fieldInvalid } from "../../kernel/base/problem.ts";
import type { PeriodPayload } from "../../kernel/events/rights-payloads.ts";

/** When a right is in effect: from its start on, the start included, until before its end. Absent: no such limit. */
export interface Period {
  readonly startDate?: Instant | undefined;
  readonly endDate?: Instant | undefined;
}

/** What an update makes of the dates of a right. Absent: the date stays; null: it is removed. */
export interface PeriodChange {
  readonly startDate?: Instant | null | undefined;
  readonly endDate?: Instant | null | undefined;
}

/** The roles of a new grant, and when they are in effect. */
export interface RolesInTime extends Period {
  readonly roleKeys: readonly string[];
}

/** What replaces the roles of a grant, and changes its dates. */
export interface RolesInTimeChange extends PeriodChange {
  readonly roleKeys: readonly string[];
}

/** Returns the dates after an update. Raises FIELD_INVALID if the end would not be after the start. */
export function changePeriod(stored: Period, change: PeriodChange): Period {
  const { startDate = stored.startDate, endDate = stored.endDate } = change;
  const changed = { startDate: startDate ?? undefined, endDate: endDate ?? undefined };
  if (!isReversed(changed)) return changed;
  throw change.endDate === undefined
    ? fieldInvalid("start_date", "must be before the end of the right")
    : fieldInvalid("end_date", afterStart);
}

/** Says whether the end is not after the start. */
export function isReversed({ startDate, endDate }: Period): boolean {
  return startDate !== undefined && endDate !== undefined && startDate >= endDate;
}

/** What an end that is not after the start must be. */
export const afterStart = "must be after the start";

/** Picks the dates of a right, as events record them. */
export function toPeriodPayload({ startDate, endDate }: Period): PeriodPayload {
  return {
    ...(startDate === undefined ? {} : { start_date: startDate }),
    ...(endDate === undefined ? {} : { end_date: endDate }),
  };
}

/** Says whether both dates are the same. */
export function isSamePeriod(left: Period, right: Period): boolean {
  return left.startDate === right.startDate && left.endDate === right.endDate;
}

/** Says whether the right is in effect at that instant. */
export function isInPeriod({ startDate, endDate }: Period, now: Instant): boolean {
  return (startDate === undefined || startDate <= now) && (endDate === undefined || endDate > now);
}

/** Says whether the right is over. Asks for the present only if it ends at all: nearly every request comes here with rights that do not. */
export function hasEnded({ endDate }: Pick<Period, "endDate">, now: () => Instant): boolean {
  return endDate !== undefined && endDate <= now();
}

/** Returns the next instant at which one of the rights begins or ends; undefined if none ever does. */
export function nextBoundary(periods: readonly Period[], now: Instant): Instant | undefined {
  const dates = periods.flatMap(({ startDate, endDate }) => [startDate, endDate]);
  return earliest(dates.filter((date) => date !== undefined && date > now));
}
