import { type CustomTypesConfig, types } from "pg";

/**
 * How values of PostgreSQL become those that SQLite returns, so that repositories need not know which engine they run
 * on: every number is a JavaScript number, and a boolean is 0 or 1.
 */
export const postgresTypes: CustomTypesConfig = {
  getTypeParser: (oid: number) => parsers.get(oid) ?? ofDriver(oid),
};

/** Bytes and texts are as they should be. */
const ofDriver: (oid: number) => (text: string) => unknown = types.getTypeParser;

const { builtins } = types;
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
