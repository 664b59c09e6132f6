/** The units in which a duration may be typed, the longest last. */
export const durationUnits = ["seconds", "minutes", "hours", "days"] as const;

/** A unit of a duration. */
export type DurationUnit = (typeof durationUnits)[number];

const secondsOf: Readonly<Record<DurationUnit, number>> = {
  seconds: 1,
  minutes: 60,
  hours: 3600,
  days: 86_400,
};

/** A duration as it is typed. */
export interface TypedDuration {
  readonly amount: string;
  readonly unit: DurationUnit;
}

/** Writes a duration in the longest unit of which it is a multiple, as the value of a field: `12 hours`. */
export function toDurationText(seconds: number): string {
  const unit = durationUnits.findLast((each) => seconds % secondsOf[each] === 0) ?? "seconds";
  return writeDuration({ amount: String(seconds / secondsOf[unit]), unit });
}

/** Writes what was typed as the value of a field. */
export function writeDuration({ amount, unit }: TypedDuration): string {
  return `${amount} ${unit}`;
}

/** Reads what was typed from the value of a field. */
export function readDuration(text: string): TypedDuration {
  const end = text.lastIndexOf(" ");
  const unit = durationUnits.find((each) => each === text.slice(end + 1)) ?? "seconds";
  return { amount: text.slice(0, Math.max(end, 0)), unit };
}

/** Returns the seconds of the value of a field; NaN if the amount is no whole number. */
export function toSeconds(text: string): number {
  const { amount, unit } = readDuration(text);
  return toWholeNumber(amount) * secondsOf[unit];
}

/** Reads a whole number; NaN for any other text. */
export function toWholeNumber(text: string): number {
  return /^\d{1,9}$/.test(text.trim()) ? Number(text) : Number.NaN;
}
