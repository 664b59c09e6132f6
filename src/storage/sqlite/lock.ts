import { join } from "node:path";
import Sqlite from "better-sqlite3";

/** Says that another process works on the data folder. */
export class DataFolderBusyError extends Error {}

/** Holds the data folder for one process; the kernel lets go of it when the process ends, however it ends. */
export interface DataFolderLock {
  release(): void;
}

/**
 * Takes the data folder for this process: an exclusive transaction on a small file of its own, because Node has no
 * flock. Throws DataFolderBusyError when another process holds it.
 */
export function lockDataFolder(folder: string): DataFolderLock {
  const connection = new Sqlite(join(folder, "gatehouse.lock"), { timeout: 0 });
  try {
    connection.exec("BEGIN EXCLUSIVE");
  } catch (error) {
    connection.close();
    if (error instanceof Sqlite.SqliteError && error.code.startsWith("SQLITE_BUSY")) {
      throw new DataFolderBusyError(`another process works on the data folder ${folder}`, { cause: error });
    }
    throw error;
  }
  return { release: () => connection.close() };
}
