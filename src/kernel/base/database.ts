import type { AnyId } from "./ids.ts";
import type { Instant } from "./clock.ts";

/** A value that can be bound to a `?` of a statement. Booleans are stored as 0 and 1. */
export type SqlValue = string | number | Uint8Array | null;

/**
 * Statements of one snapshot. SQL text is in the subset that SQLite and PostgreSQL share, with `?` parameters;
 * every distinct text is prepared once per connection.
 */
export interface ReadTransaction {
  /**
   * Returns the instant for which the transaction decides what is in effect: that of the clock when it is first asked for, and the
   * same throughout the transaction.
   */
  now(): Instant;
  /** Returns the first row, or undefined. */
  get<Row>(sql: string, parameters?: readonly SqlValue[]): Promise<Row | undefined>;
  all<Row>(sql: string, parameters?: readonly SqlValue[]): Promise<readonly Row[]>;
}

/** The transaction of one command. Nothing of it is visible to others before the commit. */
export interface WriteTransaction extends ReadTransaction {
  /** Stands for the commit that the work is part of. Other commands, and the parts of each, may have the same. */
  readonly commit: object;
  /** Says, also after its end, whether the work was undone, by itself or with the command that it is a part of. */
  isUndone(): boolean;
  /**
   * Runs a statement. An engine may put it off until the next statement that returns something, or until the end of the
   * command: if it fails then, the command fails.
   */
  run(sql: string, parameters?: readonly SqlValue[]): Promise<void>;
  /** Runs a statement at once and returns how many rows it changed. */
  change(sql: string, parameters?: readonly SqlValue[]): Promise<number>;
  /**
   * Reserves `count` consecutive sequences for the command and returns the last one. A sequence is the wall clock in
   * microseconds, or the last one given plus one, whichever is larger.
   */
  reserveSequences(count: number): Promise<number>;
  /** Returns a new id, unique among all processes that write to the database. */
  nextId<T extends AnyId>(): T;
  /**
   * Runs a part of the work and returns its result. If `fn` throws, that part is undone and the rest goes on. `fn`
   * must use `part`, a transaction within this one that ends with it; until then this one refuses everything.
   */
  nested<T>(fn: (part: WriteTransaction) => Promise<T>): Promise<T>;
  /**
   * Lets other work on the event loop run; call it regularly in work that takes more than a few milliseconds. Other
   * writes keep waiting, and reads do not see uncommitted changes. Raises DEADLINE_EXCEEDED and CANCELLED when nobody
   * waits for the result any more.
   */
  pause(): Promise<void>;
}

/** The limits of a write: a deadline, or a signal that gives it up before its commit. */
export interface WriteOptions {
  /** Instant of the wall clock (ms since 1970) after which the work is no longer committed: `deadline`. */
  readonly deadlineMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /**
   * Called when the work was done in time. From then on it is committed, whatever becomes of deadline and signal, unless the
   * storage fails.
   */
  readonly onAccepted?: (() => void) | undefined;
  /**
   * Whether the function may be called before its turn, while earlier writes are under way, and once more if one of these
   * changes what it started from. Until its turn it gets no answer to a read and can write nothing. So what it does before
   * its first answer must have no effect besides its transaction. Default: false.
   */
  readonly mayStartEarly?: boolean | undefined;
  /** Whether it may take much longer than a single change. Those before it are then committed first. Default: false. */
  readonly mayTakeLong?: boolean | undefined;
}

/**
 * Tells without a query whether some tables have changed, as far as this process knows: what other processes have
 * committed it learns by `Database.refresh` and by every read and write. The numbers only grow, and mean nothing by
 * themselves. New users, their keys and new projects do not count, so nothing may be remembered of an object that is not there.
 */
export interface TableWatch {
  /** Changes once a write to one of the tables is committed. Ask for it before a read. */
  committed(): number;
  /**
   * The same, but also counts writes of the current transaction, even those that are undone. In a write it counts every
   * commit before it, and in a read, from its first statement on, every commit that the snapshot has.
   */
  written(): number;
}

/** The port that storage engines implement. Functions passed to it must await nothing but their transaction. */
export interface Database {
  /** Runs `fn` on a snapshot that includes every write answered before; again on another one if the first is lost. */
  read<T>(fn: (tx: ReadTransaction) => Promise<T>): Promise<T>;
  /**
   * Runs `fn` atomically and returns its result once it is durable. If `fn` throws, everything it did is undone. If
   * `fn` returns a Problem, its changes are kept and the Problem is thrown (a wrong code counts as an attempt). A
   * write of a call, which has a signal, raises TOO_MANY_CALLS when too many writes are waiting; writes of the
   * service itself always wait.
   */
  write<T>(fn: (tx: WriteTransaction) => Promise<T>, options?: WriteOptions): Promise<Exclude<T, Error>>;
  /**
   * Erases from the files what committed writes have deleted or replaced. Call it after removing personal data.
   * Returns when it is done, or when a reader in another process has held it up for a moment; it is then repeated in
   * the background until it is done, at the latest when the database is closed. Does not fail: what is committed
   * stays committed.
   */
  purge(): Promise<void>;
  /** Rejects when the stored data cannot be read at this moment, even if reads could be answered from memory. */
  probe(): Promise<void>;
  /**
   * Calls `listener` after each commit that is durable: for those of this process before the writes in it are answered,
   * for those of others within about 100 ms. It must return at once and must not throw. Returns a function that ends
   * this.
   */
  onCommit(listener: () => void): () => void;
  /**
   * As `onCommit`, but for commits of this process only: it costs no look into the database, so that a listener may stay as long
   * as the process does.
   */
  onOwnCommit(listener: () => void): () => void;
  /** Watches tables from now on. */
  watch(tables: readonly string[]): TableWatch;
  /** The same for commits of this process, of which it may watch any table. What others have committed counts or not. */
  watchOwn(tables: readonly string[]): TableWatch;
  /**
   * Learns what other processes have committed up to now, for watches. Returns undefined when there is nothing to learn, as always when
   * this process is the only one that writes.
   */
  refresh(): Promise<void> | undefined;
  /** Says whether an error is about the storage, such as a full disk or a lost connection, and not about a statement. */
  isFailure(error: unknown): boolean;
  /** Returns the last sequence that was reserved, as far as this process knows; 0 in an empty database. */
  lastSequence(): number;
  /** Returns the number of writes that are waiting. */
  waitingWrites(): number;
  /** Waits for accepted writes, then closes. */
  close(): Promise<void>;
}

/** A database in memory with the tables of the service, which are empty whenever it is not in use. */
export interface ScratchDatabase {
  /** Runs `fn` in a transaction whose instant is `now`, and undoes everything afterwards. One after the other: the next one waits. */
  use<T>(now: Instant, fn: (tx: WriteTransaction) => Promise<T>): Promise<T>;
}

/** Beyond this a list is not padded: the next power of two would be more parameters than SQLite allows (32,766). */
const maxPadded = 16_384;

/**
 * Returns the right side of `IN` for up to 32,766 values. Its length is padded to a power of two, so that only a few
 * distinct texts are prepared.
 */
export function toInList<V extends string | number>(
  values: readonly V[],
): {
  readonly sql: string;
  readonly parameters: readonly (V | string)[];
} {
  if (values.length === 1) return { sql: "(?)", parameters: values };
  const padded = 2 ** Math.ceil(Math.log2(Math.max(values.length, 1)));
  const length = padded > maxPadded ? values.length : padded;
  const padding = Array.from({ length: length - values.length }, () => values.at(-1) ?? "");
  return { sql: `(${Array.from({ length }, () => "?").join(", ")})`, parameters: [...values, ...padding] };
}
