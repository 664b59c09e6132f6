import { describe, expect, test } from "@jest/globals";
import * as fc from "fast-check";
import { parseDateTime, toDateTime } from "../../../src/kernel/xml/date-time.ts";

const noonMs = Date.UTC(2026, 10, 23, 12);

describe("an xs:dateTime", () => {
  test.each([
    ["2026-11-23T12:00:00Z", 0],
    ["2026-11-23T12:00:00", 0],
    ["2026-11-23T12:00:00.000Z", 0],
    ["2026-11-23T12:00:00.5Z", 500],
    ["2026-11-23T12:00:00.123456789Z", 123],
    ["2026-11-23T14:00:00+02:00", 0],
    ["2026-11-23T01:30:00-10:30", 0],
  ])("%s is read", (text, differenceMs) => {
    expect(parseDateTime(text)).toBe(noonMs + differenceMs);
  });

  test.each([
    "",
    "2026-11-23",
    "2026-11-23 12:00:00Z",
    " 2026-11-23T12:00:00Z",
    "2026-11-23T12:00Z",
    "2026-02-29T12:00:00Z",
    "2026-13-01T12:00:00Z",
    "2026-11-23T25:00:00Z",
    "2026-11-23T12:00:60Z",
    "2026-11-23T12:00:00.Z",
    "2026-11-23T12:00:00+15:00",
    "2026-11-23T12:00:00z",
    "12026-11-23T12:00:00Z",
    "-2026-11-23T12:00:00Z",
    "Mon, 23 Nov 2026 12:00:00 GMT",
    "1795435200",
  ])("%j is none", (text) => {
    expect(parseDateTime(text)).toBeUndefined();
  });

  test("is written as it is read", () => {
    expect(toDateTime(noonMs)).toBe("2026-11-23T12:00:00.000Z");
    const instants = fc.integer({ min: 0, max: Date.UTC(9999, 11, 31, 23, 59, 59, 999) });
    fc.assert(fc.property(instants, (instantMs) => parseDateTime(toDateTime(instantMs)) === instantMs));
  });
});
