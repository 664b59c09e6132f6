import { setImmediate } from "node:timers/promises";
import Sqlite from "better-sqlite3";
import type { SqlValue } from "../../base/database.ts";
import {
  type ColumnKind,
  CopyError,
  type Derived,
  earlierVersion,
  hasInstallation,
  type RowStore,
  type RowTable,
  type SettingChanges,
  toField,
  toValue,
} from "../copy/rows.ts";
import type { DataFolder } from "../data-folder.ts";
import { openConnection } from "./connection.ts";
import { migrate, newestVersion, requireKnownDatabase, versionOf } from "./migrations.ts";

/** Lines that are read in one turn of the event loop: about a millisecond. */
const linesAtOnce = 500;
const charactersAtOnce = 2 ** 18;
/** What SQLite keeps of the file while rows are added and indexes are made. */
const cacheKib = 24_576;

const notCopied: ReadonlySet<string> = new Set(["migrations", "settings"]);

/**
 * Opens the database of the folder for a copy; an empty one gets its tables. The caller must hold the lock on the folder. Throws CopyError for tables of an earlier version, DatabaseTooNewError and errors of SQLite.
 */
export function openSqliteRows(folder: DataFolder, nowMs: number): RowStore {
  const { raw } = openConnection(folder.database, { readonly: false, approve: requireKnownDatabase });
  let reader: Sqlite.Database;
  try {
    const version = versionOf(raw);
    if (version !== 0 && version !== newestVersion() && raw.prepare(hasInstallation).get() !== undefined)
      throw earlierVersion(folder.path);
    migrate(raw, nowMs);
    raw.pragma("foreign_keys = OFF"); // both ends of a reference are copied
    raw.pragma("synchronous = NORMAL"); // what a power cut undoes is a whole transaction, with the position in it
    raw.pragma("temp_store = FILE"); // sorting an index in memory would need as much as the index
    raw.pragma(`cache_size = -${cacheKib}`);
    reader = new Sqlite(folder.database, { readonly: true });
  } catch (error) {
    raw.close();
    throw error;
  }
  return {
    ...createReads(reader),
    ...createWrites(raw),
    ...createIndexes(raw),
    async finish() {
      raw.pragma("synchronous = FULL");
      raw.pragma("wal_checkpoint(TRUNCATE)");
    },
    async close() {
      reader.close();
      raw.close();
    },
  };
}

function createReads(reader: Sqlite.Database): Pick<RowStore, "listTables" | "read" | "readAll" | "count"> {
  return {
    async listTables() {
      const names = reader
        .prepare<[], string>(
          "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name",
        )
        .pluck()
        .all();
      return names.filter((name) => !notCopied.has(name)).map((name) => describe(reader, name));
    },
    read(table, after) {
      const key = table.key.join(", ");
      const where = after === undefined ? "" : `WHERE (${key}) > (${table.key.map(() => "?").join(", ")})`;
      const values = (after ?? []).map((field, at) => toValue(field, kindOf(table, table.key[at] ?? "")));
      return iterate(
        reader,
        `SELECT ${columnsOf(table)} FROM ${table.name} ${where} ORDER BY ${key}`,
        values,
      );
    },
    readAll: (table) => iterate(reader, `SELECT ${columnsOf(table)} FROM ${table.name}`, []),
    async count({ name }) {
      return reader.prepare<[], number>(`SELECT COUNT(*) FROM ${name}`).pluck().get() ?? 0;
    },
  };
}

interface ColumnRow {
  readonly name: string;
  readonly type: string;
  readonly pk: number;
}

const kinds = new Map<string, ColumnKind>([
  ["INTEGER", "integer"],
  ["TEXT", "text"],
  ["BLOB", "bytes"],
]);

function describe(reader: Sqlite.Database, name: string): RowTable {
  const rows = reader.pragma(`table_info(${name})`) as readonly ColumnRow[]; // its columns by the manual of SQLite
  const columns = rows.map((row) => {
    const kind = kinds.get(row.type);
    if (kind === undefined) throw new Error(`${name}.${row.name} is of the type ${row.type}`);
    return { name: row.name, kind };
  });
  const key = rows.filter(({ pk }) => pk > 0).toSorted((left, right) => left.pk - right.pk);
  // In the order of names: a column that was added later stands elsewhere in another engine.
  return {
    name,
    columns: columns.toSorted((left, right) => (left.name < right.name ? -1 : 1)),
    key: key.map((column) => column.name),
  };
}

function columnsOf({ columns }: RowTable): string {
  return columns.map(({ name }) => name).join(", ");
}

function kindOf({ columns }: RowTable, name: string): ColumnKind {
  return columns.find((column) => column.name === name)?.kind ?? "text";
}

async function* iterate(
  reader: Sqlite.Database,
  sql: string,
  values: readonly unknown[],
): AsyncGenerator<readonly string[], void, undefined> {
  let lines: string[] = [];
  let characters = 0;
  for (const row of reader
    .prepare<unknown[], SqlValue[]>(sql)
    .raw()
    .iterate(...values)) {
    let line = "";
    for (const [at, value] of row.entries()) line += at === 0 ? toField(value) : `\t${toField(value)}`;
    characters += line.length;
    if (lines.push(line) < linesAtOnce && characters < charactersAtOnce) continue;
    yield lines;
    [lines, characters] = [[], 0];
    await setImmediate(); // the place of another engine has a connection whose bytes wait
  }
  if (lines.length > 0) yield lines;
}

type Writes = Pick<RowStore, "readSettings" | "changeSettings" | "clear" | "load">;

function createWrites(raw: Sqlite.Database): Writes {
  const change = (changes: SettingChanges) => {
    for (const [name, value] of changes) {
      if (value === undefined) raw.prepare("DELETE FROM settings WHERE name = ?").run(name);
      else raw.prepare(putSetting).run(name, value);
    }
  };
  return {
    async readSettings() {
      return new Map(raw.prepare<[], [string, string]>("SELECT name, value FROM settings").raw().all());
    },
    async changeSettings(changes) {
      raw.transaction(change)(changes);
    },
    async clear(tables) {
      raw.transaction(() => {
        for (const { name } of tables) raw.exec(`DELETE FROM ${name}`);
      })();
    },
    async load(table, lines, changes) {
      const { columns } = table;
      const places = columns.map(() => "?").join(", ");
      const insert = raw.prepare(`INSERT INTO ${table.name} (${columnsOf(table)}) VALUES (${places})`);
      raw.exec("BEGIN");
      try {
        for await (const batch of lines) for (const line of batch) insert.run(toValues(table, line));
        change(changes());
        raw.exec("COMMIT");
      } catch (error) {
        if (raw.inTransaction) raw.exec("ROLLBACK");
        throw error;
      }
    },
  };
}

const putSetting =
  "INSERT INTO settings (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value";

function toValues({ name, columns }: RowTable, line: string): readonly unknown[] {
  const fields = line.split("\t");
  if (fields.length !== columns.length)
    throw new CopyError(`a row of ${name} has ${fields.length} fields instead of ${columns.length}`);
  return columns.map(({ kind }, at) => toValue(fields[at] ?? "", kind));
}

function createIndexes(raw: Sqlite.Database): Pick<RowStore, "listDerived" | "dropDerived" | "makeDerived"> {
  return {
    async listDerived() {
      return raw
        .prepare<[], Derived>(
          "SELECT tbl_name AS 'table', name, sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL ORDER BY tbl_name, name",
        )
        .all();
    },
    async dropDerived(derived) {
      raw.transaction(() => {
        for (const { name } of derived) raw.exec(`DROP INDEX IF EXISTS ${name}`);
      })();
    },
    async makeDerived(derived) {
      const isThere = raw.prepare("SELECT 1 FROM sqlite_master WHERE type = 'index' AND name = ?");
      for (const { name, sql } of derived) {
        if (isThere.get(name) !== undefined) continue;
        raw.exec(sql);
        await setImmediate(); // a place of another engine has a connection to look after
      }
    },
  };
}
