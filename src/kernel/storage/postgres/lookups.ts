import type { Relations } from "./relations.ts";

/**
 * A part of a read that finds the rows of a table by equality, `FROM <table> WHERE <column> = ? AND …`: no other row of the
 * table matters to it.
 */
export interface Lookup {
  readonly table: string;
  /** The table, and those that it refers to. */
  readonly tables: ReadonlySet<string>;
  readonly conditions: readonly Equality[];
}

/** A column must have the value of the parameter, counted from 0. */
export interface Equality {
  readonly column: string;
  readonly parameter: number;
}

/** Up to the end of the subquery or statement, so that nothing else, such as OR, belongs to the conditions. */
const lookupText =
  /\bFROM\s+(?<table>\w+)\s+WHERE\s+(?<conditions>\w+ = \?(?:\s+AND\s+\w+ = \?)*)\s*(?=\)|$)/g;

/**
 * Takes the lookups out of a read. Returns them, and which tables it reads in other ways, with all that those refer to. Tables
 * behind a view are read in another way.
 */
export function parseLookups(
  sql: string,
  relations: Relations,
): { readonly lookups: readonly Lookup[]; readonly tables: ReadonlySet<string> } {
  const lookups: Lookup[] = [];
  let rest = "";
  let end = 0;
  for (const match of sql.matchAll(lookupText)) {
    const { table = "", conditions = "" } = match.groups ?? {};
    const tables = relations.behind([table]);
    if (!tables.has(table)) continue;
    const first = countParameters(sql.slice(0, match.index));
    const columns = conditions.split(/\s+AND\s+/).map((condition) => condition.replace(" = ?", ""));
    lookups.push({
      table,
      tables,
      conditions: columns.map((column, index) => ({ column, parameter: first + index })),
    });
    rest += sql.slice(end, match.index);
    end = match.index + match[0].length;
  }
  rest += sql.slice(end);
  return { lookups, tables: relations.behind(rest.match(/\w+/g) ?? []) };
}

function countParameters(sql: string): number {
  return sql.split("?").length - 1;
}
