/**
 * Returns the original form of a code that was typed, or pasted from a message: digits of every script become ASCII digits
 * (Unicode, General_Category Nd), letters become capital letters of ASCII where they are that in full width, and spaces, hyphens
 * and invisible characters, such as the marks of text that is written from right to left, are left out. Nothing else changes, so a
 * text that is no code stays none.
 */
export function foldTypedCode(typed: string): string {
  return typed
    .replaceAll(/[\s\p{Pd}\p{Cf}\u2212]/gu, "")
    .replaceAll(/[\uff21-\uff3a\uff41-\uff5a]/g, (letter) => letter.normalize("NFKC"))
    .replaceAll(/\p{Nd}/gu, (digit) => String(valueOf(digit)))
    .toUpperCase();
}

/** The digits of a script follow each other from 0 to 9 (Unicode Standard §4.6), and so may those of several scripts. */
function valueOf(digit: string): number {
  const point = digit.codePointAt(0) ?? 0;
  let first = point;
  while (/^\p{Nd}$/u.test(String.fromCodePoint(first - 1))) first -= 1;
  return (point - first) % 10;
}
