import type { ReadTransaction, SqlValue } from "../../base/database.ts";
import type { Connection } from "./connection.ts";
import { toReadProblem } from "./storage-error.ts";

/** Reads on a connection of their own. */
export interface Reads {
  run<T>(fn: (tx: ReadTransaction) => Promise<T>): Promise<T>;
  /** To be called at each commit: what is read from now on sees it. */
  onCommit(): void;
  /** Lets go of the snapshot when nobody reads. */
  closeIfUnused(): void;
  /** Resolves when nobody reads. */
  idle(): Promise<void>;
}

/** What the reads that share it see. It lasts to the end of the turn of the event loop, or to the next commit. */
interface Snapshot {
  isOpen: boolean;
  readers: number;
  /** Something was committed since: the readers finish with it, and nobody joins them. */
  isStale: boolean;
  readonly ended: PromiseWithResolvers<void>;
}

/**
 * Creates the reads. SQLite answers at once, so they need no queue, and those of one turn of the event loop share a snapshot,
 * which costs as much as a small query. A read that awaits anything else than its statements is a bug, and is refused.
 */
export function createReads(connection: Connection): Reads {
  const current: { snapshot: Snapshot | undefined } = { snapshot: undefined };
  const end = (snapshot: Snapshot) => {
    if (current.snapshot !== snapshot) return;
    current.snapshot = undefined;
    snapshot.isOpen = false;
    endTransaction(connection);
    snapshot.ended.resolve();
  };
  const begin = (): Snapshot => {
    endTransaction(connection);
    connection.run("BEGIN", []);
    const snapshot: Snapshot = {
      isOpen: true,
      readers: 0,
      isStale: false,
      ended: Promise.withResolvers<void>(),
    };
    setImmediate(() => end(snapshot));
    current.snapshot = snapshot;
    return snapshot;
  };
  return {
    async run(fn) {
      while (current.snapshot?.isStale === true) await current.snapshot.ended.promise;
      let snapshot: Snapshot;
      try {
        snapshot = current.snapshot ?? begin();
      } catch (error) {
        throw toReadProblem(error);
      }
      const read = new Read(connection, snapshot);
      snapshot.readers++;
      try {
        const result = await fn(read);
        read.requireOpen();
        return result;
      } catch (error) {
        // An I/O error can have ended the transaction for all who share it.
        if (!connection.raw.inTransaction) end(snapshot);
        throw toReadProblem(error);
      } finally {
        read.isOver = true;
        if (--snapshot.readers === 0 && snapshot.isStale) end(snapshot);
      }
    },
    onCommit() {
      const { snapshot } = current;
      if (snapshot === undefined) return;
      snapshot.isStale = true;
      if (snapshot.readers === 0) end(snapshot);
    },
    closeIfUnused() {
      if (current.snapshot?.readers === 0) end(current.snapshot);
    },
    async idle() {
      while (current.snapshot !== undefined) await current.snapshot.ended.promise;
    },
  };
}

/** One read on a snapshot. A class: there is one for each call. */
class Read implements ReadTransaction {
  isOver = false;
  readonly #connection: Connection;
  readonly #snapshot: Snapshot;

  constructor(connection: Connection, snapshot: Snapshot) {
    this.#connection = connection;
    this.#snapshot = snapshot;
  }

  // The row type is the caller's claim about his own statement; nothing here can check it.
  async get<Row>(sql: string, parameters: readonly SqlValue[] = []): Promise<Row | undefined> {
    this.requireOpen();
    return this.#connection.get(sql, parameters) as Row | undefined;
  }

  async all<Row>(sql: string, parameters: readonly SqlValue[] = []): Promise<readonly Row[]> {
    this.requireOpen();
    return this.#connection.all(sql, parameters) as Row[];
  }

  requireOpen(): void {
    if (this.isOver) throw new Error("a transaction was used after its end");
    if (!this.#snapshot.isOpen) throw new Error("a transaction awaited something other than its statements");
  }
}

/** Ends the transaction of a connection that only reads. There is nothing to lose, and nobody to hear of an error. */
function endTransaction(connection: Connection): void {
  for (const statement of ["COMMIT", "ROLLBACK"]) {
    try {
      if (connection.raw.inTransaction) connection.run(statement, []);
    } catch {
      // The next read meets it again.
    }
  }
}
