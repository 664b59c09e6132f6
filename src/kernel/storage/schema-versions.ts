import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The database was written by a newer version; this version must not touch it. */
export class DatabaseTooNewError extends Error {}

/** The database was made by another program, which must not find our tables in it. */
export class ForeignDatabaseError extends Error {}

/** One step of the schema, named after the version that it leads to. */
export interface Migration {
  readonly version: number;
  /** Returns the SQL. */
  readonly read: () => string;
}

/**
 * Lists the migrations of a folder in the order of their versions. The numbers of both engines mean the same schema;
 * a folder may begin with a file that makes a later version at once.
 */
export function listMigrations(folder: string): readonly Migration[] {
  const files = readdirSync(folder).filter((file) => file.endsWith(".sql"));
  return files
    .map((file) => ({
      version: Number.parseInt(file, 10),
      read: () => readFileSync(join(folder, file), "utf8"),
    }))
    .toSorted((left, right) => left.version - right.version);
}

/** Returns the version that the last migration leads to. */
export function newestOf(migrations: readonly Migration[]): number {
  return migrations.at(-1)?.version ?? 0;
}

/** Throws DatabaseTooNewError for a database of a later version. */
export function requireKnownVersion(version: number, migrations: readonly Migration[]): void {
  const newest = newestOf(migrations);
  if (version > newest) {
    throw new DatabaseTooNewError(
      `the database has version ${version}, but this program supports only versions up to ${newest}; run a newer program, or restore a backup`,
    );
  }
}

/** Returns the error for a database with tables that are not ours. */
export function foreignDatabase(): ForeignDatabaseError {
  return new ForeignDatabaseError("it belongs to another program");
}
