import { join } from "node:path";
import { systemClock } from "../../base/clock.ts";
import { systemRandom } from "../../base/random.ts";
import { type DataFolder, DataFolderError } from "../data-folder.ts";
import type { Checkup, CopiedData, EngineCheck } from "../place.ts";
import type { Finding } from "../finding.ts";
import { isSqliteError } from "../sqlite/connection.ts";
import { DatabaseTooNewError, ForeignDatabaseError } from "../schema-versions.ts";
import { newestVersion, versionOf } from "../sqlite/migrations.ts";
import { copySnapshot, openSnapshot, type Snapshot } from "../sqlite/snapshot.ts";
import { openSqliteDatabase } from "../sqlite/sqlite-database.ts";
import { checkFolder } from "./folder-checks.ts";
import { createScratch, type Scratch } from "./scratch.ts";
import { checkIntegrity, checkLibrary, checkSqliteReferences } from "./sqlite-checks.ts";

/** The checks change the copy: tables that are made again go through its write-ahead log. */
const copies = 2;

/** Creates the checkup of a data folder. The copy is a file in a scratch folder. */
export function createFolderCheckup(folder: DataFolder): Checkup {
  const scratch = createScratch(folder, { name: "doctor", copies });
  return {
    checkOutside: () => checkFolder(folder),
    openCopy: () => openCopy(folder, scratch),
    dispose: () => scratch.dispose(),
  };
}

async function openCopy(folder: DataFolder, scratch: Scratch): Promise<CopiedData | Finding> {
  const explain = (error: unknown): string | undefined => {
    const noRoom = scratch.whyFull(error);
    if (noRoom !== undefined) throw noRoom; // it is no fault of the database
    return explainSqlite(error);
  };
  try {
    const { raw, isCopy } = openSnapshot(folder, scratch.use);
    try {
      const version = versionOf(raw);
      const file = isCopy ? raw.name : await scratch.useLong((path) => copyTo(raw, join(path, "copy.db")));
      const options = { file, clock: systemClock, random: systemRandom, onFatal: rethrow };
      const database = openSqliteDatabase(options);
      return { database, checks: checksOf(version), explain, close: () => database.close() };
    } finally {
      raw.close();
    }
  } catch (error) {
    const noRoom = scratch.whyFull(error);
    if (noRoom !== undefined) throw noRoom;
    const detail = reasonOf(error);
    if (detail === undefined) throw error;
    return { state: "FAILED", check: "database", detail };
  }
}

async function copyTo(raw: Snapshot["raw"], file: string): Promise<string> {
  await copySnapshot(raw, file);
  return file;
}

/** `version` is that of the original; the copy has been migrated to the newest. */
function checksOf(version: number): readonly EngineCheck[] {
  return [
    { check: "schema", look: async () => checkVersion(version) },
    { check: "SQLite", look: checkLibrary },
    { check: "integrity", look: checkIntegrity, whyVital: "the file is damaged" },
    { check: "references", look: checkSqliteReferences },
  ];
}

function checkVersion(version: number): Finding {
  const newest = newestVersion();
  const detail =
    version === newest ? `version ${version}` : `version ${version}; the next start makes it ${newest}`;
  return { state: "ok", check: "schema", detail };
}

/** Explains an error of SQLite, such as an unreadable page. */
function explainSqlite(error: unknown): string | undefined {
  return isSqliteError(error) ? `${error.message}${adviceFor(error)}` : undefined;
}

/** Explains an error of opening the copy that is not a bug. */
function reasonOf(error: unknown): string | undefined {
  const isOurs =
    error instanceof DataFolderError ||
    error instanceof DatabaseTooNewError ||
    error instanceof ForeignDatabaseError;
  return isOurs ? `${error.message}${adviceFor(error.cause)}` : explainSqlite(error);
}

function adviceFor(cause: unknown): string {
  return isSqliteError(cause) && /^SQLITE_(CORRUPT|NOTADB)/.test(cause.code) ? "; restore a backup" : "";
}

function rethrow(error: Error): never {
  throw error;
}
