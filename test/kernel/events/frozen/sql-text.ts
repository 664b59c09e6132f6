import type Sqlite from "better-sqlite3";

interface SchemaRow {
  readonly type: string;
  readonly name: string;
  readonly sql: string;
}

/** Writes a database as SQL text, in an order that depends on nothing but what is in it. */
export function toSqlText(database: Sqlite.Database): string {
  const schema = database
    .prepare<[], SchemaRow>(
      "SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' ORDER BY rowid",
    )
    .all();
  const tables = schema.filter(({ type }) => type === "table");
  const rows = tables.flatMap(({ name }) => rowsOf(database, name));
  const others = schema.filter(({ type }) => type !== "table");
  const statements = [...tables.map(({ sql }) => sql), ...rows, ...others.map(({ sql }) => sql)];
  return `${statements.join(";\n")};\n`;
}

/** Fills an empty database with what `toSqlText` wrote. */
export function fillFromSqlText(database: Sqlite.Database, text: string): void {
  database.pragma("foreign_keys = OFF"); // rows stand in the order of their tables
  database.exec(`BEGIN;\n${text}COMMIT;`);
}

function rowsOf(database: Sqlite.Database, table: string): readonly string[] {
  const rows = database.prepare(`SELECT * FROM "${table}"`).raw().safeIntegers().all() as unknown[][]; // as `raw` gives them
  return rows.map((row) => `INSERT INTO "${table}" VALUES (${row.map(toLiteral).join(", ")})`).toSorted();
}

function toLiteral(value: unknown): string {
  if (value === null) return "NULL";
  if (typeof value === "bigint") return value.toString();
  if (typeof value === "string") return `'${value.replaceAll("'", "''")}'`;
  if (value instanceof Uint8Array) return `x'${Buffer.from(value).toString("hex")}'`;
  throw new Error(`a value of the type ${typeof value} is not expected`);
}
