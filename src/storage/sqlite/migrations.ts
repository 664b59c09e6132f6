import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type Sqlite from "better-sqlite3";

const folder = join(import.meta.dirname, "migrations");

/** The database was written by a newer version; this version must not touch it. */
export class DatabaseTooNewError extends Error {}

/** The database was made by another program, which must not find our tables in it. */
export class ForeignDatabaseError extends Error {}

interface Migration {
  readonly version: number;
  readonly file: string;
}

/** Throws DatabaseTooNewError or ForeignDatabaseError for a database that this program must not write to. */
export function requireKnownDatabase(connection: Sqlite.Database): void {
  const version = versionOf(connection);
  const newest = newestVersion();
  if (version > newest) {
    throw new DatabaseTooNewError(
      `the database has version ${version}, but this program supports only versions up to ${newest}; run a newer program, or restore a backup`,
    );
  }
}

/**
 * Migrates a known database to the newest version: numbered files, forward only, each in a transaction of its own.
 */
export function migrate(connection: Sqlite.Database, nowMs: number): void {
  const version = versionOf(connection);
  connection.exec(
    "CREATE TABLE IF NOT EXISTS migrations (version INTEGER NOT NULL PRIMARY KEY, date INTEGER NOT NULL) STRICT",
  );
  for (const migration of listMigrations().filter((candidate) => candidate.version > version)) {
    const script = readFileSync(join(folder, migration.file), "utf8");
    connection.transaction(() => {
      connection.exec(script);
      connection
        .prepare("INSERT INTO migrations (version, date) VALUES (?, ?)")
        .run(migration.version, nowMs);
    })();
  }
}

/** Returns the newest version that this program knows. */
export function newestVersion(): number {
  return listMigrations().at(-1)?.version ?? 0;
}

/** Returns the version of the database; 0 for an empty one. Throws ForeignDatabaseError. */
export function versionOf(connection: Sqlite.Database): number {
  const tables = connection
    .prepare<[], string>("SELECT name FROM sqlite_master WHERE type = 'table'")
    .pluck()
    .all();
  if (tables.length === 0) return 0;
  if (!tables.includes("migrations")) throw new ForeignDatabaseError("it belongs to another program");
  return (
    connection.prepare<[], number>("SELECT COALESCE(MAX(version), 0) FROM migrations").pluck().get() ?? 0
  );
}

function listMigrations(): readonly Migration[] {
  const files = readdirSync(folder).filter((file) => file.endsWith(".sql"));
  return files
    .map((file) => ({ version: Number.parseInt(file, 10), file }))
    .toSorted((left, right) => left.version - right.version);
}
