import type { ReadTransaction, WriteTransaction } from "../../kernel/base/database.ts";
import { toUniqueName } from "../../kernel/base/names/unique-name.ts";
import type { FeatureContext } from "../context.ts";
import { areUniqueNamesSpelled, noteUniqueNamesSpelled } from "./repository.ts";

/** The tables with unique names, and the columns of the name and of what is compared. */
const tables = [
  { table: "stored_organizations", name: "name", folded: "folded_name" },
  { table: "stored_users", name: "username", folded: "folded_username" },
  { table: "stored_projects", name: "name", folded: "folded_name" },
  { table: "identity_providers", name: "name", folded: "folded_name" },
  { table: "stored_applications", name: "name", folded: "folded_name" },
] as const;

const rowsAtOnce = 1000;

type NameTable = (typeof tables)[number];

/**
 * Folds the unique names with invisible characters again, once: an earlier version took these for a difference. Names that count as the
 * same now both stay, each with its spelling. An interruption is harmless: the next start begins again.
 */
export async function refoldUniqueNames({ database }: Pick<FeatureContext, "database">): Promise<void> {
  if (await database.read(areUniqueNamesSpelled)) return;
  for (const each of tables) {
    let after: string | undefined = "";
    while (after !== undefined) {
      const from: string = after;
      const some = await database.read((tx) => listSome(tx, each, from));
      if (some.some(isOutdated)) await database.write((tx) => refoldSome(tx, each, from));
      after = some.length < rowsAtOnce ? undefined : some.at(-1)?.id;
    }
  }
  await database.write(noteUniqueNamesSpelled);
}

interface NamedRow {
  readonly id: string;
  readonly name: string;
  readonly folded: string;
}

/** Lists names with other characters than those of ASCII, in the order of their ids. */
async function listSome(
  tx: ReadTransaction,
  { table, name, folded }: NameTable,
  after: string,
): Promise<readonly NamedRow[]> {
  return await tx.all<NamedRow>(
    `SELECT id, ${name} AS name, ${folded} AS folded FROM ${table}
     WHERE id > ? AND ${folded} IS NOT NULL AND octet_length(${name}) > length(${name}) ORDER BY id LIMIT ?`,
    [after, rowsAtOnce],
  );
}

async function refoldSome(tx: WriteTransaction, each: NameTable, after: string): Promise<void> {
  for (const row of (await listSome(tx, each, after)).filter(isOutdated)) {
    await tx.run(`UPDATE ${each.table} SET ${each.folded} = ? WHERE id = ?`, [
      toUniqueName(row.name),
      row.id,
    ]);
  }
}

function isOutdated({ name, folded }: NamedRow): boolean {
  return folded !== toUniqueName(name);
}
