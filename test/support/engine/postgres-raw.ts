import { Client, types } from "pg";
import type { SqlValue } from "../../../src/kernel/base/database.ts";
import type { Dump, Row } from "../../process/support/tables.ts";
import { sortRows } from "../../process/support/tables.ts";
import type { RawConnection } from "./engine.ts";
import { growWith } from "./postgres-growth.ts";
import { explainWith } from "./postgres-plans.ts";

/** A connection of a test, made at its first statement, and what ends it. */
export interface OpenRaw {
  readonly raw: RawConnection;
  close(): Promise<void>;
}

/** Tables of the engine, not of the service: another engine has none, and their rows differ from process to process. */
const ownTables = new Set(["log_position", "writers"]);

/** Returns a reader of the texts of a type, by its number in PostgreSQL, so that values are as SQLite gives them. */
function readerOf(type: number): (text: string) => unknown {
  if (type === 20 || type === 1700) return Number; // BIGINT, NUMERIC
  if (type === 16) return (text) => (text === "t" ? 1 : 0); // BOOLEAN
  const parsers: { getTypeParser(type: number): (text: string) => unknown } = types; // by any number
  return parsers.getTypeParser(type);
}

/** Foreign keys and triggers do not bind the connection, and plans are made as the engine has them made. */
const rawOptions = [
  "session_replication_role=replica",
  "jit=off",
  "enable_seqscan=off",
  "enable_bitmapscan=off",
  "plan_cache_mode=force_generic_plan",
];

/** Connects with every right. */
export async function connectTo(url: string): Promise<Client> {
  const client = new Client({
    connectionString: url,
    options: rawOptions.map((option) => `-c ${option}`).join(" "),
    types: { getTypeParser: readerOf },
  });
  client.on("error", () => {}); // a test may end the server
  await client.connect();
  return client;
}

/** Returns a connection to a database beside whoever else uses it. */
export function openRaw(url: string): OpenRaw {
  let connecting: Promise<Client> | undefined;
  let last: Promise<unknown> = Promise.resolve();
  /** One after the other: a client runs one statement at a time. */
  const query = async <R extends object>(sql: string, parameters: readonly SqlValue[] = []) => {
    const client = await (connecting ??= connectTo(url));
    const running = last.then(() => client.query<R>(numbered(sql), parameters.map(toParameter)));
    last = running.catch(() => undefined);
    return (await running).rows;
  };
  return {
    raw: {
      peek: query,
      damage: async (sql, parameters) => void (await query(sql, parameters)),
      async breakWrites(kind, table) {
        await query(
          "CREATE OR REPLACE FUNCTION broken() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'broken'; END $$",
        );
        await query(
          `CREATE TRIGGER broken_${kind} BEFORE ${kind} ON ${table} FOR EACH ROW EXECUTE FUNCTION broken()`,
        );
      },
      async holdWrites() {
        const holder = await connectTo(url);
        await holder.query("BEGIN");
        await holder.query("SELECT * FROM log_position FOR UPDATE");
        return () => holder.end();
      },
      grow: () => growWith(query),
      explain: (sql) => explainWith(query, sql),
      dump: (tables) => dumpWith(query, tables),
      indexes: () => indexesWith(query),
      async views() {
        const rows = await query<{ name: string }>(
          "SELECT viewname AS name FROM pg_views WHERE schemaname = 'public'",
        );
        return rows.map(({ name }) => name);
      },
    },
    async close() {
      await (await connecting)?.end();
    },
  };
}

/** Replaces the rows of one database by those of another one with the same tables, as they are at one moment. */
export async function copyRows(from: string, to: string): Promise<void> {
  const [source, target] = [await connectTo(from), await connectTo(to)];
  try {
    await source.query("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
    const tables = await source.query<{ name: string }>(
      "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'",
    );
    for (const { name } of tables.rows) {
      const { rows } = await source.query<{ all: string | null }>(
        `SELECT json_agg(t)::text AS all FROM ${name} t`,
      );
      await target.query(`DELETE FROM ${name}`);
      await target.query(`INSERT INTO ${name} SELECT * FROM json_populate_recordset(NULL::${name}, $1)`, [
        rows[0]?.all ?? "[]",
      ]);
    }
  } finally {
    await source.end();
    await target.end();
  }
}

/** Runs a statement with `?` for its parameters. */
export type Query = <R extends object>(
  sql: string,
  parameters?: readonly SqlValue[],
) => Promise<readonly R[]>;

async function dumpWith(query: Query, tables?: readonly string[]): Promise<Dump> {
  const all = await query<{ name: string }>(
    "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' ORDER BY tablename",
  );
  const names = tables ?? all.map(({ name }) => name).filter((name) => !ownTables.has(name));
  const dumped: Record<string, readonly Row[]> = {};
  for (const name of names) dumped[name] = sortRows(await query<Row>(`SELECT * FROM ${name}`));
  return dumped;
}

async function indexesWith(query: Query) {
  const rows = await query<{ table: string; isUnique: number; columns: string[] }>(
    `SELECT c.relname AS table, i.indisunique AS "isUnique",
       (SELECT array_agg(pg_get_indexdef(i.indexrelid, k, true) ORDER BY k) FROM generate_series(1, i.indnkeyatts) k) AS columns
     FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE n.nspname = 'public'
       AND COALESCE(pg_get_expr(i.indpred, i.indrelid), '(id IS NOT NULL)') ~ '^[(]\\w+ IS NOT NULL[)]$'`,
  );
  return rows.map(({ table, isUnique, columns }) => ({ table, columns, isUnique: isUnique === 1 }));
}

function numbered(sql: string): string {
  let count = 0;
  return sql.replaceAll("?", () => `$${(count += 1)}`);
}

function toParameter(value: SqlValue): string | number | Buffer | null {
  return value instanceof Uint8Array ? Buffer.from(value) : value;
}
