import { type ReadTransaction, type SqlValue, toInList } from "./database.ts";

/** A condition of a WHERE clause, with what is bound in it. */
export interface Condition {
  readonly sql: string;
  readonly parameters: readonly SqlValue[];
}

/** A condition that every row meets. */
export const always: Condition = { sql: "TRUE", parameters: [] };

/** Compares a column, or an expression, with a value. */
export function equals(column: string, value: SqlValue): Condition {
  return { sql: `${column} = ?`, parameters: [value] };
}

/** Compares a column with several values. No values: it is compared with the empty text. */
export function isAmong(column: string, values: readonly (string | number)[]): Condition {
  const list = toInList(values);
  return { sql: `${column} IN ${list.sql}`, parameters: list.parameters };
}

/** Joins conditions by AND; without any, every row meets it. */
export function allOf(conditions: readonly Condition[]): Condition {
  if (conditions.length === 0) return always;
  return {
    sql: conditions.map(({ sql }) => sql).join(" AND "),
    parameters: conditions.flatMap(({ parameters }) => parameters),
  };
}

/**
 * Keeps an engine from using an index on a text column: `column || ''` is an expression, which no index holds. For a column
 * that would lead through more rows than another one in the same WHERE clause.
 */
export function unindexed(column: string): string {
  return `${column} || ''`;
}

/** Counts the rows that meet the condition, up to `limit`. `column` is any column of theirs that an index holds. */
export async function countUpTo(
  tx: ReadTransaction,
  limit: number,
  { column, from, where }: { readonly column: string; readonly from: string; readonly where: Condition },
): Promise<number> {
  const row = await tx.get<{ total: number }>(
    `SELECT COUNT(*) AS total FROM (SELECT ${column} FROM ${from} WHERE ${where.sql} LIMIT ?) AS counted`,
    [...where.parameters, limit],
  );
  return row?.total ?? 0;
}

/** Writes the statement that inserts one row. Its parameters are the values of the columns. */
export function insertSql(table: string, columns: readonly string[]): string {
  return `INSERT INTO ${table} (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`;
}

/** Writes the statement that updates the row of one id. Its parameters are the values of the columns, then the id. */
export function updateSql(table: string, columns: readonly string[]): string {
  return `UPDATE ${table} SET ${toAssignments(columns)} WHERE id = ?`;
}

/** Writes what stands behind SET for columns that are each given a value. */
export function toAssignments(columns: readonly string[]): string {
  return columns.map((column) => `${column} = ?`).join(", ");
}

/** One of several tables of a statement, and the object that is made of its columns in a row. */
export interface JoinedTable<T> {
  /** The columns behind SELECT, with names that the other tables do not use. */
  readonly columns: string;
  /** Converts that part of a row of the statement. */
  toObject(row: object): T;
}

/** Says how a table is read together with others: column `name` of the table `alias` comes back as `alias_name`. */
export function joinTable<Row extends object, T>(
  alias: string,
  columns: readonly string[],
  toObject: (row: Row) => T,
): JoinedTable<T> {
  const names = columns.map((column) => ({ column, joined: `${alias}_${column}` }));
  return {
    columns: names.map(({ column, joined }) => `${alias}.${column} AS ${joined}`).join(", "),
    toObject(row) {
      const stored = row as Readonly<Record<string, SqlValue>>; // as the statement returned it
      const own: Record<string, SqlValue | undefined> = {};
      for (const { column, joined } of names) own[column] = stored[joined];
      return toObject(own as Row); // it has these columns
    },
  };
}
