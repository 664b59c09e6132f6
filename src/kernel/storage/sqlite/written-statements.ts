import type { SqlValue } from "../../base/database.ts";
import type { Connection } from "./connection.ts";

/**
 * What the commands of an open transaction have written, so that it can be made again without the last of them. That costs the
 * others nothing, where a savepoint for each command would copy every page that it changes.
 */
export interface WrittenStatements {
  /** Remembers a statement that was run. One that fails changes nothing. */
  add(sql: string, parameters: readonly SqlValue[]): void;
  /** Returns the number of statements so far. */
  count(): number;
  /** Forgets all statements but the first `count`, because the others were undone. */
  forgetFrom(count: number): void;
  /** Whether every statement up to now is remembered, and the transaction may still be made again. */
  isWhole(): boolean;
  /**
   * Rolls the transaction back and makes it again from the first `count` statements: each of them finds what it found before.
   * Afterwards it is not whole, so that commands that fail one after the other do not make it again each time.
   */
  makeAgain(connection: Connection, count: number): void;
}

/** About what two commands of 1,000 events write. */
const maxRemembered = 10_000;

/** Creates the memory of one transaction. */
export function createWrittenStatements(): WrittenStatements {
  const statements: { readonly sql: string; readonly parameters: readonly SqlValue[] }[] = [];
  let isWanted = true;
  const isWhole = (): boolean => isWanted && statements.length < maxRemembered;
  return {
    add(sql, parameters) {
      if (isWhole()) statements.push({ sql, parameters });
    },
    count: () => statements.length,
    forgetFrom(count) {
      statements.length = Math.min(statements.length, count);
    },
    isWhole,
    makeAgain(connection, count) {
      connection.run("ROLLBACK", []);
      connection.run("BEGIN IMMEDIATE", []);
      for (const { sql, parameters } of statements.slice(0, count)) connection.run(sql, parameters);
      statements.length = 0;
      isWanted = false;
    },
  };
}
