import type { ReadTransaction } from "../../base/database.ts";
import { type Finding, toFinding } from "../finding.ts";

/** Number of faults after which SQLite stops looking; one is enough to know. */
const maxFaults = 20;

/** Names the library that reads the file. */
export async function checkLibrary(tx: ReadTransaction): Promise<Finding> {
  const library = await tx.get<{ version: string }>("SELECT sqlite_version() AS version");
  return { state: "ok", check: "SQLite", detail: library?.version ?? "" };
}

/** Checks every page and index. */
export async function checkIntegrity(tx: ReadTransaction): Promise<Finding> {
  const rows = await tx.all<{ integrity_check: string }>(`PRAGMA integrity_check(${maxFaults})`);
  const faults = rows.map((row) => row.integrity_check).filter((text) => text !== "ok");
  const fault =
    faults.length === 0
      ? undefined
      : `${faults.length} or more faults, the first: ${faults[0]}; restore a backup`;
  return toFinding("integrity", fault, "every page and index is intact");
}

/** Checks every reference between rows. */
export async function checkSqliteReferences(tx: ReadTransaction): Promise<Finding> {
  const rows = await tx.all<{ table: string; parent: string }>("PRAGMA foreign_key_check");
  const tables = [...new Set(rows.map(({ table, parent }) => `${table} to ${parent}`))];
  // Everything else can be rebuilt from the log, but not the log itself.
  const help = rows.some(({ table }) => table === "events")
    ? "restore a backup"
    : "stop the service, make a backup, and run gatehouse rebuild";
  const fault =
    rows.length === 0
      ? undefined
      : `${rows.length} rows refer to missing rows (${tables.join(", ")}); ${help}`;
  return toFinding("references", fault, "every reference is valid");
}
