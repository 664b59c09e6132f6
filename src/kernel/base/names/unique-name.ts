// Unique names in tables. A column holds the folded name. Of a name with characters that are not seen it holds the spelling as well,
// behind a character that no name has: `ab`, and `ab` U+001F `a<joiner>b`. So they stand side by side in the index of the column, and
// older names that count as the same today both stay.
import type { ReadTransaction } from "../database.ts";
import { foldName, foldSpelling, isFoldedAway } from "./folding.ts";
import { always, allOf, type Condition } from "../sql.ts";

/** Makes what the column of a unique name holds. It is never shown. */
export function toUniqueName(name: string): string {
  return isFoldedAway(name) ? `${foldName(name)}\u001f${foldSpelling(name)}` : foldName(name);
}

/**
 * Compares the column of a unique name, or an expression of its values, with a name: every name that counts as the same is met. Of
 * names from before there were spellings, and from processes of that version, only the spelling is met.
 */
export function hasName(column: string, name: string): Condition {
  const folded = foldName(name);
  const range = { sql: `${column} >= ? AND ${column} < ?`, parameters: [folded, `${folded} `] };
  if (!isFoldedAway(name)) return range;
  return {
    sql: `(${range.sql} OR ${column} = ?)`,
    parameters: [...range.parameters, foldSpelling(name)],
  };
}

/** Says whether anything but `kept` has a name that counts as the same. An object that keeps its name needs no check. */
export async function isNameTaken(
  tx: ReadTransaction,
  asked: {
    /** The table or view. */
    readonly from: string;
    readonly column: string;
    /** Where the name is unique; by default in the whole table. */
    readonly within?: Condition;
    readonly name: string;
    readonly kept?: { readonly id: string; readonly name: string } | undefined;
  },
): Promise<boolean> {
  const { from, column, within = always, name, kept } = asked;
  if (kept?.name === name) return false;
  const where = allOf([within, hasName(column, name)]);
  const rows = await tx.all<{ id: string }>(`SELECT id FROM ${from} WHERE ${where.sql}`, where.parameters);
  return rows.some(({ id }) => id !== kept?.id);
}

/**
 * Chooses among objects whose names count as the same: the one with that very spelling, else the one whose name has nothing that is
 * not seen, else the only one. Undefined if none of these is there.
 */
export function chooseNamed<T>(
  objects: readonly T[],
  name: string,
  nameOf: (object: T) => string,
): T | undefined {
  const spelling = foldSpelling(name);
  return (
    objects.find((object) => foldSpelling(nameOf(object)) === spelling) ??
    objects.find((object) => !isFoldedAway(nameOf(object))) ??
    (objects.length === 1 ? objects[0] : undefined)
  );
}
