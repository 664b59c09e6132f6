import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import Sqlite from "better-sqlite3";
import type { DataFolder } from "../data-folder.ts";
import { type Backup, BackupError } from "../place.ts";
import { isSqliteError } from "./connection.ts";
import { openSnapshot } from "./snapshot.ts";

/**
 * Writes all committed data to a new file (0600), checks the copy, and returns when it is durable. VACUUM INTO reads
 * one snapshot, so writers do not wait and a busy service does not make it start again. It copies rows instead of
 * pages, so deleted data is not in the copy, and a damaged database fails instead of becoming a damaged backup. The
 * file gets its name last, so a file with that name is complete. Throws BackupError, DataFolderError.
 */
export function writeBackup(folder: DataFolder, path: string): Backup {
  const file = resolve(path);
  if (existsSync(file)) throw new BackupError(`${file} already exists; choose another name`);
  const partial = `${file}.partial`;
  makePartial(partial);
  const copy = join(partial, "copy.db");
  try {
    const { raw } = openSnapshot(folder, (use) => use(partial));
    writeFileSync(copy, "", { mode: 0o600, flag: "wx" }); // SQLite would make it as the umask allows
    try {
      raw.prepare<[string]>("VACUUM INTO ?").run(copy);
    } finally {
      raw.close();
    }
    sync(copy); // VACUUM INTO does not
    const lastSequence = requireWhole(copy);
    giveName(copy, file);
    sync(dirname(file));
    return { file, bytes: statSync(file).size, lastSequence };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException; // of node:fs, or the driver's
    if (!isSqliteError(error) && code === undefined) throw error;
    throw new BackupError(`${file} cannot be written: ${(error as Error).message}`, { cause: error });
  } finally {
    rmSync(partial, { recursive: true, force: true });
  }
}

/** Makes the folder that holds an unfinished backup: after an interruption there is only one thing to remove. */
function makePartial(partial: string): void {
  try {
    mkdirSync(partial, { mode: 0o700 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException; // only node:fs throws here
    if (code === "EEXIST")
      throw new BackupError(
        `${partial} already exists: another backup is running, or one was interrupted; if none is running, remove it`,
        {
          cause: error,
        },
      );
    if (code === "ENOENT" || code === "ENOTDIR")
      throw new BackupError(`there is no folder ${dirname(partial)}`, { cause: error });
    throw new BackupError(`${partial} cannot be created: ${code ?? "unknown error"}`, { cause: error });
  }
}

/** Returns the last sequence of a database that nobody has open. Throws BackupError when it is damaged. */
function requireWhole(file: string): number {
  const database = new Sqlite(file, { readonly: true });
  try {
    const faults = [
      database.pragma("integrity_check(1)", { simple: true }),
      ...(database.pragma("foreign_key_check") as unknown[]),
    ];
    if (faults.length > 1 || faults[0] !== "ok")
      throw new BackupError(`the copy is damaged, so the database is damaged too; run gatehouse doctor`);
    return Number(database.prepare("SELECT COALESCE(MAX(sequence), 0) FROM events").pluck().get());
  } finally {
    database.close();
  }
}

/** Gives the file its name unless the name is taken; on file systems without links, these are two separate steps. */
function giveName(copy: string, file: string): void {
  try {
    linkSync(copy, file);
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException; // only node:fs throws here
    if (code === "EEXIST")
      throw new BackupError(`${file} already exists; choose another name`, { cause: error });
    if (existsSync(file)) throw error;
    renameSync(copy, file);
  }
}

function sync(path: string): void {
  const descriptor = openSync(path, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
