import { statSync } from "node:fs";
import type Sqlite from "better-sqlite3";
import { createNow, systemClock } from "../../base/clock.ts";
import type { ReadTransaction, SqlValue } from "../../base/database.ts";
import type { DataFolder } from "../data-folder.ts";
import type { LiveDatabase } from "../place.ts";
import { requireKnownDatabase } from "./migrations.ts";
import { openSnapshot, type Snapshot, type UseScratch } from "./snapshot.ts";

interface Opened extends Snapshot {
  /** State of the files before the copy. */
  readonly files: string;
}

/** Where copies are made, and removed again. */
interface CopyPlace {
  readonly use: UseScratch;
  dispose(): void;
}

/**
 * Follows a database through starts and stops of its service, and when a backup replaces it. While no service is
 * running, it is read from a copy in the scratch, and copied again when its files change.
 */
export function followDatabase(folder: DataFolder, scratch: CopyPlace): LiveDatabase {
  let opened: Opened | undefined;
  let version: unknown;
  const open = (): Opened => {
    if (opened !== undefined) return opened;
    const files = stateOf(folder);
    const snapshot = openSnapshot(folder, scratch.use);
    opened = { ...snapshot, files };
    requireKnownDatabase(snapshot.raw);
    return opened;
  };
  const close = () => {
    opened?.raw.close();
    scratch.dispose();
    opened = undefined;
  };
  const isChanged = (): boolean => {
    if (opened === undefined) return true;
    if (opened.isCopy) return stateOf(folder) !== opened.files;
    return inodeOf(folder) !== inodeIn(opened.files) || versionOf(opened.raw) !== version;
  };
  return {
    async read(fn) {
      if (opened !== undefined && (opened.isCopy ? isChanged() : inodeOf(folder) !== inodeIn(opened.files)))
        close();
      const { raw } = open();
      raw.exec("BEGIN");
      try {
        version = versionOf(raw);
        return await fn(transactionOn(raw));
      } finally {
        raw.exec("COMMIT");
      }
    },
    async changed(everyMs, signal) {
      while (!signal.aborted && !isChanged()) await pause(everyMs, signal);
    },
    close: async () => close(),
  };
}

/** Changes with every commit of another connection (https://www.sqlite.org/pragma.html#pragma_data_version). */
function versionOf(raw: Sqlite.Database): unknown {
  return raw.pragma("data_version", { simple: true });
}

function transactionOn(raw: Sqlite.Database): ReadTransaction {
  return {
    now: createNow(systemClock),
    // The row type is the caller's claim about the statement; nothing here can check it.
    get: async <Row>(sql: string, parameters: readonly SqlValue[] = []) =>
      raw.prepare<SqlValue[]>(sql).get(...parameters) as Row | undefined,
    all: async <Row>(sql: string, parameters: readonly SqlValue[] = []) =>
      raw.prepare<SqlValue[]>(sql).all(...parameters) as Row[],
  };
}

function stateOf(folder: DataFolder): string {
  const states = [folder.database, folder.databaseWal, folder.databaseShm].map((file) => {
    const stat = statSync(file, { throwIfNoEntry: false, bigint: true });
    return stat === undefined ? "none" : `${stat.ino} ${stat.size} ${stat.mtimeNs}`;
  });
  return states.join(", ");
}

function inodeOf(folder: DataFolder): string {
  return inodeIn(stateOf(folder));
}

function inodeIn(state: string): string {
  return state.slice(0, state.indexOf(" "));
}

/** Waits, at most until the signal is aborted. */
function pause(durationMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, durationMs);
    signal.addEventListener("abort", done);
  });
}
