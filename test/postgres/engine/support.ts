import { Client } from "pg";
import { systemClock } from "../../../src/kernel/base/clock.ts";
import type { Database } from "../../../src/kernel/base/database.ts";
import { systemRandom } from "../../../src/kernel/base/random.ts";
import {
  openPostgresDatabase,
  type PostgresOptions,
} from "../../../src/kernel/storage/postgres/postgres-database.ts";
import { postgresTypes } from "../../../src/kernel/storage/postgres/types.ts";
import { connectTo } from "../connect/support/cluster.ts";

/** Opens a database as one process would. Each call stands for a process of its own. */
export async function openProcess(url: string, options: Partial<PostgresOptions> = {}): Promise<Database> {
  return await openPostgresDatabase({
    connector: connectTo(url, { types: postgresTypes, isDev: true }),
    clock: systemClock,
    random: systemRandom,
    isSynchronousRequired: false,
    ...options,
  });
}

/** Inserts a setting: one parameter, its name. */
export const insertName = "INSERT INTO settings (name, value) VALUES (?, '')";

/** Returns the names of all settings, in order. */
export async function namesIn(database: Database): Promise<readonly string[]> {
  const rows = await database.read((tx) =>
    tx.all<{ name: string }>("SELECT name FROM settings ORDER BY name"),
  );
  return rows.map(({ name }) => name);
}

/** Collects the texts of the statements that are sent while `work` runs. */
export async function statementsOf(work: () => Promise<unknown>): Promise<readonly string[]> {
  const texts: string[] = [];
  const { query } = Client.prototype;
  Client.prototype.query = function tell(this: Client, ...given: unknown[]) {
    const [config] = given;
    texts.push(typeof config === "string" ? config : (config as { readonly text: string }).text);
    return Reflect.apply(query, this, given) as unknown;
  } as typeof query;
  try {
    await work();
  } finally {
    Client.prototype.query = query;
  }
  return texts;
}
