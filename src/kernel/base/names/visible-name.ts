import { type FieldViolation, fieldsInvalid } from "../problem.ts";

/**
 * Says whether a name shows all that it holds: it has no character that turns the direction of text, such as U+202E, and none without
 * a shape of its own, such as U+200B. The joiners U+200C and U+200D may stand between letters, and a variation selector behind a base,
 * because many languages and emoji are written with them.
 */
export function isVisible(name: string): boolean {
  return name.search(invisible) === -1;
}

/** Takes out what `isVisible` refuses: for names that come from outside, such as those of an identity provider. */
export function withoutInvisible(name: string): string {
  return name.replaceAll(invisible, "");
}

/** Names by their fields, as the protos call these. */
type Names = Readonly<Record<string, string>>;

/**
 * Returns a violation for each name that does not show all that it holds. A name that is stored already stays: a change that keeps it
 * passes.
 */
export function checkVisible(names: Names, stored: Names = {}): readonly FieldViolation[] {
  return Object.entries(names)
    .filter(([field, name]) => name !== stored[field] && !isVisible(name))
    .map(([field]) => ({ field, description }));
}

/** Raises FIELD_INVALID with what `checkVisible` finds. */
export function requireVisible(names: Names, stored?: Names): void {
  const violations = checkVisible(names, stored);
  if (violations.length > 0) throw fieldsInvalid(violations);
}

const description =
  "must not contain invisible characters or such that change the direction of text; only joiners between letters and variation selectors are allowed";

/**
 * What Unicode calls Default_Ignorable_Code_Point, which has all controls of direction, and the annotation characters. Allowed of
 * them are joiners that stand between letters with their marks (as in RFC 5892, appendix A.1 and A.2), and selectors behind a base
 * (Unicode 17.0, 23.4).
 */
const invisible =
  /(?!(?<=\p{L}\p{M}*)[\u200c\u200d](?=\p{M}*\p{L})|(?<=[^\p{M}\p{Z}\p{Cc}\p{Cf}\p{DI}])[\ufe00-\ufe0f\u{e0100}-\u{e01ef}\u180b-\u180d\u180f])[\p{DI}\ufff9-\ufffb]/gu;
