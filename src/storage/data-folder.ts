import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";

/** The files of a data folder. */
export interface DataFolder {
  readonly path: string;
  readonly database: string;
  readonly masterKey: string;
  readonly adminToken: string;
  readonly smsOutbox: string;
}

/** Says that a data folder cannot be used as it is; for the person who started the process. */
export class DataFolderError extends Error {}

/** Returns the names of the files in the folder, without touching it. */
export function dataFolderAt(path: string): DataFolder {
  return {
    path,
    database: join(path, "gatehouse.db"),
    masterKey: join(path, "master.key"),
    adminToken: join(path, "admin.token"),
    smsOutbox: join(path, "sms.jsonl"),
  };
}

/** Makes the folder, readable for its owner only, unless it is there. */
export function makeDataFolder(folder: DataFolder): void {
  try {
    makeFolders(resolve(folder.path));
  } catch (error) {
    const code = codeOf(error);
    const reason = code === "EEXIST" ? `${(error as NodeJS.ErrnoException).path} is a file` : code; // a folder is no error
    throw new DataFolderError(`the data folder ${folder.path} cannot be made: ${reason}`, { cause: error });
  }
}

/**
 * Returns the text of the key file; makes it with `newText()` on the first start. Throws DataFolderError when a database
 * is there without its key file: a new key could not read it.
 */
export function readMasterKeyText(folder: DataFolder, newText: () => string): string {
  if (!existsSync(folder.masterKey)) {
    if (existsSync(folder.database)) {
      throw new DataFolderError(
        `${folder.masterKey} is missing; without it ${folder.database} cannot be read. Restore it from a backup`,
      );
    }
    writePrivateFile(folder.masterKey, newText());
  }
  try {
    return readFileSync(folder.masterKey, "utf8");
  } catch (error) {
    throw new DataFolderError(`${folder.masterKey} cannot be read: ${codeOf(error)}`, { cause: error });
  }
}

/** Writes a file that only its owner can read (0600), whole or not at all, and durable when it returns. */
export function writePrivateFile(file: string, text: string): void {
  const temporary = `${file}.new`;
  try {
    rmSync(temporary, { force: true }); // what a crash left may be open to others
    writeFileSync(temporary, text, { mode: 0o600, flag: "wx", flush: true });
    chmodSync(temporary, 0o600); // whatever the umask
    renameSync(temporary, file);
    const folder = openSync(dirname(file), "r");
    fsyncSync(folder);
    closeSync(folder);
  } catch (error) {
    throw new DataFolderError(`${file} cannot be written: ${codeOf(error)}`, { cause: error });
  }
}

/**
 * Makes a folder and those above it. Not with `recursive`, which never returns where the system answers ENOENT below a
 * folder that is there, as /proc does (Node 26.10).
 */
function makeFolders(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return;
  if (dirname(path) !== path) makeFolders(dirname(path));
  mkdirSync(path, { mode: 0o700 });
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? "unknown error"; // only node:fs throws here
}
