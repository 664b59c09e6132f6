import { crc32 } from "node:zlib";
import type { SqlValue } from "../../base/database.ts";

/** What a column holds, whatever the engine calls it. */
export type ColumnKind = "integer" | "text" | "bytes";

/** A column of a table that copies take along. */
export interface RowColumn {
  readonly name: string;
  readonly kind: ColumnKind;
}

/** A table that copies take along. */
export interface RowTable {
  readonly name: string;
  /** In the order of the fields of a line. */
  readonly columns: readonly RowColumn[];
  /** The columns of the primary key, in its order. */
  readonly key: readonly string[];
}

/** An index or a foreign key: what a table is loaded faster without. */
export interface Derived {
  readonly table: string;
  readonly name: string;
  /** The statement that makes it. */
  readonly sql: string;
}

/** A change of the table `settings`; undefined deletes the row. */
export type SettingChanges = ReadonlyMap<string, string | undefined>;

/**
 * The tables of a place, row by row, for a copy: all but `settings` and what only one engine has. A row is a line of text as COPY of
 * PostgreSQL writes it, without its line feed: fields between tabs, `\N` for NULL, bytes as `\\x` and hexadecimal digits. It is the same
 * for both engines, so it can be passed on and compared as it is.
 */
export interface RowStore {
  /** Lists the tables by name. */
  listTables(): Promise<readonly RowTable[]>;
  /** Reads the rows in the order of their primary key, after the row with this key. It is a field of a line for each of its columns. */
  read(table: RowTable, after: readonly string[] | undefined): AsyncIterable<readonly string[]>;
  /** Reads all rows in the order that is quickest. */
  readAll(table: RowTable): AsyncIterable<readonly string[]>;
  /** Counts the rows. */
  count(table: RowTable): Promise<number>;
  readSettings(): Promise<ReadonlyMap<string, string>>;
  /** Changes settings in one transaction. */
  changeSettings(changes: SettingChanges): Promise<void>;
  /** Deletes every row of these tables, in one transaction. */
  clear(tables: readonly RowTable[]): Promise<void>;
  /** Adds the rows and then changes settings, in one transaction. `changes` is called once all rows have been read. */
  load(
    table: RowTable,
    lines: AsyncIterable<readonly string[]>,
    changes: () => SettingChanges,
  ): Promise<void>;
  /** Lists what can be left out while rows are added. */
  listDerived(): Promise<readonly Derived[]>;
  /** Removes these, in one transaction. */
  dropDerived(derived: readonly Derived[]): Promise<void>;
  /** Makes these again; one that is there is left as it is. The first ones do not need the later ones. */
  makeDerived(derived: readonly Derived[]): Promise<void>;
  /** Does what is due after the last row: the service can be started afterwards. */
  finish(): Promise<void>;
  close(): Promise<void>;
}

/** The place cannot be copied, or not there. The message is for the person who started the copy. */
export class CopyError extends Error {}

/** Returns the error for an installation of an earlier version of this program, which only a start of the service may migrate. */
export function earlierVersion(name: string): CopyError {
  return new CopyError(
    `${name} has an installation of an earlier version of this program; name an empty place`,
  );
}

/** Finds out whether there is an installation, or a part of one. An interrupted start of a copy leaves tables without. */
export const hasInstallation = "SELECT 1 FROM settings LIMIT 1";

const special = /[\\\b\f\n\r\t\v]/;
const allSpecial = /[\\\b\f\n\r\t\v]/g;
const letters = new Map([
  ["\\", "\\\\"],
  ["\b", "\\b"],
  ["\f", "\\f"],
  ["\n", "\\n"],
  ["\r", "\\r"],
  ["\t", "\\t"],
  ["\v", "\\v"],
]);
const meanings = new Map([...letters].map(([meaning, text]) => [text[1], meaning]));

/** Converts a value to a field of a line (PostgreSQL, COPY, "Text Format"). */
export function toField(value: SqlValue): string {
  if (value === null) return "\\N";
  if (typeof value === "string")
    return special.test(value) ? value.replaceAll(allSpecial, (found) => letters.get(found) ?? found) : value;
  if (value instanceof Uint8Array) return `\\\\x${Buffer.from(value).toString("hex")}`;
  return String(value);
}

/** Converts a field of a line to the value of a column of this kind. */
export function toValue(field: string, kind: ColumnKind): string | number | Buffer | null {
  if (field === "\\N") return null;
  switch (kind) {
    case "integer":
      return Number(field);
    case "bytes":
      return Buffer.from(field.slice("\\\\x".length), "hex");
    case "text":
      return toText(field);
  }
}

/** Returns the text that a field stands for; bytes as `\x` and hexadecimal digits. */
export function toText(field: string): string {
  return field.includes("\\")
    ? field.replaceAll(/\\(.)/g, (_found, letter: string) => meanings.get(letter) ?? letter)
    : field;
}

/** Returns a number that is the same for the same tables, columns and keys. */
export function schemaNumberOf(tables: readonly RowTable[]): number {
  const columnsOf = ({ columns }: RowTable) =>
    columns.map(({ name, kind }) => [name, kind].join(" ")).toSorted();
  return crc32(JSON.stringify(tables.map((table) => [table.name, table.key, columnsOf(table)])));
}
