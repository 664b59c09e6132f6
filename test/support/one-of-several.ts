import type {
  Database,
  ReadTransaction,
  TableWatch,
  WriteTransaction,
} from "../../src/kernel/base/database.ts";

/** A database as one of several processes has it. */
export interface OneOfSeveral extends Database {
  /** How often the process asked what others have committed. */
  readonly refreshes: () => number;
  /** Makes it unable to learn anything: each refresh fails with the error. */
  failWith(error: Error): void;
}

/**
 * Makes a second process out of a database in this one: its watches know only what it has learnt by a refresh, by the first
 * statement of a read, or at the begin of a write, as the port says. Writes to `database` itself are those of the other process.
 */
export function asOneOfSeveral(database: Database): OneOfSeveral {
  const watches: { readonly inner: TableWatch; known: number }[] = [];
  let refreshes = 0;
  let failure: Error | undefined;
  const learn = () => {
    for (const watch of watches) watch.known = watch.inner.committed();
  };
  return {
    ...database,
    refreshes: () => refreshes,
    failWith(error) {
      failure = error;
    },
    async refresh() {
      refreshes += 1;
      await new Promise(setImmediate); // a round trip
      if (failure !== undefined) throw failure;
      learn();
    },
    read: (fn) => database.read((tx) => fn(learning(tx, learn))),
    async write<T>(fn: (tx: WriteTransaction) => Promise<T>, options?: Parameters<Database["write"]>[1]) {
      const result = await database.write((tx) => {
        learn();
        return fn(tx);
      }, options);
      learn();
      return result;
    },
    watch(tables) {
      const inner = database.watch(tables);
      const watch = { inner, known: inner.committed() };
      watches.push(watch);
      return {
        committed: () => watch.known,
        written: () => watch.known + inner.written() - inner.committed(),
      };
    },
  };
}

function learning(tx: ReadTransaction, learn: () => void): ReadTransaction {
  return {
    now: tx.now,
    async get(sql, parameters) {
      const row = tx.get<never>(sql, parameters);
      learn();
      return await row;
    },
    async all(sql, parameters) {
      const rows = tx.all<never>(sql, parameters);
      learn();
      return await rows;
    },
  };
}
