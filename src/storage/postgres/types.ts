import pg from "pg";

/**
 * How values of PostgreSQL become those that SQLite returns, so that repositories need not know which engine they run
 * on: every number is a JavaScript number, and a boolean is 0 or 1.
 */
export const postgresTypes: pg.CustomTypesConfig = {
  getTypeParser(oid: number, format?: "text" | "binary") {
    return parsers.get(oid) ?? pg.types.getTypeParser(oid, format);
  },
};

const { builtins } = pg.types;
const parsers = new Map<number, (text: string) => number>([
  [builtins.INT8, toSafeInteger],
  [builtins.NUMERIC, toSafeInteger], // SUM of integers
  [builtins.BOOL, (text) => (text === "t" ? 1 : 0)],
]);

/** Throws for an integer that a JavaScript number cannot hold: sequences and dates stay below 2^53 until the year 2255. */
function toSafeInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError("the database returned a number that is too large");
  return value;
}
