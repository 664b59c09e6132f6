import { copyFileSync, existsSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import type Sqlite from "better-sqlite3";
import { type DataFolder, DataFolderError } from "../data-folder.ts";
import { isSqliteError, openConnection } from "./connection.ts";

/** The committed data of a folder, readable whether or not a service is writing to it. */
export interface Snapshot {
  readonly raw: Sqlite.Database;
  /** Whether `raw` is a private copy, which may be written to. */
  readonly isCopy: boolean;
}

/** Does the work with an empty folder of the caller. */
export type UseScratch = <T>(work: (folder: string) => T) => T;

/** How often copying starts again because a service started or stopped in the middle of it. */
const maxTries = 5;

/**
 * Opens the committed data, without the lock and without writing to the folder. While the files of the write-ahead
 * log exist, SQLite reads in place and shares them with the service. When they do not (no service is running), a
 * reader would create them and leave them behind, so the database is copied to an empty folder, which `useScratch` makes only
 * then. Throws DataFolderError, and what `useScratch` does.
 */
export function openSnapshot(folder: DataFolder, useScratch: UseScratch): Snapshot {
  try {
    for (let tries = 0; tries < maxTries; tries += 1) {
      if (existsSync(folder.databaseWal) && existsSync(folder.databaseShm))
        return { raw: openConnection(folder.database, { readonly: true }).raw, isCopy: false };
      const copy = useScratch((scratch) => copyDatabase(folder, scratch));
      if (copy !== undefined) return { raw: openConnection(copy, { readonly: false }).raw, isCopy: true };
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException; // of node:fs, or the driver's
    if (!isSqliteError(error) && code === undefined) throw error;
    throw new DataFolderError(`${folder.database} cannot be read: ${(error as Error).message}`, {
      cause: error,
    });
  }
  throw new DataFolderError(`${folder.database} keeps changing; try again`);
}

/**
 * Copies the whole database to a new file, page by page as it is on the disk, including any damage. Does not hold up
 * writers. It reads in one transaction; without it, each commit of the service would make the copy start again.
 */
export async function copySnapshot(raw: Sqlite.Database, file: string): Promise<void> {
  raw.exec("BEGIN");
  raw.prepare("SELECT 1 FROM sqlite_master").get();
  try {
    await raw.backup(file);
  } finally {
    raw.exec("COMMIT");
  }
}

/** Returns the name of the copy; undefined when the files changed during copying. */
function copyDatabase(folder: DataFolder, scratch: string): string | undefined {
  const copy = join(scratch, "gatehouse.db");
  const before = stateOf(folder);
  copyFileSync(folder.database, copy);
  if (existsSync(folder.databaseWal)) copyFileSync(folder.databaseWal, `${copy}-wal`);
  if (stateOf(folder) === before) return copy;
  for (const file of [copy, `${copy}-wal`]) rmSync(file, { force: true });
  return undefined;
}

function stateOf(folder: DataFolder): string {
  const states = [folder.database, folder.databaseWal, folder.databaseShm].map((file) => {
    const stat = statSync(file, { throwIfNoEntry: false, bigint: true });
    return stat === undefined ? "none" : `${stat.ino} ${stat.size} ${stat.mtimeNs}`;
  });
  return states.join(", ");
}
