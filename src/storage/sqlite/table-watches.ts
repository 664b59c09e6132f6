import type { TableWatch } from "../../base/database.ts";

/** The watches of a database, and what must be told to them. */
export interface TableWatches {
  watch(tables: readonly string[]): TableWatch;
  /** To be called before each statement that writes. */
  onStatement(sql: string): void;
  /** To be called once the transaction has ended, whichever way. */
  onTransactionEnd(): void;
}

interface Counts {
  readonly tables: ReadonlySet<string>;
  committed: number;
  written: number;
}

/** Creates watches of nothing. */
export function createTableWatches(): TableWatches {
  const watches: Counts[] = [];
  /** By the text of the statement: there are as many as were prepared. */
  let concerned = new Map<string, readonly Counts[]>();
  const find = (sql: string): readonly Counts[] => {
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
    onStatement(sql) {
      let those = concerned.get(sql);
      if (those === undefined) concerned.set(sql, (those = find(sql)));
      for (const counts of those) counts.written++;
    },
    onTransactionEnd() {
      for (const counts of watches) counts.committed = counts.written;
    },
  };
}

/** Returns the table that a statement writes to; undefined when it cannot be told, which counts as all of them. */
function tableOf(sql: string): string | undefined {
  return /^\s*(?:INSERT\s+INTO|UPDATE|DELETE\s+FROM)\s+(\w+)/.exec(sql)?.[1];
}
