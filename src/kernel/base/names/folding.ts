/**
 * Folds a name for the comparison of unique names: what is not seen goes (Default_Ignorable_Code_Point, such as the joiners of
 * letters), then trim, NFKC, upper case, lower case, NFKC. Two names that fold to the same text count as the same name.
 */
export function foldName(name: string): string {
  if (isPlain(name)) return name.trim().toLowerCase();
  return foldSpelling(name.replaceAll(ignored, ""));
}

/** Folds a name as `foldName` does, but keeps what is not seen: names that count as the same may differ in it. */
export function foldSpelling(name: string): string {
  if (isPlain(name)) return name.trim().toLowerCase();
  // Twice: one pass turns a capital sharp s into a small one, and a spacing accent into a blank and a combining
  // accent.
  return foldOnce(foldOnce(name));
}

/** Says whether the name has something that `foldName` leaves out. */
export function isFoldedAway(name: string): boolean {
  return !isPlain(name) && name.search(ignored) !== -1;
}

/** Writes the letters A to Z small, as `lower` of the database does; all others stay as they are. */
export function lowerAscii(text: string): string {
  return text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/** With the annotation characters, which are not seen either. */
const ignored = /[\p{DI}\ufff9-\ufffb]/gu;

/** Says whether a text has printable characters of ASCII alone, as most names: folding makes their letters small, and no more. */
export function isPlain(name: string): boolean {
  return /^[ -~]*$/.test(name);
}

function foldOnce(name: string): string {
  return name.trim().normalize("NFKC").toUpperCase().toLowerCase().normalize("NFKC");
}
