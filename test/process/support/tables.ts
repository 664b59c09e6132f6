import { copyFileSync, existsSync, mkdtempSync } from "node:fs";
import { join } from "node:path";
import Sqlite from "better-sqlite3";

/** The rows of each table, in an order that depends on nothing but the rows. */
export type Dump = Readonly<Record<string, readonly Row[]>>;
export type Row = Readonly<Record<string, unknown>>;

/** Keeps the tables that are made from the log: all but the log itself and what is beside it. */
export function projectionsOf(all: Dump): Dump {
  const beside = new Set([
    "events",
    "idempotent_answers",
    "secrets",
    "settings",
    "migrations",
    "metadata_refreshes",
    "access_tokens",
    "active_users",
    "activity_hours",
    "authorization_codes",
    "authorizations",
    "client_tries",
    "device_authorizations",
    "imported_hashes",
    "imported_objects",
    "interactions",
    "jwt_logins",
    "label_images",
    "known_browsers",
    "login_challenges",
    "logout_notices",
    "provider_visits",
    "pushed_requests",
    "refresh_tokens",
    "revoked_access_tokens",
    "saml_logouts",
    "saml_participations",
    "security_notices",
    "session_values",
    "target_deliveries",
    "target_positions",
    "tries",
    "used_assertions",
    "used_setup_links",
    "used_totp_steps",
  ]);
  return Object.fromEntries(Object.entries(all).filter(([table]) => !beside.has(table)));
}

/** Returns the rows that only one of two dumps has, each with its table; none when the dumps are equal. */
export function differencesOf(left: Dump, right: Dump): readonly string[] {
  const lines = (all: Dump) =>
    new Set(
      Object.entries(all).flatMap(([table, rows]) => rows.map((row) => `${table} ${JSON.stringify(row)}`)),
    );
  return [...lines(left).symmetricDifference(lines(right))];
}

/** Opens a database file that no process has open. The caller closes it. */
export function openReadonly(file: string): Sqlite.Database {
  return new Sqlite(file, { readonly: true });
}

/** Returns all rows of a closed database file, or those of some tables. */
export function dump(file: string, tables?: readonly string[]): Dump {
  const connection = openReadonly(file);
  try {
    return dumpOf(connection, tables);
  } finally {
    connection.close();
  }
}

/** Returns all rows that an open connection sees, or those of some tables. */
export function dumpOf(connection: Sqlite.Database, tables = namesOf(connection)): Dump {
  return Object.fromEntries(
    tables.map((name) => [name, sortRows(connection.prepare<[], Row>(`SELECT * FROM "${name}"`).all())]),
  );
}

/** Puts rows into an order that depends on nothing but them. */
export function sortRows(rows: readonly Row[]): readonly Row[] {
  const keyed = rows.map((row) => ({ row, key: JSON.stringify(row) }));
  return keyed.toSorted((left, right) => (left.key < right.key ? -1 : 1)).map(({ row }) => row);
}

/**
 * Copies database, write-ahead log and key to a new folder inside `parent`, as they lie on the disk. What opens the copy
 * recovers it; the original stays as the process left it.
 */
export function copyDataFolder(path: string, parent: string): string {
  const copy = mkdtempSync(join(parent, "copy-"));
  for (const name of ["gatehouse.db", "gatehouse.db-wal", "master.key"]) {
    if (existsSync(join(path, name))) copyFileSync(join(path, name), join(copy, name));
  }
  return copy;
}

function namesOf(connection: Sqlite.Database): readonly string[] {
  return connection
    .prepare<[], string>("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
    .pluck()
    .all();
}
