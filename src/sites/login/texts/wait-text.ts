/** Says when something may be tried again, such as "in 30 seconds": never earlier than it may be. */
export function toWaitText(language: string, seconds: number): string {
  const format = new Intl.RelativeTimeFormat(language, { numeric: "always" });
  if (seconds <= 90) return format.format(seconds, "second");
  const minutes = Math.ceil(seconds / 60);
  return minutes <= 90 ? format.format(minutes, "minute") : format.format(Math.ceil(seconds / 3600), "hour");
}
