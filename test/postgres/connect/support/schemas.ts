import type Sqlite from "better-sqlite3";
import type { Client } from "pg";

/** A table or view in words that both engines share. */
export interface TableShape {
  /** Name, type and whether null is refused, in order; a view refuses nothing. */
  readonly columns: readonly string[];
  /** The columns of the primary key and of everything else that is unique. */
  readonly unique: readonly string[];
  /** Each as `column -> table (column), action at a deletion`. */
  readonly references: readonly string[];
}

/** The tables and views of a schema by their names, without the table of migrations. */
export type Schema = Readonly<Record<string, TableShape>>;

/** Describes the schema of a database of SQLite. */
export function describeSqlite(database: Sqlite.Database): Schema {
  const pragma = <Row>(name: string) => database.pragma(name) as readonly Row[]; // as documented
  const names = database
    .prepare<[], string>(
      "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name <> 'migrations'",
    )
    .pluck()
    .all();
  const shapes = names.map((name) => {
    const columns = pragma<SqliteColumn>(`table_info(${name})`);
    const keys = columns.filter(({ pk }) => pk > 0).toSorted((left, right) => left.pk - right.pk);
    const indexes = pragma<{ name: string; unique: number }>(`index_list(${name})`).filter(
      (each) => each.unique,
    );
    const unique = indexes.map((index) =>
      pragma<{ name: string }>(`index_info(${index.name})`).map((column) => column.name),
    );
    const references = pragma<SqliteReference>(`foreign_key_list(${name})`).map(
      (each) => `${each.from} -> ${each.table} (${each.to}), ${each.on_delete.toLowerCase()}`,
    );
    const shape: TableShape = {
      columns: columns.map(({ name: column, type, notnull, pk }) =>
        [column, ...(notnull || pk ? ["not null"] : []), types[type] ?? type].join(" "),
      ),
      unique: toKeys([keys.map((key) => key.name), ...unique]),
      references: references.toSorted(),
    };
    return [name, shape] as const;
  });
  return Object.fromEntries(shapes);
}

interface SqliteColumn {
  readonly name: string;
  readonly type: string;
  readonly notnull: number;
  readonly pk: number;
}

interface SqliteReference {
  readonly from: string;
  readonly table: string;
  readonly to: string;
  readonly on_delete: string;
}

const types: Readonly<Record<string, string>> = { INTEGER: "bigint", TEXT: "text", BLOB: "bytea" };

/** Describes the schema of a database of PostgreSQL. */
export async function describePostgres(client: Client): Promise<Schema> {
  const { rows: columns } = await client.query<{ name: string; columns: string[] }>(`
    SELECT c.relname AS name, array_agg(concat_ws(' ', a.attname,
      CASE WHEN a.attnotnull THEN 'not null' END, format_type(a.atttypid, NULL)) ORDER BY a.attnum) AS columns
    FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
    WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'v') AND c.relname <> 'migrations'
    GROUP BY c.relname`);
  const { rows: unique } = await client.query<{ name: string; columns: string[] }>(`
    SELECT i.indrelid::regclass::text AS name,
      (SELECT array_agg(a.attname::text ORDER BY k.place) FROM unnest(i.indkey) WITH ORDINALITY AS k (number, place)
       JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.number) AS columns
    FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid
    WHERE i.indisunique AND c.relnamespace = 'public'::regnamespace`);
  const { rows: references } = await client.query<{ name: string; text: string }>(`
    SELECT k.conrelid::regclass::text AS name, format('%s -> %s (%s), %s',
      (SELECT attname FROM pg_attribute WHERE attrelid = k.conrelid AND attnum = k.conkey[1]), k.confrelid::regclass,
      (SELECT attname FROM pg_attribute WHERE attrelid = k.confrelid AND attnum = k.confkey[1]),
      CASE k.confdeltype WHEN 'c' THEN 'cascade' WHEN 'a' THEN 'no action' ELSE 'other' END) AS text
    FROM pg_constraint k WHERE k.contype = 'f'`);
  const shapes = columns.map((each) => {
    const isHere = ({ name }: { readonly name: string }) => name === each.name;
    const shape: TableShape = {
      columns: each.columns,
      unique: toKeys(unique.filter(isHere).map((index) => index.columns)),
      references: references
        .filter(isHere)
        .map(({ text }) => text)
        .toSorted(),
    };
    return [each.name, shape] as const;
  });
  return Object.fromEntries(shapes);
}

function toKeys(lists: readonly (readonly string[])[]): readonly string[] {
  return [...new Set(lists.filter((list) => list.length > 0).map((list) => list.join(", ")))].toSorted();
}
