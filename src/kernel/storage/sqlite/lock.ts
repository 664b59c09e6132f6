import Sqlite from "better-sqlite3";
import { type DataFolder, DataFolderBusyError, DataFolderError } from "../data-folder.ts";
import { isSqliteError } from "./connection.ts";

/** Holds the data folder for one process; the kernel releases it when the process ends, however it ends. */
export interface DataFolderLock {
  release(): void;
}

/**
 * How a process takes the folder: alone, or for processes that it begins, or as one of these. The last two only exclude processes that do
 * not belong to them.
 */
export type LockMode = "alone" | "for-others" | "as-one-of-them";

/** The statements of each. A transaction that has begun to read excludes only those that write; one that is to write, all other such. */
const statements: Readonly<Record<LockMode, readonly string[]>> = {
  alone: ["BEGIN EXCLUSIVE"],
  // No process of an earlier start may be left.
  "for-others": ["BEGIN EXCLUSIVE", "ROLLBACK", "BEGIN IMMEDIATE"],
  "as-one-of-them": ["BEGIN", "SELECT COUNT(*) FROM sqlite_schema"],
};

/**
 * Takes the data folder for this process: a transaction on a small file of its own, because Node has no
 * flock. Throws DataFolderBusyError when another process holds it, DataFolderError when the file cannot be opened.
 */
export function lockDataFolder(folder: DataFolder, mode: LockMode = "alone"): DataFolderLock {
  const file = folder.lock;
  let connection: Sqlite.Database | undefined;
  try {
    connection = new Sqlite(file, { timeout: 0 });
    connection.pragma("journal_mode = MEMORY"); // nothing is ever written
    for (const statement of statements[mode]) connection.exec(statement);
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
