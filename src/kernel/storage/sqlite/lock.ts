import Sqlite from "better-sqlite3";
import { type DataFolder, DataFolderBusyError, DataFolderError } from "../data-folder.ts";
import { isSqliteError } from "./connection.ts";

/** Holds the data folder for one process; the kernel releases it when the process ends, however it ends. */
export interface DataFolderLock {
  release(): void;
}

/**
 * Takes the data folder for this process: an exclusive transaction on a small file of its own, because Node has no
 * flock. Throws DataFolderBusyError when another process holds it, DataFolderError when the file cannot be opened.
 */
export function lockDataFolder(folder: DataFolder): DataFolderLock {
  const file = folder.lock;
  let connection: Sqlite.Database | undefined;
  try {
    connection = new Sqlite(file, { timeout: 0 });
    connection.exec("BEGIN EXCLUSIVE");
  } catch (error) {
    connection?.close();
    if (!isSqliteError(error)) throw error;
    if (error.code.startsWith("SQLITE_BUSY")) {
      throw new DataFolderBusyError(
        `another process is using the data folder ${folder.path}; stop it first`,
        { cause: error },
      );
    }
    throw new DataFolderError(`${file} cannot be opened: ${error.message}`, { cause: error });
  }
  const held = connection;
  return { release: () => held.close() };
}
