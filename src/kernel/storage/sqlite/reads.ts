import { type Clock, createNow } from "../../base/clock.ts";
import type { ReadTransaction, SqlValue } from "../../base/database.ts";
import type { Connection } from "./connection.ts";
import { toReadProblem } from "./storage-error.ts";

/** Reads on a connection of their own. */
export interface Reads {
  run<T>(fn: (tx: ReadTransaction) => Promise<T>): Promise<T>;
  /** Call it at each commit, so that later reads see it. */
  onCommit(): void;
  /** Closes the snapshot if no read is using it. */
  closeIfUnused(): void;
  /** Resolves when no snapshot is open. */
  idle(): Promise<void>;
}

/**
 * A snapshot that several reads share. It lasts until the end of the turn of the event loop, or until the next
 * commit.
 */
interface Snapshot {
  isOpen: boolean;
  readers: number;
  /** Something has been committed since: current readers finish with it, new ones do not join. */
  isStale: boolean;
  /** Of `ForeignCommits`, from before it began. */
  readonly mark: bigint | undefined;
  readonly ended: PromiseWithResolvers<void>;
}

/** How reads learn of commits of other processes. */
export interface ForeignCommits {
  /** Returns a number that changes with each commit of any process. */
  mark(): bigint;
  /** Called when a snapshot has begun, before anything is read in it. Throws what SQLite throws. */
  onSnapshot(): void;
}

/**
 * Creates the reads. SQLite answers synchronously, so reads need no queue, and reads of one turn of the event loop
 * share a snapshot, which costs as much as a small query. A read that awaits anything but its statements is a bug,
 * and fails. `foreign`: absent if no other process writes.
 */
export function createReads(connection: Connection, clock: Clock, foreign?: ForeignCommits): Reads {
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
    const snapshot = createSnapshot(foreign?.mark());
    connection.run("BEGIN", []);
    foreign?.onSnapshot();
    setImmediate(() => end(snapshot));
    current.snapshot = snapshot;
    return snapshot;
  };
  const outdate = () => {
    const { snapshot } = current;
    if (snapshot === undefined) return;
    snapshot.isStale = true;
    if (snapshot.readers === 0) end(snapshot);
  };
  return {
    async run(fn) {
      if (isOutdated(current.snapshot, foreign)) outdate();
      while (current.snapshot?.isStale === true) await current.snapshot.ended.promise;
      let snapshot: Snapshot;
      try {
        snapshot = current.snapshot ?? begin();
      } catch (error) {
        throw toReadProblem(error);
      }
      const read = new Read(connection, snapshot, clock);
      snapshot.readers++;
      try {
        const result = await fn(read);
        read.requireOpen();
        return result;
      } catch (error) {
        // An I/O error may have ended the transaction for all reads that share it.
        if (!connection.raw.inTransaction) end(snapshot);
        throw toReadProblem(error);
      } finally {
        read.isOver = true;
        if (--snapshot.readers === 0 && snapshot.isStale) end(snapshot);
      }
    },
    onCommit: outdate,
    closeIfUnused() {
      if (current.snapshot?.readers === 0) end(current.snapshot);
    },
    async idle() {
      while (current.snapshot !== undefined) await current.snapshot.ended.promise;
    },
  };
}

/** Another process can have answered since a snapshot began in this very turn, and a read that comes now may not miss what. */
function isOutdated(snapshot: Snapshot | undefined, foreign: ForeignCommits | undefined): boolean {
  return foreign !== undefined && snapshot !== undefined && snapshot.mark !== foreign.mark();
}

function createSnapshot(mark: bigint | undefined): Snapshot {
  return { isOpen: true, readers: 0, isStale: false, mark, ended: Promise.withResolvers<void>() };
}

/** One read on a snapshot. A class, because every call creates one. */
class Read implements ReadTransaction {
  isOver = false;
  readonly now: ReadTransaction["now"];
  readonly #connection: Connection;
  readonly #snapshot: Snapshot;

  constructor(connection: Connection, snapshot: Snapshot, clock: Clock) {
    this.now = createNow(clock);
    this.#connection = connection;
    this.#snapshot = snapshot;
  }

  // The row type is the caller's claim about the statement; nothing here can check it.
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

/** Ends the transaction of a connection that only reads. Ignores errors: nothing can be lost. */
function endTransaction(connection: Connection): void {
  for (const statement of ["COMMIT", "ROLLBACK"]) {
    try {
      if (connection.raw.inTransaction) connection.run(statement, []);
    } catch {
      // The next read meets the error again.
    }
  }
}
