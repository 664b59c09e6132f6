import type { FieldViolation } from "../../../kernel/base/problem.ts";

/** Returns a violation for a text that is not a language tag (BCP 47, RFC 5646 §2.1); none for an empty one. */
export function checkLanguage(field: string, tag: string): readonly FieldViolation[] {
  if (tag === "") return [];
  try {
    Intl.getCanonicalLocales(tag);
    return [];
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return [{ field, description: "must be a BCP 47 language tag such as de-CH" }];
  }
}
