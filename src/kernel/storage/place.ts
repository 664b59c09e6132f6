import type { Clock } from "../base/clock.ts";
import type { Database, ReadTransaction, WriteTransaction } from "../base/database.ts";
import type { Leadership } from "../base/leadership.ts";
import type { Random } from "../base/random.ts";
import type { Secret } from "../base/secret.ts";
import type { RowStore } from "./copy/rows.ts";
import type { Seat } from "./seat.ts";
import type { DataFolder, LooseMode } from "./data-folder.ts";
import type { Finding } from "./finding.ts";

/** Where the data of an installation is kept: in the data folder, unless there is a database. */
export interface PlaceOptions {
  readonly dataFolder: string;
  readonly database?: DatabaseOptions | undefined;
}

/** A database that several processes may share; `config` describes each option. */
export interface DatabaseOptions {
  readonly url: Secret;
  readonly masterKeyFile: string;
  readonly requireSynchronous: "auto" | "yes" | "no";
  readonly dev: boolean;
  readonly environment: () => Readonly<Record<string, string | undefined>>;
}

/** Says why there is no backup, for the person who asked for it. No file is left behind. */
export class BackupError extends Error {}

/** Where an installation is kept: everything in which storage engines differ for the commands. */
export interface Place {
  /** Names it to a person: a folder, or a url without its password. */
  readonly name: string;
  readonly keyFile: string;
  /** The files beside the data: the token of the administrator, the outbox. With a data folder, also the data. */
  readonly folder: DataFolder;
  /** Whether several processes may use the place at once. */
  readonly isShared: boolean;
  /** Returns the text of the key file. Throws DataFolderError. */
  readKeyFile(): string;
  /** Returns files that other users of the machine may access, although they should not. */
  listLooseModes(): readonly LooseMode[];
  /**
   * Keeps the place, which no other process can take alone, for processes that this one begins. They take it with their seats. Throws as `take`
   * does.
   */
  hold(): { release(): void };
  /** Takes the place for this process. Throws errors that `cli/explain` can explain to a person. */
  take(options: TakeOptions): Promise<HeldPlace>;
  /** Opens the committed data for reading beside processes that use it. Throws when there is none. */
  follow(): LiveDatabase;
  /** Writes a copy of the data to a new file. Throws BackupError, also when another program has to do it. */
  backup(file: string): Backup;
  /** Opens the data for `doctor`. Throws when there is none. */
  checkUp(): Checkup;
}

/** How a place is taken. */
export interface TakeOptions {
  /** Lets a first start create what is missing; otherwise a place without data is refused. */
  readonly isNewAllowed: boolean;
  /** Refuses a shared place that another process uses. A data folder is always taken by one process alone. */
  readonly isAlone?: boolean | undefined;
  /** The seat of this process, if it has been begun by one that holds the place. A shared place needs none. */
  readonly seat?: Seat | undefined;
  /** Called when the clock of a server begins to differ by more than a second; positive when it is ahead. */
  readonly onClockSkew?: ((skewMs: number) => void) | undefined;
}

/** A place that this process holds. */
export interface HeldPlace {
  /** Whether this process does what only one process may do. */
  readonly leadership: Leadership;
  /** Returns the text of the key file, which a first start makes with `newText()` where it may. */
  readMasterKeys(newText: () => string): string;
  openDatabase(setup: DatabaseSetup): Promise<Database>;
  /** Runs `fn` in one transaction of the opened database, like its `write`, however long it takes. */
  writeLong<T>(database: Database, fn: (tx: WriteTransaction) => Promise<T>): Promise<T>;
  /** Opens the tables for a copy, instead of the database. The place must be taken alone. */
  openRows(nowMs: number): Promise<RowStore>;
  /** Removes everything that this process made if there was no data before; nothing in a shared place. */
  undo(): void;
  release(): Promise<void>;
}

/** What a database is opened with, whatever its engine. */
export interface DatabaseSetup {
  readonly clock: Clock;
  /** Where ids come from. */
  readonly random: Random;
  /** Called when the disk did not confirm a commit; must end the process. */
  readonly onFatal: (error: Error) => void;
  /** Maximum number of waiting writes of calls. Absent: no limit. */
  readonly maxWaitingWrites?: number | undefined;
  /** Maximum number of connections for reads, where each is one to a server. Absent: what suits one process. */
  readonly maxReadConnections?: number | undefined;
}

/** A database that other processes may be writing to. It is read without a lock, and nothing is written. */
export interface LiveDatabase {
  /** Reads the committed data. Throws DataFolderError, DatabaseUnusableError and DatabaseTooNewError. */
  read<T>(fn: (tx: ReadTransaction) => Promise<T>): Promise<T>;
  /**
   * Waits until something has been committed since the last read, or until the signal is aborted. Checks at this
   * interval.
   */
  changed(everyMs: number, signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

/** Describes a backup. */
export interface Backup {
  readonly file: string;
  readonly bytes: number;
  /** The sequence of the last event in it; 0 without events. */
  readonly lastSequence: number;
}

/** What an engine contributes to `doctor`. */
export interface Checkup {
  /** Checks what can be seen without opening the data. */
  checkOutside(): readonly Finding[];
  /** Opens a copy of the committed data, or returns the reason why there is none. */
  openCopy(): Promise<CopiedData | Finding>;
  /** Removes the copy. May be called at any time, also by a signal. */
  dispose(): void;
}

/** A copy of the data, which checks may change. */
export interface CopiedData {
  readonly database: Pick<Database, "read" | "write" | "isFailure">;
  /** The checks of the engine itself, in order. */
  readonly checks: readonly EngineCheck[];
  /**
   * Why the tables differ from those that the log would make today, such as an earlier version; absent when they do not. Then
   * a check that fails for this reason is not a fault.
   */
  readonly whyOtherTables?: string | undefined;
  /**
   * Explains an error of the engine in one line; undefined for any other error. Throws an error of its own for what is no fault of the
   * data, such as a full disk.
   */
  explain(error: unknown): string | undefined;
  close(): Promise<void>;
}

/** A check that only one engine has. */
export interface EngineCheck {
  readonly check: string;
  readonly look: (tx: ReadTransaction) => Promise<Finding>;
  /** Why the contents cannot be checked unless it is ok; absent when they can. */
  readonly whyVital?: string;
}
