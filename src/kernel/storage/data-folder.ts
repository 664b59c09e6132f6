import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  lstatSync,
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
  /** Commits that are not in `database` yet; SQLite keeps this file while the database is open. */
  readonly databaseWal: string;
  /** The index of `databaseWal`, which SQLite makes again when it is missing. */
  readonly databaseShm: string;
  readonly lock: string;
  readonly masterKey: string;
  readonly adminToken: string;
  /** The link with which the first administrator signs up. */
  readonly adminLink: string;
  readonly smsOutbox: string;
  readonly mailOutbox: string;
}

/** The data folder cannot be used as it is. The message is for the person who started the process. */
export class DataFolderError extends Error {}

/** Another process is using the data folder. */
export class DataFolderBusyError extends Error {}

/** Returns the names of the files in the folder, without touching it. */
export function dataFolderAt(path: string): DataFolder {
  return {
    path,
    database: join(path, "gatehouse.db"),
    databaseWal: join(path, "gatehouse.db-wal"),
    databaseShm: join(path, "gatehouse.db-shm"),
    lock: join(path, "gatehouse.lock"),
    masterKey: join(path, "master.key"),
    adminToken: join(path, "admin.token"),
    adminLink: join(path, "admin.link"),
    smsOutbox: join(path, "sms.jsonl"),
    mailOutbox: join(path, "mail.jsonl"),
  };
}

/** Makes the folder, readable only by its owner, unless it exists. Throws DataFolderError. */
export function makeDataFolder(folder: DataFolder): void {
  try {
    makeFolders(resolve(folder.path));
  } catch (error) {
    throw new DataFolderError(`the data folder ${folder.path} cannot be created: ${reasonOf(error)}`, {
      cause: error,
    });
  }
}

/** Throws DataFolderError when there is no database, for commands that must not create one. */
export function requireDatabase(folder: DataFolder): void {
  if (existsSync(folder.path)) {
    if (!statSync(folder.path).isDirectory()) throw new DataFolderError(`${folder.path} is a file`);
    requireAccess(folder.path, constants.X_OK);
  }
  if (!existsSync(folder.database)) throw new DataFolderError(`there is no ${folder.database}`);
}

/**
 * Throws DataFolderError when this process cannot or should not work on the folder: files that it may not read or
 * write, a database of another user (who could not read files that root creates there), a key file that every user of
 * the machine may read, or a write-ahead log without its database.
 */
export function requireUsableFolder(folder: DataFolder): void {
  requireAccess(folder.path, constants.R_OK | constants.W_OK | constants.X_OK);
  const user = process.geteuid?.();
  const owner = statSync(folder.database, { throwIfNoEntry: false })?.uid;
  if (user === 0 && owner !== undefined && owner !== 0)
    throw new DataFolderError(
      `${folder.database} belongs to user ${owner}; run this command as that user, not as root`,
    );
  for (const file of [folder.lock, folder.database, folder.databaseWal, folder.databaseShm])
    if (existsSync(file)) requireAccess(file, constants.R_OK | constants.W_OK);
  requirePrivateKeyFile(folder.masterKey);
  if (sizeOf(folder.database) === 0 && sizeOf(folder.databaseWal) > 0) {
    throw new DataFolderError(
      `${folder.databaseWal} exists without its database; restore ${folder.database}, or remove ${folder.databaseWal}`,
    );
  }
}

/** Throws DataFolderError when every user of the machine may read the key file. */
export function requirePrivateKeyFile(file: string): void {
  const mode = statSync(file, { throwIfNoEntry: false })?.mode ?? 0;
  if ((mode & 0o006) === 0) return;
  throw new DataFolderError(
    `${file} can be read by every user of this machine; run chmod 600 on it, and assume that they know the key`,
  );
}

/** Returns the text of a key file. Throws DataFolderError. */
export function readKeyFile(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new DataFolderError(`${file} cannot be read: ${reasonOf(error)}`, { cause: error });
  }
}

/** A file of the data folder, or the folder itself, that users other than the owner may access. */
export interface LooseMode {
  readonly file: string;
  /** For example `640`. */
  readonly mode: string;
  readonly isOpenToAll: boolean;
}

/**
 * Returns the files that other users may read or write, and the folder if other users may write to it. Empty where
 * the system has no file modes.
 */
export function listLooseModes(folder: DataFolder): readonly LooseMode[] {
  const { path, masterKey, database, databaseWal, adminToken, adminLink, smsOutbox, mailOutbox } = folder;
  return listLooseFiles(
    [masterKey, database, databaseWal, adminToken, adminLink, smsOutbox, mailOutbox],
    path,
  );
}

/** Returns the files that other users may read or write, and the folder if other users may write to it. */
export function listLooseFiles(files: readonly string[], folder: string): readonly LooseMode[] {
  if (process.geteuid === undefined) return [];
  const looseBits = (file: string) => (file === folder ? 0o022 : 0o066);
  return [folder, ...files]
    .map((file) => ({ file, mode: statSync(file, { throwIfNoEntry: false })?.mode ?? 0 }))
    .filter(({ file, mode }) => (mode & looseBits(file)) !== 0)
    .map(({ file, mode }) => ({
      file,
      mode: (mode & 0o777).toString(8).padStart(3, "0"),
      isOpenToAll: (mode & looseBits(file) & 0o007) !== 0,
    }));
}

/** Undoes what a first start made in the folder if it failed before the instance existed. */
export interface FirstStart {
  /**
   * Removes the files that were not there before. Keeps the folder and the lock: another process may be waiting for
   * them.
   */
  undo(): void;
}

/**
 * Remembers what is in the folder. `undo` does nothing if there is already a database. The caller must hold the lock.
 */
export function rememberFolder(folder: DataFolder): FirstStart {
  const made = [
    folder.database,
    folder.databaseWal,
    folder.databaseShm,
    folder.masterKey,
    folder.adminToken,
  ].filter((file) => !existsSync(file));
  return {
    undo() {
      if (!made.includes(folder.database)) return;
      for (const file of made) rmSync(file, { force: true });
    },
  };
}

/**
 * Returns the text of the key file, which it makes with `newText()` on the first start. Throws DataFolderError when a
 * database has no key file: a new key could not read it.
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
  return readKeyFile(folder.masterKey);
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
    rmSync(temporary, { force: true }); // half of it, of a full disk
    throw new DataFolderError(`${file} cannot be written: ${reasonOf(error)}`, { cause: error });
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

function requireAccess(file: string, mode: number): void {
  try {
    accessSync(file, mode);
  } catch (error) {
    throw new DataFolderError(`${file} cannot be used: ${reasonOf(error)}`, { cause: error });
  }
}

/** Explains an error of the system and what to do about it; returns the error code where there is nothing to add. */
function reasonOf(error: unknown): string {
  const { code = "unknown error", path = "" } = error as NodeJS.ErrnoException; // only node:fs throws here
  switch (code) {
    case "EEXIST":
      return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true
        ? `${path} is a broken symbolic link`
        : `${path} is a file`;
    case "EACCES":
    case "EPERM":
      return `${code}: ${path} is not accessible to user ${process.geteuid?.() ?? "of this process"}${ownerOf(path)}`;
    case "EROFS":
      return "EROFS: it is on a read-only file system";
    case "ENOSPC":
    case "EDQUOT":
      return `${code}: there is no space left; free some space and try again`;
    case "EMFILE":
    case "ENFILE":
      return `${code}: too many open files; raise the limit (ulimit -n)`;
    default:
      return code;
  }
}

/** Names the owner of the file, or of the nearest folder above it that can be seen. */
function ownerOf(path: string): string {
  try {
    const { uid } = statSync(existsSync(path) ? path : dirname(path));
    return uid === process.geteuid?.()
      ? ", its owner; change its mode with chmod"
      : `; it belongs to user ${uid}, run this command as that user`;
  } catch {
    return ""; // the folder above is closed as well
  }
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}
