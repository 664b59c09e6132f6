import { createNow } from "../../base/clock.ts";
import type { Database, ReadTransaction, SqlValue } from "../../base/database.ts";
import { createTableWatches } from "../engine/table-watches.ts";
import { type Connection, openConnection } from "./connection.ts";
import { openEmptyDatabase } from "./empty-database.ts";
import { createGroupCommit } from "./group-commit.ts";
import { migrate } from "./migrations.ts";
import type { SqliteOptions } from "./sqlite-options.ts";
import { isStorageError, toReadProblem } from "./storage-error.ts";
import { createTurns, type Turns } from "./turns.ts";

/** A database that is gone with its process, and can go back to what it was. */
export interface MemoryDatabase extends Database {
  /** Remembers what is stored now, instead of what was remembered before. */
  mark(): Promise<void>;
  /**
   * Goes back to what `mark` has remembered, after the writes that wait. Sequences and ids go on, so that nothing of before is taken for
   * something of after. Watches tell of all tables. Throws when nothing was remembered.
   */
  restore(): Promise<void>;
}

/** What it is opened with. */
export interface MemoryOptions extends Omit<SqliteOptions, "file"> {
  /** The bytes of a database, of which it becomes a copy. Absent: it is empty. */
  readonly bytes?: Buffer | undefined;
}

/**
 * Opens a database in memory with the tables of the newest version. SQLite gives a database in memory one connection, so
 * reads wait while a write is under way, and never see what is not committed.
 */
export function openMemoryDatabase(options: MemoryOptions): MemoryDatabase {
  const connection = createReplaceable(openFirst(options));
  const turns = createTurns();
  const watches = createTableWatches();
  const commits = createGroupCommit({
    ...options,
    connection,
    watches,
    untilAlone: turns.write,
    afterCommit: turns.endWrite,
  });
  let marked: Buffer | undefined;
  const alone = async (work: () => void): Promise<void> => {
    await turns.write();
    try {
      work();
    } finally {
      turns.endWrite();
    }
  };
  return {
    read: createReads(connection, options, turns),
    write: commits.write,
    lastSequence: commits.lastSequence,
    purge: async () => {}, // there is no file
    probe: async () => {},
    onCommit: commits.onCommit,
    onOwnCommit: commits.onCommit,
    watch: watches.watch,
    watchOwn: watches.watch,
    refresh: () => undefined,
    isFailure: isStorageError,
    waitingWrites: commits.waiting,
    async mark() {
      await alone(() => {
        marked = connection.raw.serialize();
      });
    },
    async restore() {
      if (marked === undefined) throw new Error("nothing was marked");
      const next = openConnection(marked, { readonly: false });
      await alone(() => {
        connection.replace(next);
        watches.onForeignCommit();
      });
    },
    async close() {
      await commits.idle();
      await turns.write(); // the last one
      connection.close();
    },
  };
}

function openFirst({ bytes, clock }: MemoryOptions): Connection {
  if (bytes === undefined) return openEmptyDatabase(clock.nowMs());
  const connection = openConnection(bytes, { readonly: false });
  migrate(connection.raw, clock.nowMs());
  return connection;
}

function createReads(connection: Connection, options: MemoryOptions, turns: Turns): Database["read"] {
  return async (fn) => {
    const turn = turns.read();
    if (turn !== undefined) await turn;
    const read = createRead(connection, options);
    try {
      return await fn(read.tx);
    } catch (error) {
      throw toReadProblem(error);
    } finally {
      read.end();
      turns.endRead();
    }
  };
}

/** Creates a connection behind which another one can be put. */
function createReplaceable(first: Connection): Connection & { replace(next: Connection): void } {
  let current = first;
  return {
    get raw() {
      return current.raw;
    },
    get: (sql, parameters) => current.get(sql, parameters),
    all: (sql, parameters) => current.all(sql, parameters),
    run: (sql, parameters) => current.run(sql, parameters),
    close: () => current.close(),
    replace(next) {
      current.close();
      current = next;
    },
  };
}

function createRead(connection: Connection, { clock }: Pick<SqliteOptions, "clock">) {
  let isOver = false;
  const requireOpen = () => {
    if (isOver) throw new Error("a transaction was used after its end");
  };
  // The row type is the caller's claim about the statement; nothing here can check it.
  const tx: ReadTransaction = {
    now: createNow(clock),
    async get<Row>(sql: string, parameters: readonly SqlValue[] = []) {
      requireOpen();
      return connection.get(sql, parameters) as Row | undefined;
    },
    async all<Row>(sql: string, parameters: readonly SqlValue[] = []) {
      requireOpen();
      return connection.all(sql, parameters) as Row[];
    },
  };
  const end = () => {
    isOver = true;
  };
  return { tx, end };
}
