import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "../base/clock.ts";
import type { Database, ReadTransaction } from "../base/database.ts";
import { Problem } from "../base/problem.ts";
import { systemRandom } from "../base/random.ts";
import { createEventLog, type EventLog } from "../events/event-log.ts";
import { createPersonalData } from "../events/personal-data.ts";
import { projections } from "../installation.ts";
import { type DataFolder, DataFolderError, dataFolderAt, requireDatabase } from "../storage/data-folder.ts";
import { isSqliteError } from "../storage/sqlite/connection.ts";
import { DatabaseTooNewError, ForeignDatabaseError } from "../storage/schema-versions.ts";
import { newestVersion, versionOf } from "../storage/sqlite/migrations.ts";
import { copySnapshot, openSnapshot } from "../storage/sqlite/snapshot.ts";
import { openSqliteDatabase } from "../storage/sqlite/sqlite-database.ts";
import { readDataOption } from "./data-option.ts";
import { print } from "./print.ts";
import { checkIntegrity, checkLibrary, checkReferences } from "./doctor/database-checks.ts";
import { type Finding, toLine } from "./doctor/finding.ts";
import { checkFolder } from "./doctor/folder-checks.ts";
import { checkKeys, checkSecrets, readKeyring } from "./doctor/key-checks.ts";
import { checkClock, checkOrder, checkTables } from "./doctor/log-checks.ts";
import { checkChecksums, checkSealed } from "./doctor/row-checks.ts";

/**
 * Checks a data folder and prints one line per check. Writes nothing to the folder and takes no lock, so it can run
 * beside the service; it works on a copy in the folder for temporary files. Returns 1 if a check failed.
 */
export async function doctor(flags: Readonly<Record<string, unknown>>): Promise<number> {
  const folder = dataFolderAt(readDataOption(flags));
  requireDatabase(folder);
  const scratch = mkdtempSync(join(tmpdir(), "gatehouse-doctor-"));
  const remove = () => rmSync(scratch, { recursive: true, force: true });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
    process.once(signal, () => {
      remove(); // what is in the copy is nobody else's
      process.exit(1);
    });
  let hasFailed = false;
  try {
    for await (const finding of examine(folder, scratch)) {
      hasFailed ||= finding.state === "FAILED";
      await print(toLine(finding));
    }
  } finally {
    remove();
  }
  return hasFailed ? 1 : 0;
}

async function* examine(folder: DataFolder, scratch: string): AsyncGenerator<Finding, void, undefined> {
  yield* checkFolder(folder);
  const copy = await openCopy(folder, scratch);
  if ("state" in copy) {
    yield copy;
    return;
  }
  const { database, version } = copy;
  const read = (check: string, look: (tx: ReadTransaction) => Promise<Finding>) =>
    attempt(check, () => database.read(look));
  try {
    yield checkVersion(version);
    yield await read("SQLite", checkLibrary);
    const integrity = await read("integrity", checkIntegrity);
    yield integrity;
    if (integrity.state !== "ok") {
      yield { state: "warning", check: "contents", detail: "not checked, because the file is damaged" };
      return;
    }
    yield await read("references", checkReferences);
    yield await read("checksums", checkChecksums);
    yield await read("event order", checkOrder);
    yield await read("clock", (tx) => checkClock(tx, systemClock.nowMs()));
    const keyring = readKeyring(folder);
    if ("state" in keyring) {
      yield keyring;
      return;
    }
    const keys = await read("master key", (tx) => checkKeys(tx, keyring));
    yield keys;
    const personalData = createPersonalData(keyring, systemRandom);
    const log = createEventLog({ projections, personalData, isFailure: database.isFailure });
    await sweep(database, log);
    yield await read("secrets", (tx) => checkSecrets(tx, keyring));
    if (keys.state === "ok") yield await read("sealed values", (tx) => checkSealed(tx, keyring));
    yield keys.state === "ok"
      ? await attempt("tables", () => compareTables(database, log))
      : {
          state: "warning",
          check: "tables",
          detail: "not compared with the log, which cannot be read without the right key",
        };
  } finally {
    await database.close();
  }
}

/**
 * Deletes the remaining rows of removed organizations in the copy: they are not a fault, and a rebuild would not make
 * them.
 */
async function sweep(database: Database, log: EventLog): Promise<void> {
  while (await database.write((tx) => log.sweep(tx, objectsAtOnce)));
}

const objectsAtOnce = 1000;

async function compareTables(database: Database, log: EventLog): Promise<Finding> {
  const tables = projections.flatMap((projection) => projection.tables);
  return await checkTables(database, log, tables);
}

/** Runs a check; an error of SQLite, such as a full disk or an unreadable page, becomes the finding. */
async function attempt(check: string, look: () => Promise<Finding>): Promise<Finding> {
  try {
    return await look();
  } catch (error) {
    const cause = error instanceof Problem ? error.cause : error;
    if (!isSqliteError(cause)) throw error;
    return { state: "FAILED", check, detail: `not done: ${cause.message}${adviceFor(cause)}` };
  }
}

function checkVersion(version: number): Finding {
  const newest = newestVersion();
  const detail =
    version === newest ? `version ${version}` : `version ${version}; the next start makes it ${newest}`;
  return { state: "ok", check: "schema", detail };
}

interface Copy {
  readonly database: Database;
  /** The version of the original; the copy has been migrated to the newest. */
  readonly version: number;
}

/** Opens a copy of the committed data, or returns the reason why there is none. */
async function openCopy(folder: DataFolder, scratch: string): Promise<Copy | Finding> {
  try {
    const { raw, isCopy } = openSnapshot(folder, scratch);
    const file = isCopy ? raw.name : join(scratch, "copy.db");
    try {
      const version = versionOf(raw);
      if (!isCopy) await copySnapshot(raw, file);
      const ports = { clock: systemClock, random: systemRandom, onFatal: rethrow };
      return { version, database: openSqliteDatabase({ file, ...ports }) };
    } finally {
      raw.close();
    }
  } catch (error) {
    const detail = reasonOf(error);
    if (detail === undefined) throw error;
    return { state: "FAILED", check: "database", detail };
  }
}

/** Explains an error that is not a bug. */
function reasonOf(error: unknown): string | undefined {
  const isOurs =
    error instanceof DataFolderError ||
    error instanceof DatabaseTooNewError ||
    error instanceof ForeignDatabaseError;
  if (!isOurs && !isSqliteError(error)) return undefined;
  return `${error.message}${adviceFor(isSqliteError(error) ? error : error.cause)}`;
}

function adviceFor(cause: unknown): string {
  return isSqliteError(cause) && /^SQLITE_(CORRUPT|NOTADB)/.test(cause.code) ? "; restore a backup" : "";
}

function rethrow(error: Error): never {
  throw error;
}
