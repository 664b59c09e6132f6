import { type Timestamp, timestampDate } from "@bufbuild/protobuf/wkt";
import { useFormats, useTexts } from "../../texts/use-texts.ts";
import { type RightInTime, standingOf, toUtcText } from "./period.ts";
import { periodTexts } from "./texts.ts";

/** Returns a function that makes facts of the dates of a right, in local time with the same in UTC. Absent dates make none. */
export function usePeriodFacts(): (
  right: RightInTime,
) => readonly { readonly label: string; readonly value: string }[] {
  const texts = useTexts(periodTexts);
  const { exactDate } = useFormats();
  const show = (date: Timestamp | undefined): string =>
    date === undefined ? "" : texts.inUtc(exactDate(date), toUtcText(timestampDate(date)));
  return ({ startDate, endDate }) => [
    { label: texts.start, value: show(startDate) },
    { label: texts.end, value: show(endDate) },
  ];
}

/** Returns a function that says in one short text when a right ends, and whether it is out of its time; empty: always in effect. */
export function usePeriodText(): (right: RightInTime) => string {
  const texts = useTexts(periodTexts);
  const { date } = useFormats();
  return (right) => {
    const standing = standingOf(right, new Date());
    const when = date(standing === "later" ? right.startDate : right.endDate);
    return standing === undefined ? when : `${texts[standing]}: ${when}`;
  };
}
