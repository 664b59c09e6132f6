/**
 * Reads an xs:dateTime as milliseconds since 1970; undefined for any other text, and for days that a month does not have. A time without
 * a zone is UTC (SAML Core §1.3.3). Whatever is smaller than a millisecond is cut off.
 */
export function parseDateTime(text: string): number | undefined {
  const [, date = "", time = "", fraction = "", zone = "Z"] =
    /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(\.\d+)?(Z|[+-](?:0\d|1[0-4]):[0-5]\d)?$/.exec(text) ?? [];
  const midnight = new Date(`${date}T00:00:00Z`);
  const parsedMs = Date.parse(`${date}T${time}${fraction.slice(0, ".123".length)}${zone}`);
  if (Number.isNaN(parsedMs) || Number.isNaN(midnight.getTime())) return undefined;
  // Date.parse accepts days that a month does not have: it turns 2026-02-30 into 2026-03-02.
  return midnight.toISOString().startsWith(date) ? parsedMs : undefined;
}

/** Writes milliseconds since 1970 as xs:dateTime in UTC, such as `2026-11-23T09:30:00.000Z`: SAML Core §1.3.3. */
export function toDateTime(instantMs: number): string {
  return new Date(instantMs).toISOString();
}
