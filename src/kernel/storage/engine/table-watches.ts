import type { TableWatch } from "../../base/database.ts";

/** The watches of a database, and the calls that keep them current. */
export interface TableWatches {
  watch(tables: readonly string[]): TableWatch;
  /** Returns a number that changes whenever `written()` of a watch does. */
  revision(): number;
  /** Call it before each statement that writes. A statement that is not `isTold` changes nothing. */
  onStatement(sql: string): void;
  /** Call it when the transaction has ended, committed or not. */
  onTransactionEnd(): void;
  /** Call it when another process may have committed a write to any table. */
  onForeignCommit(): void;
}

interface Counts {
  readonly tables: ReadonlySet<string>;
  committed: number;
  written: number;
}

/** Creates watches; no table is watched yet. */
export function createTableWatches(): TableWatches {
  const watches: Counts[] = [];
  let revision = 0;
  /** By the text of the statement: there are only as many as prepared statements. */
  let concerned = new Map<string, readonly Counts[]>();
  const find = (sql: string): readonly Counts[] => {
    if (!isTold(sql)) return [];
    const table = tableOf(sql);
    return watches.filter(({ tables }) => table === undefined || tables.has(table));
  };
  return {
    watch(tables) {
      const counts: Counts = { tables: new Set(tables), committed: 0, written: 0 };
      watches.push(counts);
      concerned = new Map();
      return { committed: () => counts.committed, written: () => counts.written };
    },
    revision: () => revision,
    onStatement(sql) {
      let those = concerned.get(sql);
      if (those === undefined) concerned.set(sql, (those = find(sql)));
      for (const counts of those) counts.written++;
      revision += those.length;
    },
    onTransactionEnd() {
      for (const counts of watches) counts.committed = counts.written;
    },
    onForeignCommit() {
      revision += 1;
      for (const counts of watches) {
        counts.committed += 1;
        counts.written += 1;
      }
    },
  };
}

/**
 * Statements that leave everything true that may be remembered. Only existing rows are remembered, never that a row is missing, so
 * a new user, a new project, or the key of a new user changes nothing. Nor does a username that is taken from a user of a removed
 * organization, because no statement finds that user.
 */
const untold = [
  /^\s*INSERT\s+INTO\s+(?:secrets|stored_projects|stored_users)\b(?!.*\bON\s+CONFLICT\b)/s,
  /^\s*UPDATE\s+stored_users\s+SET\s+folded_username\s*=\s*NULL\s+WHERE\b/,
];

/** Says whether watches tell of a statement that writes to their tables. */
export function isTold(sql: string): boolean {
  return !untold.some((form) => form.test(sql));
}

/** Returns the table that a statement writes to; undefined when that is unclear, which counts as every table. */
export function tableOf(sql: string): string | undefined {
  return /^\s*(?:INSERT\s+INTO|UPDATE|DELETE\s+FROM)\s+(\w+)/.exec(sql)?.[1];
}
