import Sqlite from "better-sqlite3";
import type { SqlValue } from "../../base/database.ts";

/** One connection that prepares every statement once: preparing costs ten times as much as the query. */
export interface Connection {
  readonly raw: Sqlite.Database;
  get(sql: string, parameters: readonly SqlValue[]): unknown;
  all(sql: string, parameters: readonly SqlValue[]): unknown[];
  run(sql: string, parameters: readonly SqlValue[]): number;
  close(): void;
}

/** Older versions can corrupt a database in WAL mode (https://www.sqlite.org/wal.html, "the WAL-reset bug"). */
const oldestSafeVersion = [3, 51, 3];

/** How long a statement waits for another process. */
export const busyTimeoutMs = 50;

/** How a file is opened. */
export interface ConnectionOptions {
  readonly readonly: boolean;
  /** Called before anything is changed, even the mode of the log; throws for a database that must not be changed. */
  readonly approve?: (raw: Sqlite.Database) => void;
}

/**
 * Opens a connection to a database file, in WAL mode with full durability and foreign keys; or to a database in memory, which begins
 * as a copy of the bytes of one.
 */
export function openConnection(file: string | Buffer, options: ConnectionOptions): Connection {
  const raw = new Sqlite(file, { readonly: options.readonly, timeout: busyTimeoutMs });
  try {
    requireSafeVersion(raw);
    options.approve?.(raw);
    if (!options.readonly) prepareForWriting(raw);
  } catch (error) {
    raw.close();
    throw error;
  }
  const prepared = new Map<string, Sqlite.Statement<SqlValue[]>>();
  const statement = (sql: string) => {
    const known = prepared.get(sql);
    if (known !== undefined) return known;
    const made = raw.prepare<SqlValue[]>(hideValues(sql));
    // A caller that makes a transaction again knows only what went through `run`.
    if (made.reader && !made.readonly) throw new Error(`a statement that returns rows changes some: ${sql}`);
    prepared.set(sql, made);
    return made;
  };
  return {
    raw,
    get: (sql, parameters) => statement(sql).get(...parameters),
    all: (sql, parameters) => statement(sql).all(...parameters),
    run: (sql, parameters) => statement(sql).run(...parameters).changes,
    close: () => raw.close(),
  };
}

/**
 * SQLite plans a statement again for each set of values that could affect the plan, as in most joins: 15 µs for two
 * tables, many times the cost of the query (https://www.sqlite.org/c3ref/prepare.html, third point of
 * sqlite3_prepare_v2). A unary plus hides the values; it changes neither the value nor its affinity, since a
 * parameter has none. Plans do not depend on the values here, because there are no statistics (ANALYZE). A `?` in a
 * statement is always a parameter.
 */
function hideValues(sql: string): string {
  return sql.replaceAll("?", "+?");
}

/**
 * Says whether the driver raised the error, by its name: the native part of better-sqlite3 raises errors of the class
 * that was passed to it first in the process, which is a different class when the module is loaded twice, as in jest.
 */
export function isSqliteError(error: unknown): error is Error & { readonly code: string } {
  return typeof error === "object" && error !== null && "name" in error && error.name === "SqliteError";
}

function requireSafeVersion(raw: Sqlite.Database): void {
  const version = raw.prepare<[], string>("SELECT sqlite_version()").pluck().get() ?? "0";
  const parts = version.split(".").map(Number);
  for (const [index, least] of oldestSafeVersion.entries()) {
    const part = parts[index] ?? 0;
    if (part > least) return;
    if (part < least)
      throw new Error(`SQLite ${version} is too old; ${oldestSafeVersion.join(".")} or newer is required`);
  }
}

function prepareForWriting(raw: Sqlite.Database): void {
  raw.pragma("journal_mode = WAL");
  raw.pragma("synchronous = FULL");
  raw.pragma("foreign_keys = ON");
  raw.pragma("secure_delete = ON");
  // Otherwise the page copies of a savepoint go to a file in a system folder once they exceed 64 kB.
  raw.pragma("temp_store = MEMORY");
}
