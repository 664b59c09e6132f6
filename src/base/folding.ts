/**
 * Folds a name for the comparison of unique names: trim, NFKC, upper case, lower case, NFKC. Two names that fold to
 * the same text count as the same name. The folded form is stored beside the name and never shown.
 */
export function foldName(name: string): string {
  // Twice: one pass turns a capital sharp s into a small one, and a spacing accent into a blank and a combining
  // accent.
  return foldOnce(foldOnce(name));
}

function foldOnce(name: string): string {
  return name.trim().normalize("NFKC").toUpperCase().toLowerCase().normalize("NFKC");
}

/** Writes the letters A to Z small, as `lower` of the database does; all others stay as they are. */
export function lowerAscii(text: string): string {
  return text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());
}
