/**
 * Folds a name for the comparison of unique names: trim, NFKC, upper case, lower case, NFKC. Two names that fold to
 * the same text count as the same name. The folded form is stored beside the name and never shown.
 */
export function foldName(name: string): string {
  // Twice: after one pass a capital sharp s is a small one, and a spacing accent has a blank before it.
  return foldOnce(foldOnce(name));
}

function foldOnce(name: string): string {
  return name.trim().normalize("NFKC").toUpperCase().toLowerCase().normalize("NFKC");
}
