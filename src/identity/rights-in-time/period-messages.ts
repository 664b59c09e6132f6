import type { MessageInitShape } from "@bufbuild/protobuf";
import type { Timestamp, TimestampSchema } from "@bufbuild/protobuf/wkt";
import type { Instant } from "../../kernel/base/clock.ts";
import type { FieldViolation } from "../../kernel/base/problem.ts";
import { checkTimestamp } from "../messages.ts";
import { afterStart, isReversed, type Period, type PeriodChange } from "./period.ts";

interface PeriodMessage {
  readonly startDate?: Timestamp | undefined;
  readonly endDate?: Timestamp | undefined;
}

/** Finds dates that are none, and an end that is not after the start. */
export function checkPeriod(message: PeriodMessage): readonly FieldViolation[] {
  const violations = [
    ...checkTimestamp("start_date", message.startDate),
    ...checkTimestamp("end_date", message.endDate),
  ];
  if (violations.length > 0) return violations;
  return isReversed(readPeriod(message)) ? [{ field: "end_date", description: afterStart }] : [];
}

interface PeriodChangeMessage extends PeriodMessage {
  readonly removeStartDate: boolean;
  readonly removeEndDate: boolean;
}

/** Finds the same in an update, and dates that are sent and removed. */
export function checkPeriodChange(message: PeriodChangeMessage): readonly FieldViolation[] {
  const { startDate, endDate, removeStartDate, removeEndDate } = message;
  const both = [
    ...(removeStartDate && startDate !== undefined ? ["start_date"] : []),
    ...(removeEndDate && endDate !== undefined ? ["end_date"] : []),
  ];
  return [
    ...checkPeriod(message),
    ...both.map((name) => ({ field: `remove_${name}`, description: `must be false beside ${name}` })),
  ];
}

/** Reads what an update makes of the dates of a right. */
export function readPeriodChange(message: PeriodChangeMessage): PeriodChange {
  const { startDate, endDate } = readPeriod(message);
  return {
    startDate: message.removeStartDate ? null : startDate,
    endDate: message.removeEndDate ? null : endDate,
  };
}

/** Reads the period that a request gives a right. What is below a microsecond is dropped. */
export function readPeriod({ startDate, endDate }: PeriodMessage): Record<keyof Period, Instant | undefined> {
  return { startDate: startDate && fromTimestamp(startDate), endDate: endDate && fromTimestamp(endDate) };
}

/** Converts a Timestamp, and drops what is below a microsecond. */
export function fromTimestamp({ seconds, nanos }: Timestamp): Instant {
  const second = new Date(Number(seconds) * 1000).toISOString().slice(0, -"000Z".length);
  return `${second}${String(Math.floor(nanos / 1000)).padStart(6, "0")}Z` as Instant; // of its form
}

/** Converts the dates of a right to those of its message. */
export function toPeriodMessage({ startDate, endDate }: Period) {
  return {
    ...(startDate === undefined ? {} : { startDate: toTimestampOfInstant(startDate) }),
    ...(endDate === undefined ? {} : { endDate: toTimestampOfInstant(endDate) }),
  };
}

function toTimestampOfInstant(at: Instant): MessageInitShape<typeof TimestampSchema> {
  const [second = "", micros = ""] = at.slice(0, -1).split(".");
  return { seconds: BigInt(Date.parse(`${second}Z`) / 1000), nanos: Number(micros) * 1000 };
}

interface ExpiresBefore {
  readonly expiresBefore?: Timestamp | undefined;
}

/** Finds an `expires_before` that is no instant. */
export function checkExpiresBefore({ expiresBefore }: ExpiresBefore): readonly FieldViolation[] {
  return checkTimestamp("expires_before", expiresBefore);
}

/** Reads the filter of a list for what ends. */
export function readExpiresBefore({ expiresBefore }: ExpiresBefore): {
  readonly expiresBefore: Instant | undefined;
} {
  return { expiresBefore: expiresBefore && fromTimestamp(expiresBefore) };
}
