import { findLists } from "../lists.ts";
import type { Query } from "./postgres-raw.ts";

/** Tables that hold facts of the installation, in a handful of rows. */
const small = new Set(["log_position", "migrations", "settings", "writers"]);

/** Not more than ANALYZE looks at by default (30,000), so that what it finds does not depend on chance. */
const rowsPerTable = 20_000;

/** How many organizations the copies of one row belong to, which makes about 50 of all. */
const organizations = 10;

/** How many projects, grants and so on the copies of one row refer to. Its square is about the number of rows. */
const targets = 140;

/** Tables of groups: a user, or a group, is in few, and has few grants; a group has many members. */
const groupTables = new Set(["group_members", "nested_groups", "stored_group_grants", "subgroups"]);

interface Column {
  readonly table: string;
  readonly name: string;
  readonly type: string;
  /** Where it stands in unique indexes: alone in one, else at the beginning of one, else at the end, or nowhere of these. */
  readonly place: "alone" | "first" | "last" | null;
}

const columnsSql = `SELECT c.relname AS "table", a.attname AS name, format_type(a.atttypid, NULL) AS type,
    -- MIN: that is their order in the alphabet too
    (SELECT MIN(CASE WHEN i.indnkeyatts = 1 THEN 'alone' WHEN i.indkey[0] = a.attnum THEN 'first' ELSE 'last' END)
     FROM pg_index i
     WHERE i.indrelid = c.oid AND i.indisunique AND a.attnum IN (i.indkey[0], i.indkey[i.indnkeyatts - 1])) AS place
  FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
  WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND a.attnum > 0
  ORDER BY c.relname, a.attnum`;

/**
 * Copies the rows of each table that has some, over and over, and gathers statistics. PostgreSQL makes its plans by them, and
 * those of nearly empty tables say nothing about the plans of full ones. The pool does not give this database to others.
 */
export async function growWith(query: Query): Promise<void> {
  const varied = await findVariedColumns();
  const tables = Map.groupBy(await query<Column>(columnsSql), ({ table }) => table);
  for (const [table, columns] of tables) {
    if (small.has(table)) continue;
    await query(
      `INSERT INTO ${table} SELECT ${columns.map((column) => copyOf(column, varied)).join(", ")}
       FROM ${table}, generate_series(1, ${rowsPerTable} / GREATEST(1, (SELECT COUNT(*) FROM ${table}))) AS copy`,
    );
  }
  await query("CREATE TABLE grown ()"); // by which the pool sees that the database is not as it was made
  await query("VACUUM ANALYZE");
}

/** Finds the columns of filters that leave few objects of a list, such as an email address: each copy gets a value of its own there. */
async function findVariedColumns(): Promise<ReadonlySet<string>> {
  const filters = (await findLists()).flatMap((list) => Object.values(list.filters));
  const few = filters.filter(({ leaves }) => leaves === "few");
  return new Set(few.map(({ column }) => column.replace(/^lower\((\w+)\)$/, "$1")));
}

/** Writes what a copy of a row has in a column. */
function copyOf({ table, name, type, place }: Column, varied: ReadonlySet<string>): string {
  const isOwn = place === "alone" || (place === "last" && !isReference(name));
  if (type === "bigint") {
    // Rows of one copy keep their distance, and come after those of the copy before.
    const isSpread = isOwn || /^(creation_)?date$/.test(name);
    return isSpread ? `${name} + copy * (SELECT MAX(${name}) - MIN(${name}) + 1 FROM ${table})` : name;
  }
  if (type === "bytea") return isOwn ? `${name} || int8send(copy)` : name;
  if (name === "state") return "CASE WHEN copy % 3 = 0 THEN 'INACTIVE' ELSE state END";
  if (isOwn || varied.has(name)) return `${name} || '/' || copy`;
  if (place === "first" && groupTables.has(table)) return `${name} || '/' || copy`;
  return isReference(name) ? `${name} || '/' || ${targetOf(name, place)}` : name;
}

function isReference(name: string): boolean {
  return /^(resource_owner|editor)$|_id$/.test(name);
}

/**
 * Writes the number of the object that a copy refers to. An organization has most rows, and each side of a pair that is
 * unique has many; otherwise a user or a token has few.
 */
function targetOf(name: string, place: Column["place"]): string {
  if (place === "last") return `copy % ${targets}`;
  if (place === "first") return `copy / ${targets}`; // both together are unique, as the digits of a number
  if (name === "resource_owner") return `copy % ${organizations}`;
  return /(user|token)_id$/.test(name) ? "copy" : `copy % ${targets}`;
}
