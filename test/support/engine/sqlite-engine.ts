import Sqlite from "better-sqlite3";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { SqlValue } from "../../../src/kernel/base/database.ts";
import type { ListIndex } from "../../../src/kernel/base/list.ts";
import { newMasterKeyText } from "../../../src/kernel/base/keyring.ts";
import { systemRandom } from "../../../src/kernel/base/random.ts";
import { migrate } from "../../../src/kernel/storage/sqlite/migrations.ts";
import { openSqliteDatabase } from "../../../src/kernel/storage/sqlite/sqlite-database.ts";
import { copyDataFolder, dumpOf } from "../../process/support/tables.ts";
import { derived } from "../derived.ts";
import { createSeats } from "../seats.ts";
import { serviceCount } from "../several.ts";
import { makeTemporaryFolder } from "../temporary.ts";
import type { Engine, PlanStep, RawConnection, TestPlace } from "./engine.ts";
import { recordStatements } from "./recorded-statements.ts";

recordStatements();

/** SQLite: a place is a data folder. */
export const sqliteEngine: Engine = {
  name: "sqlite",
  makePlace: async () => placeAt(makeTemporaryFolder()),
  words: {
    notUnique: (table) => new RegExp(`^UNIQUE constraint failed: (index '|)${table}`),
    brokenForeignKey: /^FOREIGN KEY constraint failed$/,
    noSuchTable: /no such table/,
  },
  deferForeignKeys: "PRAGMA defer_foreign_keys = ON",
  onStatement,
};

function onStatement(listener: (sql: string) => void): () => void {
  // All statements share it, those that were prepared before too.
  const prototype = statementPrototype();
  const { get, all } = prototype;
  const telling = (original: typeof get) =>
    function tell(this: Sqlite.Statement, ...parameters: unknown[]): unknown {
      listener(this.source);
      return original.apply(this, parameters);
    };
  Object.assign(prototype, { get: telling(get), all: telling(all) });
  return () => void Object.assign(prototype, { get, all });
}

function statementPrototype(): Pick<Sqlite.Statement, "get" | "all"> {
  const database = new Sqlite(":memory:");
  const prototype: unknown = Object.getPrototypeOf(database.prepare("SELECT 1"));
  database.close();
  return prototype as Pick<Sqlite.Statement, "get" | "all">; // as better-sqlite3 documents it
}

/** Makes an empty database after all migrations, which take longer than most tests. */
function makeMigrated(): Buffer {
  const connection = new Sqlite(":memory:");
  try {
    migrate(connection, Date.now());
    return connection.serialize();
  } finally {
    connection.close();
  }
}

function placeAt({ path, remove }: ReturnType<typeof makeTemporaryFolder>): TestPlace {
  const file = join(path, "gatehouse.db");
  let opened: ReturnType<typeof openRaw> | undefined;
  const layMigrated = () => writeFileSync(file, (derived.migrated ??= makeMigrated()), { mode: 0o600 });
  return {
    folder: path,
    flags: { data: path },
    prepare() {
      writeFileSync(join(path, "master.key"), newMasterKeyText(systemRandom), { mode: 0o600 });
      layMigrated();
    },
    async open({ onFatal = rethrow, random = systemRandom, ...options }) {
      if (!existsSync(file)) layMigrated();
      const [seat] = serviceCount > 1 ? createSeats(1) : [];
      return openSqliteDatabase({ file, onFatal, random, seat, ...options });
    },
    get raw() {
      return (opened ??= openRaw(file)).raw;
    },
    async disconnect() {
      opened?.connection.close();
      opened = undefined;
    },
    bytes: async () =>
      Buffer.concat(
        readdirSync(path)
          .filter((name) => name.startsWith("gatehouse.db"))
          .map((name) => readFileSync(join(path, name))),
      ),
    async copy() {
      const parent = makeTemporaryFolder();
      return placeAt({ path: copyDataFolder(path, parent.path), remove: () => parent.remove() });
    },
    async remove() {
      await this.disconnect();
      remove();
    },
  };
}

/** Opens a file beside whoever else has it open. */
export function openRaw(file: string): { readonly connection: Sqlite.Database; readonly raw: RawConnection } {
  const connection = new Sqlite(file);
  connection.pragma("foreign_keys = OFF");
  const rowsOf = <R>(sql: string, parameters: readonly SqlValue[] = []) =>
    connection.prepare<SqlValue[], R>(sql).all(...parameters);
  const raw: RawConnection = {
    peek: async <R extends object>(sql: string, parameters?: readonly SqlValue[]) =>
      rowsOf<R>(sql, parameters),
    async damage(sql, parameters = []) {
      connection.prepare(sql).run(...parameters);
    },
    async breakWrites(kind, table) {
      connection.exec(
        `CREATE TRIGGER broken_${kind}_${table} BEFORE ${kind} ON ${table} BEGIN SELECT RAISE(ABORT, 'broken'); END`,
      );
    },
    async holdWrites() {
      const holder = new Sqlite(file);
      holder.exec("BEGIN IMMEDIATE");
      return async () => void holder.close();
    },
    grow: async () => {},
    explain: async (sql) => {
      const parameters = Array.from({ length: sql.split("?").length - 1 }, () => "1");
      const details = rowsOf<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, parameters);
      return details.map(({ detail }) => toPlanStep(detail));
    },
    dump: async (tables) => dumpOf(connection, tables),
    indexes: async () => indexesOf(connection),
    views: async () =>
      rowsOf<{ name: string }>("SELECT name FROM sqlite_schema WHERE type = 'view'").map(({ name }) => name),
  };
  return { connection, raw };
}

/** Reads a step such as `SEARCH users USING INDEX users_by_state (resource_owner=? AND state=?)`. */
function toPlanStep(text: string): PlanStep {
  if (text.includes("TEMP B-TREE")) return { kind: "sort", table: "", index: "", terms: [], text };
  const [, verb, table = "", index = "", searched = ""] =
    /^(SEARCH|SCAN) (\w+)(?:.* USING (?:COVERING |INTEGER )?(?:INDEX )?(\w+(?: KEY)?))?(?: \((.*)\))?/.exec(
      text,
    ) ?? [];
  const isTable =
    verb !== undefined && !/^SCAN (counted|looked|json_each|CONSTANT ROW|\d+ CONSTANT)/.test(text);
  if (!isTable) return { kind: "other", table: "", index: "", terms: [], text };
  const terms = searched.split(" AND ").map((term) => term.replace(/\(?\?.*$/, ""));
  return {
    kind: verb === "SEARCH" ? "search" : "walk",
    table,
    index,
    terms: searched === "" ? [] : terms,
    text,
  };
}

function indexesOf(connection: Sqlite.Database): readonly ListIndex[] {
  const rows = connection
    .prepare<[], { table: string; isUnique: number; sql: string | null; columns: string }>(
      `SELECT m.name AS "table", l."unique" AS "isUnique", i.sql,
         (SELECT group_concat(name, ', ') FROM pragma_index_info(l.name)) AS columns
       FROM sqlite_schema m, pragma_index_list(m.name) l LEFT JOIN sqlite_schema i ON i.name = l.name
       WHERE m.type = 'table' AND (l.partial = 0 OR i.sql LIKE '%WHERE % IS NOT NULL')`,
    )
    .all();
  return rows.map(({ table, isUnique, sql, columns }) => ({
    table,
    columns: (/\((.*)\)(?:\s+WHERE \w+ IS NOT NULL)?$/s.exec(sql ?? "")?.[1] ?? columns).split(", "), // an expression stands in the text only
    isUnique: isUnique === 1,
  }));
}

function rethrow(error: Error): never {
  throw error;
}
