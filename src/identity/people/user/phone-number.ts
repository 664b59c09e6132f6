import { createRequire } from "node:module";
import type * as phoneLibrary from "libphonenumber-js/min";
import { type FieldViolation, fieldsInvalid } from "../../../kernel/base/problem.ts";

const require = createRequire(import.meta.url);

/**
 * Converts a phone number to E.164; undefined when the text is no phone number. It must start with `+` and the country code,
 * and have a length that the country uses. Whether the number range is in use is not checked: ranges open faster than
 * programs are updated, so the small metadata is enough, and the SMS will show.
 */
export function normalizePhone(text: string): string | undefined {
  if (controlCharacter.test(text)) return undefined; // `trim` and the library drop some of them unseen
  // Loaded with the first number: its 93 files take 60 ms, which every start would have to wait for.
  const { parsePhoneNumberFromString } = require("libphonenumber-js/min") as typeof phoneLibrary;
  const number = parsePhoneNumberFromString(text.trim(), { extract: false });
  if (number === undefined || number.ext !== undefined || !number.isPossible()) return undefined;
  return /^\+[1-9]\d{1,14}$/.test(number.number) ? number.number : undefined;
}

/** Control characters, and the separators of lines and paragraphs, which act like them. */
const controlCharacter = /[\p{Cc}\p{Zl}\p{Zp}]/u;

/** Returns a violation for a text that is not a phone number. */
export function checkPhone(field: string, text: string): readonly FieldViolation[] {
  if (normalizePhone(text) !== undefined) return [];
  return [{ field, description: "must be a phone number with its country code, such as +41 79 123 45 67" }];
}

/** Returns the number in E.164. Raises FIELD_INVALID on `phone`. */
export function parsePhone(text: string): string {
  const number = normalizePhone(text);
  if (number === undefined) throw fieldsInvalid(checkPhone("phone", text));
  return number;
}
