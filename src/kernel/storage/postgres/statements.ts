import type { SqlValue } from "../../base/database.ts";
import { isTold, tableOf } from "../engine/table-watches.ts";
import { type Lookup, parseLookups } from "./lookups.ts";
import type { Sendable } from "./postgres-connection.ts";
import type { Relations } from "./relations.ts";

/** A statement of a repository, as PostgreSQL takes it. */
export interface Statement extends Sendable {
  readonly name: string;
  /** The tables that a read looks at, except for lookups, with all that those refer to. */
  readonly tables: ReadonlySet<string>;
  readonly lookups: readonly Lookup[];
  readonly isRead: boolean;
  /** Whether it locks nothing, and its answer follows from rows alone, so that it may be asked at any time, and again. */
  readonly isPure: boolean;
  /** The table that it writes to; undefined when that is unclear. */
  readonly target: string | undefined;
  /** Whether watches of its table tell of it. */
  readonly isTold: boolean;
  /** How its row is sent together with others; undefined unless it inserts exactly one row of given values. */
  readonly insert: RowInsert | undefined;
}

/** An INSERT of one row that can be sent together with others of the same text. */
export interface RowInsert {
  readonly table: string;
  /** As in `Relations`. */
  readonly rank: number;
  /** The columns of the values; undefined if it also has constants. */
  readonly columns: readonly string[] | undefined;
  /** Returns the statement that inserts so many rows: a power of two, so that there are only a few texts. */
  rows(count: number): Sendable;
}

/** Translates statements, each text once. */
export interface Statements {
  of(sql: string): Statement;
}

/** Creates the translation for a schema. */
export function createStatements(relations: Relations): Statements {
  const known = new Map<string, Statement>();
  let count = 0;
  const nextName = () => `s${++count}`;
  return {
    of(sql) {
      const found = known.get(sql);
      if (found !== undefined) return found;
      const isRead = /^\s*(?:SELECT|WITH)\b/.test(sql) && !/\b(?:INSERT|UPDATE|DELETE)\b/.test(sql);
      const statement: Statement = {
        name: nextName(),
        text: numberParameters(sql),
        ...(isRead ? parseLookups(sql, relations) : { lookups: [], tables: new Set<string>() }),
        isRead,
        isPure: isRead && !/\bFOR\b/.test(sql) && callsNothingElse(sql),
        target: targetOf(sql, relations),
        isTold: isTold(sql),
        insert: parseInsert(sql, relations, nextName),
      };
      known.set(sql, statement);
      return statement;
    },
  };
}

/** Words before a parenthesis: functions whose result follows from their arguments, and words of the language. */
const pureWords: ReadonlySet<string> = new Set(
  [
    ["COALESCE", "COUNT", "LOWER", "MAX", "MIN", "OCTET_LENGTH", "ROW_NUMBER", "SUBSTR", "SUM"],
    ["ALL", "AND", "AS", "BY", "EXISTS", "FILTER", "FROM", "IN", "JOIN", "NOT", "ON", "OR", "OVER", "SELECT"],
    ["THEN", "UNION", "VALUES", "WHEN", "WHERE"],
  ].flat(),
);

function callsNothingElse(sql: string): boolean {
  return [...sql.matchAll(/(\w+)\s*\(/g)].every(([, word = ""]) => pureWords.has(word.toUpperCase()));
}

/** A write to a view changes rows of a table that its text does not name. */
function targetOf(sql: string, relations: Relations): string | undefined {
  const name = tableOf(sql);
  return name !== undefined && relations.behind([name]).has(name) ? name : undefined;
}

/**
 * Returns the values of a read. PostgreSQL has no text with U+0000, so it cannot look for one; SQLite finds nothing. No
 * stored value has U+0001 either, which field rules refuse.
 */
export function toReadValues(values: readonly SqlValue[]): readonly SqlValue[] {
  return values.some(hasNull)
    ? values.map((value) => (hasNull(value) ? value.replaceAll("\0", "\u0001") : value))
    : values;
}

/** Returns the values of a write. Throws for U+0000, which field rules have refused before. */
export function toWriteValues(values: readonly SqlValue[]): readonly SqlValue[] {
  if (values.some(hasNull)) throw new Error("a text with U+0000 cannot be stored");
  return values;
}

function hasNull(value: SqlValue): value is string {
  return typeof value === "string" && value.includes("\0");
}

/** A `?` in a statement is always a parameter. */
function numberParameters(sql: string, first = 1): string {
  let index = first;
  return sql.replaceAll("?", () => `$${index++}`);
}

/** One row of parameters and constants, without expressions, and nothing behind it, such as ON CONFLICT. */
const oneRow =
  /^\s*(?<head>INSERT\s+INTO\s+(?<table>\w+)\s*\((?<columns>[^()]*)\)\s*VALUES)\s*(?<row>\([^()]*\))\s*$/;

function parseInsert(sql: string, relations: Relations, nextName: () => string): RowInsert | undefined {
  const { head, table, columns, row } = oneRow.exec(sql)?.groups ?? {};
  if (head === undefined || table === undefined || columns === undefined || row === undefined)
    return undefined;
  if (!relations.behind([table]).has(table)) return undefined; // a view, or a table of a later version
  const parameters = row.split("?").length - 1;
  const texts = new Map<number, Sendable>();
  return {
    table,
    rank: relations.rank(table),
    columns: /^[\s(),?]*$/.test(row) ? columns.trim().split(/\s*,\s*/) : undefined,
    rows(count) {
      let made = texts.get(count);
      if (made === undefined) {
        const rows = Array.from({ length: count }, (_, index) =>
          numberParameters(row, 1 + index * parameters),
        );
        texts.set(count, (made = { name: nextName(), text: `${head} ${rows.join(", ")}` }));
      }
      return made;
    },
  };
}
