import { type Timestamp, timestampDate, timestampFromDate } from "@bufbuild/protobuf/wkt";

/** A right that may begin and end, as the API answers it. */
export interface RightInTime {
  readonly startDate?: Timestamp | undefined;
  readonly endDate?: Timestamp | undefined;
}

/** The dates of a right as a form has them: local time such as `2030-12-31T23:59:00`; empty: none. */
export type PeriodTexts = Readonly<{ startDate: string; endDate: string }>;

/** Writes the dates of a right for a form. */
export function toPeriodTexts({ startDate, endDate }: RightInTime): PeriodTexts {
  return { startDate: toLocalText(startDate), endDate: toLocalText(endDate) };
}

/** Reads the dates of a form for a new right. */
export function readPeriodTexts({ startDate, endDate }: PeriodTexts): RightInTime {
  return {
    ...withDate("startDate", readLocalDate(startDate)),
    ...withDate("endDate", readLocalDate(endDate)),
  };
}

/**
 * Reads the dates of a form for an update. A date that was not changed is left out, so it stays, also the part of it that a form does
 * not show: less than a second.
 */
export function readPeriodChange(
  texts: PeriodTexts,
  stored: RightInTime,
): RightInTime & { readonly removeStartDate: boolean; readonly removeEndDate: boolean } {
  const before = toPeriodTexts(stored);
  const changed = (name: keyof PeriodTexts): string => (texts[name] === before[name] ? "" : texts[name]);
  return {
    ...readPeriodTexts({ startDate: changed("startDate"), endDate: changed("endDate") }),
    removeStartDate: texts.startDate === "" && before.startDate !== "",
    removeEndDate: texts.endDate === "" && before.endDate !== "",
  };
}

/** Says whether the end is not after the start. Texts of this form sort by time. */
export function isReversed({ startDate, endDate }: PeriodTexts): boolean {
  if (startDate === "" || endDate === "") return false;
  return startDate.padEnd(19, ":00") >= endDate.padEnd(19, ":00"); // a browser may leave out the seconds
}

/** Writes an instant in UTC, to the second: `2030-12-31 22:59:00 UTC`. */
export function toUtcText(at: Date): string {
  return `${at.toISOString().slice(0, 19).replace("T", " ")} UTC`;
}

/** Says where a right stands at an instant; undefined: it is in effect. */
export function standingOf({ startDate, endDate }: RightInTime, at: Date): "later" | "ended" | undefined {
  if (endDate !== undefined && timestampDate(endDate) <= at) return "ended";
  return startDate !== undefined && timestampDate(startDate) > at ? "later" : undefined;
}

function withDate(name: keyof RightInTime, date: Timestamp | undefined): RightInTime {
  return date === undefined ? {} : { [name]: date };
}

/** Reads a local time such as `2030-12-31T23:59:00`; undefined for an empty text. */
export function readLocalDate(text: string): Timestamp | undefined {
  return text === "" ? undefined : timestampFromDate(new Date(text));
}

function toLocalText(timestamp: Timestamp | undefined): string {
  if (timestamp === undefined) return "";
  const at = timestampDate(timestamp);
  const two = (value: number): string => String(value).padStart(2, "0");
  const day = [String(at.getFullYear()).padStart(4, "0"), two(at.getMonth() + 1), two(at.getDate())].join(
    "-",
  );
  return `${day}T${[at.getHours(), at.getMinutes(), at.getSeconds()].map(two).join(":")}`;
}
