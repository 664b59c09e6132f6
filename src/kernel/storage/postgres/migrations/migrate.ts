import { setTimeout as pause } from "node:timers/promises";
import type pg from "pg";
import { DatabaseBusyError, DatabaseUnusableError } from "../../database-unusable.ts";
import {
  foreignDatabase,
  listMigrations,
  type Migration,
  newestOf,
  requireKnownVersion,
} from "../../schema-versions.ts";
import { advisoryLocks } from "../connect/advisory-locks.ts";
import { lockAltered, readersTimeoutMs } from "./lock-altered.ts";

const folder = import.meta.dirname;

/** Codes of errors: PostgreSQL, appendix A. */
const lockNotAvailable = "55P03";
const insufficientPrivilege = "42501";
const queryCanceled = "57014";
const deadlockDetected = "40P01";

/** The longest statement of a call ends sooner. */
const defaultLockTimeoutMs = 15_000;

/** What is migrated to, and how; for tests. */
export interface MigrationOptions {
  /** Absent: those of this folder. */
  readonly migrations?: readonly Migration[];
  /** How long a migration waits for a lock; statements after it wait as well. Absent: 15 s. */
  readonly lockTimeoutMs?: number;
}

/** Between two tries to get the tables, readers go on. */
const retryPauseMs = 100;

/**
 * Migrates the database to the newest version: numbered files, forward only, each in a transaction of its own. When
 * several processes start at once, one of them migrates and the others wait. `client` must be a connection for
 * migrations that nobody else uses; end it afterwards. Throws DatabaseTooNewError, ForeignDatabaseError and
 * DatabaseUnusableError.
 *
 * Processes of the version before go on meanwhile, and after it until they are replaced: a migration only adds what they
 * can do without, and dropping takes two releases. They do not look at the version again; one that is started again is
 * refused. Writes wait while a migration runs, because it holds the row that every write locks.
 */
export async function migratePostgres(
  client: pg.Client,
  nowMs: number,
  options: MigrationOptions = {},
): Promise<void> {
  const { migrations = listMigrations(folder), lockTimeoutMs = defaultLockTimeoutMs } = options;
  if ((await requireVersion(client, migrations)) === newestOf(migrations)) return;
  // The connection has no time limit for it: another process may hold it for as long as its migration takes.
  await client.query(`SELECT pg_advisory_lock(${advisoryLocks.migration})`);
  try {
    const version = await requireVersion(client, migrations);
    for (const migration of migrations.filter((candidate) => candidate.version > version)) {
      await runMigration(client, { migration, isFirst: migration === migrations[0], lockTimeoutMs, nowMs });
    }
  } finally {
    await client.query(`SELECT pg_advisory_unlock(${advisoryLocks.migration})`);
  }
}

/** Returns the version of the database; 0 for an empty one. Throws ForeignDatabaseError. */
export async function versionOfPostgres(client: pg.ClientBase): Promise<number> {
  const tables = await client.query<{ relname: string }>(
    "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')",
  );
  if (tables.rows.length === 0) return 0;
  if (!tables.rows.some(({ relname }) => relname === "migrations")) throw foreignDatabase();
  const found = await client.query<{ version: string }>(
    "SELECT COALESCE(MAX(version), 0)::text AS version FROM migrations",
  );
  return Number(found.rows[0]?.version ?? 0);
}

/** Returns the newest version that this program knows. */
export function newestPostgresVersion(): number {
  return newestOf(listMigrations(folder));
}

/** Returns the version of the database. Throws DatabaseTooNewError and ForeignDatabaseError. */
export async function requireKnownPostgres(client: pg.Client): Promise<number> {
  return await requireVersion(client, listMigrations(folder));
}

async function requireVersion(client: pg.Client, migrations: readonly Migration[]): Promise<number> {
  const version = await versionOfPostgres(client);
  requireKnownVersion(version, migrations);
  return version;
}

interface Step {
  readonly migration: Migration;
  readonly isFirst: boolean;
  readonly lockTimeoutMs: number;
  readonly nowMs: number;
}

/** Tries again for as long as it may wait for a lock if readers have kept the tables. */
async function runMigration(client: pg.Client, step: Step): Promise<void> {
  for (let waitMs = step.lockTimeoutMs; ; waitMs -= readersTimeoutMs + retryPauseMs) {
    try {
      return await tryMigration(client, step);
    } catch (error) {
      const isKept = [queryCanceled, deadlockDetected].includes(codeOf(error));
      if (!isKept || waitMs <= 0) throw explainFailure(error);
    }
    await pause(retryPauseMs);
  }
}

async function tryMigration(client: pg.Client, step: Step): Promise<void> {
  const script = step.migration.read();
  await client.query("BEGIN");
  try {
    await client.query(
      "CREATE TABLE IF NOT EXISTS migrations (version BIGINT NOT NULL PRIMARY KEY, date BIGINT NOT NULL)",
    );
    await client.query(`SET LOCAL lock_timeout = ${step.lockTimeoutMs}`);
    if (!step.isFirst) await client.query("SELECT 1 FROM log_position FOR UPDATE");
    await lockAltered(client, script);
    await client.query(script);
    await client.query("INSERT INTO migrations (version, date) VALUES ($1, $2)", [
      step.migration.version,
      step.nowMs,
    ]);
    await client.query("COMMIT");
  } catch (error) {
    await client.query("ROLLBACK");
    throw error;
  }
}

/** Explains what the person who started the process can change; returns any other error as it is. */
function explainFailure(error: unknown): unknown {
  const code = codeOf(error);
  if ([lockNotAvailable, queryCanceled, deadlockDetected].includes(code)) {
    return new DatabaseBusyError("other processes kept the database busy; start again to migrate it", {
      cause: error,
    });
  }
  if (code !== insufficientPrivilege) return error;
  return new DatabaseUnusableError(
    "the user of the URL may not create tables; make it the owner of the database, or of its schema public",
    { cause: error },
  );
}

function codeOf(error: unknown): string {
  return typeof error === "object" && error !== null && "code" in error ? String(error.code) : "";
}
