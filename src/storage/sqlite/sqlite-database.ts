import type { Clock } from "../../base/clock.ts";
import type { Database, ReadTransaction, SqlValue } from "../../base/database.ts";
import { DataFolderError } from "../data-folder.ts";
import { createCheckpoints } from "./checkpoints.ts";
import { type Connection, isSqliteError, openConnection } from "./connection.ts";
import { createGroupCommit } from "./group-commit.ts";
import { ForeignDatabaseError, migrate, requireKnownDatabase } from "./migrations.ts";
import { createPurge } from "./purge.ts";
import { toReadProblem } from "./storage-error.ts";
import { withinTurn } from "./turn.ts";

export interface SqliteOptions {
  readonly file: string;
  readonly clock: Clock;
  /**
   * Called when the disk did not confirm a commit: what was acknowledged is safe, but nothing may be acknowledged any
   * more. Must end the process.
   */
  readonly onFatal: (error: Error) => void;
}

/** A Database on one SQLite file, and what the start needs to know of it. */
export interface SqliteDatabase extends Database {
  /** Returns the last sequence that was given; 0 in an empty database. */
  lastSequence(): number;
}

/**
 * Opens the file and brings it to the newest version. One connection writes, one reads, so that nobody reads what is
 * not committed. The caller holds the lock on the data folder. Throws DatabaseTooNewError for a database of a newer version,
 * DataFolderError for a file that is no database.
 */
export function openSqliteDatabase(options: SqliteOptions): SqliteDatabase {
  try {
    return open(options);
  } catch (error) {
    if (!isSqliteError(error) && !(error instanceof ForeignDatabaseError)) throw error;
    throw new DataFolderError(`${options.file} cannot be opened: ${error.message}`, { cause: error });
  }
}

function open(options: SqliteOptions): SqliteDatabase {
  const writer = openConnection(options.file, { readonly: false, approve: requireKnownDatabase });
  const reader = openReader(options, writer);
  const checkpoints = createCheckpoints(writer, options.file, options.onFatal);
  const { afterCommit } = checkpoints;
  const commits = createGroupCommit({ ...options, connection: writer, afterCommit });
  const reads = createReads(reader);
  const purge = createPurge(checkpoints.purge);
  void purge.run(); // of one that ended between a removal and its purge
  return {
    read: reads.run,
    write: commits.write,
    lastSequence: commits.lastSequence,
    purge: purge.run,
    onCommit: commits.onCommit,
    async close() {
      purge.stop();
      await commits.idle();
      await reads.idle();
      reader.close();
      checkpoints.purge(); // before SQLite moves the log at the close
      writer.close();
      checkpoints.close();
    },
  };
}

/** Brings the database to the newest version, then opens the connection for reading. Closes the writer when it fails. */
function openReader(options: SqliteOptions, writer: Connection): Connection {
  try {
    migrate(writer.raw, options.clock.nowMs());
    return openConnection(options.file, { readonly: true });
  } catch (error) {
    writer.close();
    throw error;
  }
}

/** Runs reads one after the other, each on a snapshot of its own that is taken when it starts. */
function createReads(connection: Connection) {
  let tail: Promise<unknown> = Promise.resolve();
  const runOne = async <T>(fn: (tx: ReadTransaction) => Promise<T>): Promise<T> => {
    const tx = openTransaction(connection);
    try {
      connection.run("BEGIN", []);
      const result = await withinTurn(fn(tx.transaction));
      connection.run("COMMIT", []);
      return result;
    } catch (error) {
      // An I/O error can have ended the transaction already; a failing ROLLBACK must not hide it.
      if (connection.raw.inTransaction) connection.run("ROLLBACK", []);
      throw toReadProblem(error);
    } finally {
      tx.end();
    }
  };
  return {
    run<T>(fn: (tx: ReadTransaction) => Promise<T>): Promise<T> {
      const result = tail.then(() => runOne(fn));
      tail = result.catch(() => undefined); // the caller hears of the error; the next read does not care
      return result;
    },
    idle: () => tail,
  };
}

function openTransaction(connection: Connection) {
  let isOpen = true;
  const use = () => {
    if (!isOpen) throw new Error("a transaction was used after its end");
    return connection;
  };
  const transaction: ReadTransaction = {
    // The row type is the caller's claim about his own statement; nothing here can check it.
    get: async <Row>(sql: string, parameters: readonly SqlValue[] = []) =>
      use().get(sql, parameters) as Row | undefined,
    all: async <Row>(sql: string, parameters: readonly SqlValue[] = []) =>
      use().all(sql, parameters) as Row[],
  };
  return {
    transaction,
    end: () => {
      isOpen = false;
    },
  };
}
