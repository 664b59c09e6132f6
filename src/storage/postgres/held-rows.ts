import type { SqlValue } from "../../base/database.ts";
import type { RowInsert } from "./statements.ts";

/** A row that is held back. `owner` is the number of its command within the batch. */
export interface HeldRow {
  readonly values: readonly SqlValue[];
  readonly owner: number;
}

/** Rows of one INSERT that are sent together. */
export interface RowGroup {
  readonly insert: RowInsert;
  readonly rows: readonly HeldRow[];
}

/** Most rows of one statement, a power of two. */
const maxRowsPerStatement = 64;

/** Rows that have been inserted as far as their commands can tell, but not sent. In order per table. */
export class HeldRows {
  #groups = new Map<RowInsert, HeldRow[]>();
  #count = 0;

  get count(): number {
    return this.#count;
  }

  add(insert: RowInsert, row: HeldRow): void {
    const rows = this.#groups.get(insert);
    if (rows === undefined) this.#groups.set(insert, [row]);
    else rows.push(row);
    this.#count += 1;
  }

  /** Takes over the rows of others, behind its own. */
  append(others: HeldRows): void {
    for (const { insert, rows } of others.takeAll()) for (const row of rows) this.add(insert, row);
  }

  /** Says whether rows of one of the tables are held. */
  touches(tables: ReadonlySet<string>): boolean {
    for (const insert of this.#groups.keys()) if (tables.has(insert.table)) return true;
    return false;
  }

  /** Removes and returns the rows of these tables, and of every table that comes before them. */
  take(tables: ReadonlySet<string>): readonly RowGroup[] {
    const groups = [...this.#groups].filter(([insert]) => tables.has(insert.table));
    for (const [insert, rows] of groups) {
      this.#groups.delete(insert);
      this.#count -= rows.length;
    }
    return groups.map(([insert, rows]) => ({ insert, rows }));
  }

  /** Removes and returns all rows. */
  takeAll(): readonly RowGroup[] {
    const groups = [...this.#groups];
    this.#groups = new Map();
    this.#count = 0;
    return groups.map(([insert, rows]) => ({ insert, rows }));
  }
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
