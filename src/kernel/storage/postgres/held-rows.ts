import type { SqlValue } from "../../base/database.ts";
import type { Equality, Lookup } from "./lookups.ts";
import type { RowInsert } from "./statements.ts";

/** A row that is held back. `owner` is the number of its command within the batch. */
export interface UnsentRow {
  readonly values: readonly SqlValue[];
  readonly owner: number;
}

/** Rows of one INSERT that are sent together. */
export interface RowGroup {
  readonly insert: RowInsert;
  readonly rows: readonly UnsentRow[];
}

/** Most rows of one statement, a power of two. */
const maxRowsPerStatement = 64;

/**
 * Rows that have been inserted as far as their commands can tell, but not sent. They leave in order per table, and rows of a table
 * after the rows of the tables that it refers to.
 */
export class HeldRows {
  readonly #groups = new Map<RowInsert, UnsentRow[]>();
  #count = 0;

  get count(): number {
    return this.#count;
  }

  add(insert: RowInsert, row: UnsentRow): void {
    const rows = this.#groups.get(insert);
    if (rows === undefined) this.#groups.set(insert, [row]);
    else rows.push(row);
    this.#count += 1;
  }

  /** Takes over the rows of others, behind its own. */
  append(others: HeldRows): void {
    for (const { insert, rows } of others.take()) for (const row of rows) this.add(insert, row);
  }

  /** Says whether rows of one of the tables are held. */
  touches(tables: ReadonlySet<string>): boolean {
    for (const insert of this.#groups.keys()) if (tables.has(insert.table)) return true;
    return false;
  }

  /** Says whether a row is held that the lookup may find. */
  has(lookup: Lookup, parameters: readonly SqlValue[]): boolean {
    for (const [insert, rows] of this.#groups) {
      if (insert.table !== lookup.table) continue;
      if (rows.some(({ values }) => mayFind(lookup, parameters, { insert, values }))) return true;
    }
    return false;
  }

  /** Removes and returns the rows of these tables; of all if none are given. */
  take(tables?: ReadonlySet<string>): readonly RowGroup[] {
    const groups: RowGroup[] = [];
    for (const [insert, rows] of this.#groups) {
      if (tables?.has(insert.table) === false) continue;
      this.#groups.delete(insert);
      this.#count -= rows.length;
      groups.push({ insert, rows });
    }
    return groups.toSorted((one, other) => one.insert.rank - other.insert.rank);
  }
}

/** Says whether a lookup with these parameters may find the row. */
export function mayFind(
  { table, conditions }: Lookup,
  parameters: readonly SqlValue[],
  row: { readonly insert: RowInsert; readonly values: readonly SqlValue[] },
): boolean {
  const { values } = row;
  const { columns } = row.insert;
  if (row.insert.table !== table) return false;
  return columns === undefined || conditions.every((each) => mayHold(each, { columns, values }, parameters));
}

/** Says whether a row may fulfil the condition. Only different texts are known to differ for PostgreSQL as well. */
function mayHold(
  { column, parameter }: Equality,
  { columns, values }: { readonly columns: readonly string[]; readonly values: readonly SqlValue[] },
  parameters: readonly SqlValue[],
): boolean {
  const held = values[columns.indexOf(column)];
  const wanted = parameters[parameter];
  return typeof held !== "string" || typeof wanted !== "string" || held === wanted;
}

/** Cuts a group into statements whose numbers of rows are powers of two. */
export function splitGroup({ insert, rows }: RowGroup): readonly RowGroup[] {
  const parts: RowGroup[] = [];
  for (let at = 0; at < rows.length; ) {
    const size = 2 ** Math.floor(Math.log2(Math.min(rows.length - at, maxRowsPerStatement)));
    parts.push({ insert, rows: rows.slice(at, at + size) });
    at += size;
  }
  return parts;
}
