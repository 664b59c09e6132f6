import type pg from "pg";

/**
 * Tables that a rebuild reads or does not touch: they stay as they are. All others get a copy, so that checks may change
 * them.
 */
const shared: ReadonlySet<string> = new Set(["events", "migrations", "log_position", "writers"]);

/**
 * Covers every table and view with a temporary one of the same name and content, for this connection only. Call it in a
 * transaction, which is to be rolled back: nothing of the database itself is changed.
 */
export async function coverTables(client: pg.Client): Promise<void> {
  const names = async (sql: string) => (await client.query<{ name: string; text: string }>(sql)).rows;
  // The texts first: they name tables as they are found at this moment.
  const tables = (await names(tablesStatement)).filter(({ name }) => !shared.has(name));
  const views = await names(viewsStatement);
  const cascades = await names(cascadesStatement);
  await client.query("SET LOCAL search_path = pg_temp, public");
  for (const { name } of tables) {
    await client.query(`CREATE TEMPORARY TABLE ${name} (LIKE public.${name} INCLUDING ALL) ON COMMIT DROP`);
    await client.query(`INSERT INTO pg_temp.${name} SELECT * FROM public.${name}`);
  }
  for (const { name, text } of views) await client.query(`CREATE TEMPORARY VIEW ${name} AS ${text}`);
  for (const { name, text } of cascades) await client.query(`ALTER TABLE pg_temp.${name} ADD ${text}`);
}

const ours = "relnamespace = 'public'::regnamespace";

const tablesStatement = `SELECT relname AS name, '' AS text FROM pg_class WHERE ${ours} AND relkind = 'r' ORDER BY oid`;

/** In the order in which they were created: a view may look at an earlier one. */
const viewsStatement = `SELECT relname AS name, pg_get_viewdef(oid) AS text FROM pg_class
  WHERE ${ours} AND relkind = 'v' ORDER BY oid`;

/** The references by which a deleted row takes others with it. Other references only refuse, and are checked by themselves. */
const cascadesStatement = `SELECT relname AS name, pg_get_constraintdef(c.oid) AS text
  FROM pg_constraint c JOIN pg_class t ON t.oid = c.conrelid
  WHERE t.${ours} AND contype = 'f' AND confdeltype = 'c'`;
