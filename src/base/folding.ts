/**
 * Folds a name for the comparison of unique names: trim, NFKC, upper case, lower case, NFKC. Two names that fold to
 * the same text count as the same name. The folded form is stored beside the name and never shown.
 */
export function foldName(name: string): string {
  return name.trim().normalize("NFKC").toUpperCase().toLowerCase().normalize("NFKC");
}
