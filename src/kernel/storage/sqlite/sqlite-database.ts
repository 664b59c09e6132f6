import type { Database } from "../../base/database.ts";
import { DataFolderError } from "../data-folder.ts";
import { ForeignDatabaseError } from "../schema-versions.ts";
import { createCheckpoints } from "./checkpoints.ts";
import { type Connection, isSqliteError, openConnection } from "./connection.ts";
import { createGroupCommit } from "./group-commit.ts";
import { readLastSequence } from "./last-sequence.ts";
import { migrate, requireKnownDatabase } from "./migrations.ts";
import { createProbe } from "./files/probe.ts";
import { createPurge } from "./purge.ts";
import { createReads } from "./reads.ts";
import { createSharedDatabase } from "./shared-database.ts";
import type { SqliteOptions } from "./sqlite-options.ts";
import { isStorageError } from "./storage-error.ts";
import { createTableWatches } from "../engine/table-watches.ts";

/**
 * Opens the file and migrates it to the newest version. One connection writes and another reads, so that reads never
 * see uncommitted data. The caller must hold the lock on the data folder. Throws DatabaseTooNewError for a database
 * of a newer version, DataFolderError for a file that is not a database or whose last sequence is impossible.
 */
export function openSqliteDatabase(options: SqliteOptions): Database {
  try {
    return open(options);
  } catch (error) {
    if (!isSqliteError(error) && !(error instanceof ForeignDatabaseError)) throw error;
    throw new DataFolderError(`${options.file} cannot be opened: ${error.message}`, { cause: error });
  }
}

function open(options: SqliteOptions): Database {
  const writer = openConnection(options.file, { readonly: false, approve: requireKnownDatabase });
  const reader = openReader(options, writer);
  requireSafeSequence(options, [reader, writer]);
  if (options.seat !== undefined)
    return createSharedDatabase({ ...options, seat: options.seat, reader, writer });
  const checkpoints = createCheckpoints(writer, options.file, options.onFatal);
  const { afterCommit } = checkpoints;
  const watches = createTableWatches();
  const commits = createGroupCommit({ ...options, connection: writer, watches, afterCommit });
  const probe = createProbe(options.file);
  const reads = createReads(reader, options.clock);
  commits.onCommit(reads.onCommit);
  const purge = createPurge(
    () => {
      reads.closeIfUnused();
      return checkpoints.purge();
    },
    async (work) => {
      await commits.untilNoTransaction();
      return work();
    },
  );
  void purge.run(); // of one that ended between a removal and its purge
  return {
    read: reads.run,
    write: commits.write,
    lastSequence: commits.lastSequence,
    purge: purge.run,
    probe: probe.run,
    onCommit: commits.onCommit,
    onOwnCommit: commits.onCommit,
    watch: watches.watch,
    watchOwn: watches.watch,
    refresh: () => undefined,
    isFailure: isStorageError,
    waitingWrites: commits.waiting,
    async close() {
      purge.stop();
      await commits.idle();
      await reads.idle();
      reader.close();
      checkpoints.purge(); // before SQLite moves the log at the close
      writer.close();
      checkpoints.close();
      probe.close();
    },
  };
}

function requireSafeSequence(
  { file }: SqliteOptions,
  [reader, writer]: readonly [Connection, Connection],
): void {
  const last = readLastSequence(writer);
  if (Number.isSafeInteger(last)) return;
  for (const opened of [reader, writer]) opened.close();
  throw new DataFolderError(
    `${file} is damaged: it contains an event with the sequence ${last}; restore a backup`,
  );
}

/**
 * Migrates the database to the newest version, then opens the connection for reading. Closes the writer if that
 * fails.
 */
function openReader(options: SqliteOptions, writer: Connection): Connection {
  try {
    migrate(writer.raw, options.clock.nowMs());
    return openConnection(options.file, { readonly: true });
  } catch (error) {
    writer.close();
    throw error;
  }
}
