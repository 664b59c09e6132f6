import type { Readable } from "node:stream";
import { once } from "node:events";
import { StringDecoder } from "node:string_decoder";
import type pg from "pg";
import { from as copyFrom, to as copyTo } from "pg-copy-streams";
import { idAt } from "../../../base/ids.ts";
import {
  type ColumnKind,
  CopyError,
  type Derived,
  earlierVersion,
  hasInstallation,
  type RowStore,
  type RowTable,
  type SettingChanges,
  toText,
} from "../../copy/rows.ts";
import { destroySession } from "../connect/open-session.ts";
import type { Connector } from "../connect/connector.ts";
import { migratePostgres, newestPostgresVersion, requireKnownPostgres } from "../migrations/migrate.ts";

/** What is not in a data folder, or is copied in another way. */
const notCopied: ReadonlySet<string> = new Set(["migrations", "settings", "log_position", "writers"]);

/** For each index that is made; the default of servers is 64 MB. */
const sortMemory = "256MB";

/**
 * Opens the database for a copy, on a connection of its own; an empty one gets its tables. The caller must hold the lock of presence
 * alone. Throws CopyError for tables of an earlier version, and what connecting and migrating throw.
 */
export async function openPostgresRows(
  connector: Connector,
  {
    giveUpAfterMs,
    nowMs,
    name,
  }: { readonly giveUpAfterMs: number; readonly nowMs: number; readonly name: string },
): Promise<RowStore> {
  const { client } = await connector.connect("copy", { giveUpAfterMs });
  try {
    const version = await requireKnownPostgres(client);
    if (version !== 0 && version !== newestPostgresVersion()) {
      const { rows } = await client.query(hasInstallation);
      if (rows.length > 0) throw earlierVersion(name);
    }
    await migratePostgres(client, nowMs);
    await client.query(`SELECT set_config('maintenance_work_mem', '${sortMemory}', false)`);
  } catch (error) {
    destroySession(client);
    throw error;
  }
  return {
    ...createReads(client),
    ...createWrites(client),
    ...createDerived(client),
    async finish() {
      const { rows } = await client.query<{ last: string }>(
        "SELECT COALESCE(MAX(sequence), 0)::text AS last FROM events",
      );
      const last = Number(rows[0]?.last ?? 0);
      // Ids that a data folder gave carry the clock of that process, which the sequences follow.
      const lastId = idAt(Math.ceil(last / 1000) + 1);
      await client.query(
        "UPDATE log_position SET last_sequence = $1, last_id = GREATEST(last_id, $2), access_version = access_version + 1",
        [last, lastId.toString()],
      );
      await client.query("ANALYZE");
    },
    close: async () => destroySession(client),
  };
}

function createReads(client: pg.Client): Pick<RowStore, "listTables" | "read" | "readAll" | "count"> {
  return {
    listTables: () => listTables(client),
    read(table, after) {
      const key = table.key.join(", ");
      const bounds = (after ?? []).map((field) => client.escapeLiteral(toText(field)));
      const where = after === undefined ? "" : `WHERE (${key}) > (${bounds.join(", ")})`;
      return readLines(client, `SELECT ${columnsOf(table)} FROM ${table.name} ${where} ORDER BY ${key}`);
    },
    readAll: (table) => readLines(client, `SELECT ${columnsOf(table)} FROM ${table.name}`),
    async count({ name }) {
      const { rows } = await client.query<{ count: string }>(`SELECT COUNT(*)::text AS count FROM ${name}`);
      return Number(rows[0]?.count ?? 0);
    },
  };
}

const kinds = new Map<string, ColumnKind>([
  ["int8", "integer"],
  ["int4", "integer"],
  ["text", "text"],
  ["bytea", "bytes"],
]);

interface ColumnRow {
  readonly table: string;
  readonly name: string;
  readonly type: string;
  /** The place in the primary key, from 1 on. */
  readonly place: string | null;
}

/** Columns in the order of names: one that was added later stands elsewhere in another engine. */
const listColumns = `SELECT c.relname AS table, a.attname AS name, t.typname AS type,
    array_position(k.conkey, a.attnum)::text AS place
  FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
    JOIN pg_type t ON t.oid = a.atttypid
    LEFT JOIN pg_constraint k ON k.conrelid = c.oid AND k.contype = 'p'
  WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r'
  ORDER BY c.relname COLLATE "C", a.attname COLLATE "C"`;

async function listTables(client: pg.Client): Promise<readonly RowTable[]> {
  const { rows } = await client.query<ColumnRow>(listColumns);
  const names = [...new Set(rows.map(({ table }) => table))].filter((name) => !notCopied.has(name));
  return names.map((name): RowTable => {
    const columns = rows.filter(({ table }) => table === name);
    const key = columns.filter(({ place }) => place !== null);
    return {
      name,
      columns: columns.map((column) => ({ name: column.name, kind: kindOf(column) })),
      key: key.toSorted((left, right) => Number(left.place) - Number(right.place)).map((each) => each.name),
    };
  });
}

function kindOf({ table, name, type }: ColumnRow): ColumnKind {
  const kind = kinds.get(type);
  if (kind === undefined) throw new Error(`${table}.${name} is of the type ${type}`);
  return kind;
}

function columnsOf({ columns }: RowTable): string {
  return columns.map(({ name }) => name).join(", ");
}

/** The server sends no more than what is taken. */
async function* readLines(
  client: pg.Client,
  select: string,
): AsyncGenerator<readonly string[], void, undefined> {
  const stream = client.query(copyTo(`COPY (${select}) TO STDOUT`)) as Readable; // of bytes
  const decoder = new StringDecoder("utf8");
  let rest = "";
  for await (const bytes of stream) {
    const lines = (rest + decoder.write(bytes as Buffer)).split("\n");
    rest = lines.pop() ?? "";
    if (lines.length > 0) yield lines;
  }
  if (rest !== "") throw new Error("the server ended in the middle of a row");
}

type Writes = Pick<RowStore, "readSettings" | "changeSettings" | "clear" | "load">;

function createWrites(client: pg.Client): Writes {
  const change = async (changes: SettingChanges) => {
    for (const [name, value] of changes)
      await client.query(
        value === undefined ? deleteSetting : putSetting,
        value === undefined ? [name] : [name, value],
      );
  };
  return {
    async readSettings() {
      const { rows } = await client.query<{ name: string; value: string }>(
        "SELECT name, value FROM settings",
      );
      return new Map(rows.map(({ name, value }) => [name, value]));
    },
    changeSettings: (changes) => inTransaction(client, () => change(changes)),
    clear: (tables) =>
      inTransaction(client, async () => {
        for (const { name } of tables) await client.query(`DELETE FROM ${name}`);
      }),
    load: (table, lines, changes) =>
      inTransaction(client, async () => {
        await sendLines(client, table, lines);
        await change(changes());
      }),
  };
}

const putSetting =
  "INSERT INTO settings (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value";
const deleteSetting = "DELETE FROM settings WHERE name = $1";

async function inTransaction(client: pg.Client, work: () => Promise<void>): Promise<void> {
  await client.query("BEGIN");
  try {
    await work();
  } catch (error) {
    await client.query("ROLLBACK").catch(() => {}); // a lost connection has done it
    throw error;
  }
  const { command } = await client.query("COMMIT");
  if (command !== "COMMIT") throw new Error(`the server answered COMMIT with ${command}`);
}

/** Throws CopyError for a row that PostgreSQL does not take, such as one with U+0000. */
async function sendLines(
  client: pg.Client,
  table: RowTable,
  lines: AsyncIterable<readonly string[]>,
): Promise<void> {
  const stream = client.query(copyFrom(`COPY ${table.name} (${columnsOf(table)}) FROM STDIN`));
  const done = once(stream, "finish");
  done.catch(() => {}); // it is awaited below, unless the lines fail first
  try {
    for await (const batch of lines) {
      if (!stream.write(`${batch.join("\n")}\n`)) await Promise.race([once(stream, "drain"), done]);
    }
    stream.end();
    await done;
  } catch (error) {
    stream.destroy();
    const {
      severity,
      message = "",
      code = "",
    } = error as { severity?: string; message?: string; code?: string };
    if (severity === undefined || !code.startsWith("22")) throw error;
    throw new CopyError(`a row of ${table.name} cannot be stored in PostgreSQL: ${message}`, {
      cause: error,
    });
  }
}

/** Indexes first: a foreign key needs the one of what it refers to. */
const listAll = `SELECT relname AS table, name, sql FROM (
    SELECT 1 AS step, t.relname, i.relname AS name, pg_get_indexdef(i.oid) AS sql
    FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid JOIN pg_class t ON t.oid = x.indrelid
    WHERE t.relnamespace = 'public'::regnamespace AND t.relkind = 'r'
      AND NOT EXISTS (SELECT 1 FROM pg_constraint k WHERE k.conindid = i.oid AND k.contype <> 'f')
    UNION ALL
    SELECT 2, t.relname, k.conname,
      format('ALTER TABLE %I ADD CONSTRAINT %I %s', t.relname, k.conname, pg_get_constraintdef(k.oid))
    FROM pg_constraint k JOIN pg_class t ON t.oid = k.conrelid
    WHERE t.relnamespace = 'public'::regnamespace AND k.contype = 'f') AS derived
  ORDER BY step, relname COLLATE "C", name COLLATE "C"`;

function createDerived(client: pg.Client): Pick<RowStore, "listDerived" | "dropDerived" | "makeDerived"> {
  const list = async () => (await client.query<Derived>(listAll)).rows;
  return {
    listDerived: list,
    dropDerived: (derived) =>
      inTransaction(client, async () => {
        for (const { table, name, sql } of derived.toReversed())
          await client.query(
            sql.startsWith("ALTER")
              ? `ALTER TABLE ${table} DROP CONSTRAINT IF EXISTS ${client.escapeIdentifier(name)}`
              : `DROP INDEX IF EXISTS ${client.escapeIdentifier(name)}`,
          );
      }),
    async makeDerived(derived) {
      const there = new Set((await list()).map(({ table, name }) => `${table} ${name}`));
      for (const { table, name, sql } of derived) if (!there.has(`${table} ${name}`)) await client.query(sql);
    },
  };
}
