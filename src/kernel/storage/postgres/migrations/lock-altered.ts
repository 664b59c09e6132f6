import type pg from "pg";

/**
 * How long to wait for readers. It is less than a server waits before it looks for a deadlock (`deadlock_timeout`, 1 s unless
 * somebody has changed it), so that a reader that waits for one of the tables gets it, and not the error of a deadlock.
 */
export const readersTimeoutMs = 500;

/**
 * Locks all tables and views at once that the script alters, or drops an index of, and that are there, before the script changes anything. Readers lock
 * them too, in whatever order they read: from here on the script waits for none of them. Fails with `query_canceled` if that takes
 * longer than `readersTimeoutMs`; the transaction is then to be rolled back, and everything done again a little later.
 */
export async function lockAltered(client: pg.Client, script: string): Promise<void> {
  const found = await client.query<{ relname: string }>(
    `SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'v')
     AND (relname = ANY($1) OR oid IN (SELECT indrelid FROM pg_index WHERE indexrelid::regclass::text = ANY($2)))
     ORDER BY relname`,
    [namesIn(script, altered), namesIn(script, droppedIndex)],
  );
  const names = found.rows.map(({ relname }) => relname);
  if (names.length === 0) return;
  await client.query(`SET LOCAL statement_timeout = ${readersTimeoutMs}`);
  await client.query(`LOCK TABLE ${names.join(", ")} IN ACCESS EXCLUSIVE MODE`);
  await client.query("SET LOCAL statement_timeout = 0");
}

const altered = /^(?:ALTER TABLE|CREATE OR REPLACE VIEW|DROP TABLE|DROP VIEW) (\w+)/gm;
const droppedIndex = /^DROP INDEX (\w+)/gm;

function namesIn(script: string, statement: RegExp): readonly string[] {
  return [...new Set(Array.from(script.matchAll(statement), ([, name = ""]) => name))];
}
