/** A value that can be bound to a `?` of a statement. Booleans are stored as 0 and 1. */
export type SqlValue = string | number | Uint8Array | null;

/**
 * Statements of one snapshot. SQL text is in the subset that SQLite and PostgreSQL share, with `?` parameters;
 * every distinct text is prepared once per connection.
 */
export interface ReadTransaction {
  /** Returns the first row, or undefined. */
  get<Row>(sql: string, parameters?: readonly SqlValue[]): Promise<Row | undefined>;
  all<Row>(sql: string, parameters?: readonly SqlValue[]): Promise<readonly Row[]>;
}

export interface WriteTransaction extends ReadTransaction {
  /** Stands for the commit that the work is part of. Other commands, and the parts of each, may have the same. */
  readonly commit: object;
  /** Runs a statement and returns how many rows it changed. */
  run(sql: string, parameters?: readonly SqlValue[]): Promise<number>;
  /**
   * Gives `count` consecutive sequences to the command and returns the last one. A sequence is the wall clock in
   * microseconds, or the last one given plus one, whichever is larger.
   */
  reserveSequences(count: number): Promise<number>;
  /**
   * Runs a part of the work and returns its result. If `fn` throws, nothing of that part stays, and the rest goes on. It must
   * use `part`, a transaction within this one that ends with it.
   */
  nested<T>(fn: (part: WriteTransaction) => Promise<T>): Promise<T>;
  /**
   * Lets what else there is to do have a turn, which work of more than some milliseconds owes to other callers. Writes go on
   * waiting; reads do not see what is not committed. Raises DEADLINE_EXCEEDED and
   * CANCELLED when nobody waits for the work any more.
   */
  pause(): Promise<void>;
}

export interface WriteOptions {
  /** Work that is not committed by this instant of the wall clock (ms since 1970) is not committed: `deadline`. */
  readonly deadlineMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Tells without looking whether some tables are as they were. The numbers only grow, and mean nothing by themselves. */
export interface TableWatch {
  /** Another number than before once a write to one of the tables was committed: to be asked before a read. */
  committed(): number;
  /** The same, but counts what the transaction under way has written too. */
  written(): number;
}

/** What storage engines implement. Functions given to it await nothing but the transaction they are given. */
export interface Database {
  /** Runs `fn` on a snapshot that holds every write answered before. */
  read<T>(fn: (tx: ReadTransaction) => Promise<T>): Promise<T>;
  /**
   * Runs `fn` atomically and returns its result after it is durable. If `fn` throws, nothing of it stays. If `fn`
   * returns a Problem, its changes are kept and the Problem is thrown (a wrong code counts as a try). A write of a call, which
   * has a signal, raises TOO_MANY_CALLS when as many wait as may; what the service does by itself always waits.
   */
  write<T>(fn: (tx: WriteTransaction) => Promise<T>, options?: WriteOptions): Promise<Exclude<T, Error>>;
  /**
   * Erases from the files what committed writes have deleted or replaced; to be called after personal data was removed.
   * Returns when it is done, or when a reader in another process has held it up for a moment: then it is tried again by
   * itself until it is done, at the latest when the database is closed. Does not fail: what was committed stays so.
   */
  purge(): Promise<void>;
  /** Rejects when what is stored cannot be read at this moment, even if answers could be given out of memory. */
  probe(): Promise<void>;
  /**
   * Calls `listener` after each commit that is durable, before the writes in it are answered. It must return at once and
   * throw nothing. Returns what ends that.
   */
  onCommit(listener: () => void): () => void;
  /** Watches tables from now on. This process is the only one that writes. */
  watch(tables: readonly string[]): TableWatch;
  /** Returns how many writes wait for their turn. */
  waitingWrites(): number;
  /** Waits for writes that were accepted, then closes. */
  close(): Promise<void>;
}

/** Beyond this a list is as long as its values: the next power of two is more than SQLite binds (32,766). */
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
