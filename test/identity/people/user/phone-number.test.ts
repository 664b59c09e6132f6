import { describe, expect, test } from "@jest/globals";
import { normalizePhone } from "../../../../src/identity/people/user/phone-number.ts";

describe("a phone number", () => {
  test.each([
    ["+41 79 123 45 67", "+41791234567"],
    ["+41 (0)79 123-45-67", "+41791234567"],
    [" +41791234567 ", "+41791234567"],
    ["+1 202-555-0143", "+12025550143"],
    ["+447700900123", "+447700900123"],
  ])("%s is stored as %s", (text, number) => {
    expect(normalizePhone(text)).toBe(number);
  });

  test.each([
    "",
    "+",
    "abc",
    "0791234567",
    "0041791234567",
    "+999123456789",
    "+41 79",
    "+4179123456789012345",
    "+41791234567 ext 5",
    "+41791234567x",
    "call +41791234567",
    "+1 800 FLOWERS",
    "++41791234567",
    "+41\u0000791234567",
    ...["\0", "\t", "\n", "\v", "\f", "\r", "\r\n", "\u001f", "\u007f", "\u0085", "\u2028", "\u2029"].flatMap(
      (control) => [`${control}+41791234567`, `+41791234567${control}`, ` ${control} +41791234567`],
    ),
  ])("%j is refused", (text) => {
    expect(normalizePhone(text)).toBeUndefined();
  });
});
