import { lowerAscii } from "../../../kernel/base/names/folding.ts";
import type { Condition } from "../../../kernel/base/sql.ts";
import { type Narrowing, type Term, unknownToSql } from "./narrowing.ts";

/**
 * Compares a column of text whose case is ignored. Engines agree about the lower case of ASCII letters alone, and about no order, so
 * anything else is left to `matchesFilter`.
 */
export function narrowText(column: string, { by, value }: Term): Narrowing {
  const exact = (condition: Condition): Narrowing => ({ condition, isExact: true, isLead: false });
  if (by === "pr") return exact({ sql: `COALESCE(${column}, '') <> ''`, parameters: [] });
  const text = typeof value === "string" ? lowerAscii(value) : "";
  if (text === "" || !/^[\u0020-\u007e]+$/.test(text)) return unknownToSql;
  const like = (pattern: string): Narrowing =>
    exact({ sql: `lower(${column}) LIKE ? ESCAPE '!'`, parameters: [pattern] });
  const escaped = text.replaceAll(/[!%_]/g, "!$&");
  switch (by) {
    case "eq":
      return exact({ sql: `lower(${column}) = ?`, parameters: [text] });
    case "sw":
      return like(`${escaped}%`);
    case "ew":
      return like(`%${escaped}`);
    case "co":
      return like(`%${escaped}%`);
    default:
      return unknownToSql;
  }
}

/** Compares a column of instants in microseconds, of which SCIM shows the milliseconds. */
export function narrowInstant(column: string, { by, value }: Term): Narrowing {
  const exact = (sql: string, parameters: readonly number[]): Narrowing => ({
    condition: { sql, parameters },
    isExact: true,
    isLead: false,
  });
  if (by === "pr") return exact("TRUE", []);
  const from = Date.parse(String(value)) * 1000;
  const end = from + 1000;
  switch (by) {
    case "eq":
      return exact(`(${column} >= ? AND ${column} < ?)`, [from, end]);
    case "gt":
      return exact(`${column} >= ?`, [end]);
    case "ge":
      return exact(`${column} >= ?`, [from]);
    case "lt":
      return exact(`${column} < ?`, [from]);
    case "le":
      return exact(`${column} < ?`, [end]);
    default:
      return unknownToSql;
  }
}
