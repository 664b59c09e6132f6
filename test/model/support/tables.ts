/** What lies in the tables of a service, and what a rebuild would make of them. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openInstallation, projections } from "../../../src/app.ts";
import type { ReadTransaction } from "../../../src/base/database.ts";
import {
  copyDataFolder,
  differencesOf,
  type Dump,
  openReadonly,
  type Row,
} from "../../process/support/tables.ts";

const tables = [...projections.flatMap((projection) => projection.tables), "secrets"];

/** Returns the rows that a rebuild of all tables makes or leaves otherwise: none. The service itself stays as it is. */
export async function rebuiltDifferences(dataFolder: string): Promise<readonly string[]> {
  const parent = mkdtempSync(join(tmpdir(), "gatehouse-model-"));
  try {
    const copy = copyDataFolder(dataFolder, parent);
    const installation = await openInstallation(copy, { isNewAllowed: false });
    try {
      const { database, log } = installation.context;
      return await database.write(async (tx) => {
        const live = await dumpAll(tx);
        await log.rebuild(tx);
        return differencesOf(live, await dumpAll(tx));
      });
    } finally {
      await installation.close();
    }
  } finally {
    rmSync(parent, { recursive: true });
  }
}

/** Counts the rows of each table. */
export function countRows(dataFolder: string): Readonly<Record<string, number>> {
  const connection = openReadonly(join(dataFolder, "gatehouse.db"));
  try {
    const count = (table: string) =>
      connection.prepare<[], number>(`SELECT COUNT(*) FROM "${table}"`).pluck().get() ?? 0;
    return Object.fromEntries(tables.map((table) => [table, count(table)]));
  } finally {
    connection.close();
  }
}

async function dumpAll(tx: ReadTransaction): Promise<Dump> {
  const dumped: Record<string, readonly Row[]> = {};
  for (const table of tables) dumped[table] = await tx.all<Row>(`SELECT * FROM ${table}`);
  return dumped;
}
