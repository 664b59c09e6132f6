import type pg from "pg";
import { connectTo } from "./postgres-raw.ts";

/** Databases of one worker of jest. Each serves one place after the other: it is quicker to empty one than to make one. */
export interface DatabasePool {
  /** Returns the name of a database that has the schema and no rows. */
  take(): Promise<string>;
  /** Ends all other connections to the database and empties it for the next one. */
  giveBack(name: string): Promise<void>;
}

/** The client has the methods of its socket, which the types lack. */
type Cleaner = pg.Client & { ref(): void; unref(): void };

/** Creates a pool of databases on a server; `makeSchema` fills the one that the others are copied from. */
export function createDatabasePool(server: string, makeSchema: (url: string) => Promise<void>): DatabasePool {
  // The worker goes on to the next file of tests, which begins with the databases of the last one. A file that failed may
  // have left anything in them.
  const prefix = `gatehouse_${process.ppid}_${process.env["JEST_WORKER_ID"] ?? 0}`;
  const template = `gatehouse_${process.ppid}_template`;
  const free: string[] = [];
  // Kept for as long as the file of tests runs: a new connection would read the catalogs anew, which takes longer than to delete.
  const cleaners = new Map<string, Cleaner>();
  let taken = 0;
  let asMade: string | undefined;
  const remake = async (client: pg.Client, name: string) => {
    await client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    await client.query(`CREATE DATABASE ${name} TEMPLATE ${template}`);
  };
  const cleanerOf = async (name: string): Promise<Cleaner> => {
    const known = cleaners.get(name);
    if (known !== undefined) return known;
    const made = (await connectTo(urlOf(server, name))) as Cleaner;
    cleaners.set(name, made);
    made.once("end", () => cleaners.delete(name));
    return made;
  };
  return {
    async take() {
      const name = free.pop();
      if (name !== undefined) return name;
      const next = `${prefix}_${(taken += 1)}`;
      await administer(server, async (client) => {
        await requireTemplate(client, template, () => makeSchema(urlOf(server, template)));
        await remake(client, next);
      });
      asMade ??= await administer(urlOf(server, next), readFingerprint);
      return next;
    },
    async giveBack(name) {
      const cleaner = await cleanerOf(name);
      cleaner.ref();
      const isEmpty = await tryToEmpty(cleaner, asMade ?? "");
      cleaner.unref(); // it ends with the worker, or when the next file makes the database anew
      if (!isEmpty) await administer(server, (client) => remake(client, name));
      free.push(name);
    },
  };
}

/** Returns the URL of another database on the server. */
export function urlOf(server: string, database: string): string {
  const url = new URL(server);
  url.pathname = `/${database}`;
  return url.href;
}

/** Makes the template unless it is there. The worker that comes first does it; the others wait. */
async function requireTemplate(client: pg.Client, name: string, make: () => Promise<void>): Promise<void> {
  const isThere = async () => {
    const sql = "SELECT 1 FROM pg_database WHERE datname = $1 AND datistemplate";
    return (await client.query(sql, [name])).rowCount === 1;
  };
  if (await isThere()) return;
  await client.query("SELECT pg_advisory_lock(1)");
  try {
    if (await isThere()) return;
    await client.query(`CREATE DATABASE ${name}`);
    await make();
    await client.query(`ALTER DATABASE ${name} IS_TEMPLATE true`);
  } finally {
    await client.query("SELECT pg_advisory_unlock(1)");
  }
}

/** What the tables and views of a database are: their columns and triggers. */
const fingerprint = `SELECT md5(
    (SELECT string_agg(c.oid || c.relname || a.attname, ',' ORDER BY c.oid, a.attnum)
     FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid WHERE c.relnamespace = 'public'::regnamespace) ||
    (SELECT COUNT(*) FROM pg_trigger WHERE NOT tgisinternal)) AS fingerprint`;

async function readFingerprint(client: pg.Client): Promise<string> {
  return (await client.query<{ fingerprint: string }>(fingerprint)).rows[0]?.fingerprint ?? "";
}

/** Deletes all rows; says no when a test has changed the tables. */
async function tryToEmpty(client: pg.Client, asMade: string): Promise<boolean> {
  await client.query(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()",
  );
  if ((await readFingerprint(client)) !== asMade) return false;
  const { rows } = await client.query<{ name: string }>(
    "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' AND tablename NOT IN ('migrations', 'log_position')",
  );
  const start =
    "UPDATE log_position SET last_sequence = 0, access_version = 0, last_id = 0, writer_epoch = 0";
  await client.query([...rows.map(({ name }) => `DELETE FROM ${name}`), start].join("; "));
  return true;
}

async function administer<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = await connectTo(url);
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
