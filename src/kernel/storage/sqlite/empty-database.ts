import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Connection, openConnection } from "./connection.ts";
import { migrate } from "./migrations.ts";

/** What the build of the package makes: a database to which all migrations were applied. Sources do not have it. */
const built = join(import.meta.dirname, "empty.db");

/** Opens a database in memory with the tables of the newest version and no rows. */
export function openEmptyDatabase(nowMs: number): Connection {
  // All migrations take 120 ms, a copy of their result 5.
  const connection = openConnection(existsSync(built) ? readFileSync(built) : ":memory:", {
    readonly: false,
  });
  migrate(connection.raw, nowMs);
  return connection;
}
