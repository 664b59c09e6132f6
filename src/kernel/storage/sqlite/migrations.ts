import { createHash } from "node:crypto";
import { join } from "node:path";
import type Sqlite from "better-sqlite3";
import { foreignDatabase, listMigrations, newestOf, requireKnownVersion } from "../schema-versions.ts";

const folder = join(import.meta.dirname, "migrations");

/** Throws DatabaseTooNewError or ForeignDatabaseError for a database that this program must not write to. */
export function requireKnownDatabase(connection: Sqlite.Database): void {
  requireKnownVersion(versionOf(connection), listMigrations(folder));
}

/**
 * Migrates a known database to the newest version: numbered files, forward only. All of them are one transaction, so that a new
 * database waits for the disk once, and a database whose migration fails stays as it was.
 */
export function migrate(connection: Sqlite.Database, nowMs: number): void {
  const version = versionOf(connection);
  defineFunctions(connection);
  connection.transaction(() => {
    connection.exec(
      "CREATE TABLE IF NOT EXISTS migrations (version INTEGER NOT NULL PRIMARY KEY, date INTEGER NOT NULL) STRICT",
    );
    const record = connection.prepare("INSERT INTO migrations (version, date) VALUES (?, ?)");
    for (const migration of listMigrations(folder).filter((candidate) => candidate.version > version)) {
      connection.exec(migration.read());
      record.run(migration.version, nowMs);
    }
  })();
}

/** Defines the functions that only migrations call, and that PostgreSQL has: no schema may name them. */
export function defineFunctions(connection: Sqlite.Database): void {
  connection.function("sha256", { deterministic: true }, (value) =>
    createHash("sha256")
      .update(value as Uint8Array) // a BLOB
      .digest(),
  );
}

/** Returns the newest version that this program knows. */
export function newestVersion(): number {
  return newestOf(listMigrations(folder));
}

/** Returns the version of the database; 0 for an empty one. Throws ForeignDatabaseError. */
export function versionOf(connection: Sqlite.Database): number {
  const tables = connection
    .prepare<[], string>("SELECT name FROM sqlite_master WHERE type = 'table'")
    .pluck()
    .all();
  if (tables.length === 0) return 0;
  if (!tables.includes("migrations")) throw foreignDatabase();
  return (
    connection.prepare<[], number>("SELECT COALESCE(MAX(version), 0) FROM migrations").pluck().get() ?? 0
  );
}
