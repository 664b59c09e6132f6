/**
 * Says whether the text is base64 as protobuf JSON takes it: in the standard alphabet or in the one for URLs (RFC 4648 §4 and §5),
 * with or without padding. Other text must not be guessed at (§3.3), as the decoder of protobuf-es does: it skips white space,
 * takes padding anywhere and drops the rest. Bits after the last byte may be set, as in protobuf's own conformance tests (`-_`).
 */
export function isBase64(text: string): boolean {
  const padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0;
  const digits = text.slice(0, text.length - padding);
  // A search for one wrong character never has to go back over megabytes of right ones.
  if (/[^A-Za-z0-9+/]/.test(digits) && /[^A-Za-z0-9_-]/.test(digits)) return false;
  return padding === 0 ? text.length % 4 !== 1 : text.length % 4 === 0;
}

/** RFC 3339 §5.6 as protobuf JSON has it: T and Z in upper case, up to nanoseconds. */
const instant = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.\d{1,9})?(?:Z|[+-](\d\d):(\d\d))$/;
const lengthsOfMonths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/**
 * Says whether a text has the form of an instant, and whether that instant exists (RFC 3339 §5.7): Date.parse, and with it
 * protobuf-es, turns 2026-02-30 into 2026-03-02. Leap seconds do not exist here: google.protobuf.Timestamp cannot hold them.
 */
export function checkInstant(text: string): "malformed" | "absent" | "there" {
  const parts = instant.exec(text);
  if (parts === null) return "malformed";
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0, zoneHour = 0, zoneMinute = 0] = parts
    .slice(1)
    .map((part: string | undefined) => Number(part ?? 0));
  const isLeapYear = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const days = (lengthsOfMonths[month - 1] ?? 0) + (month === 2 && isLeapYear ? 1 : 0);
  const isDay = year >= 1 && day >= 1 && day <= days;
  const isTime = hour <= 23 && minute <= 59 && second <= 59 && zoneHour <= 23 && zoneMinute <= 59;
  return isDay && isTime ? "there" : "absent";
}
