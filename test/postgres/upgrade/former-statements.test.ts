import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Client } from "pg";
import { migratePostgres } from "../../../src/kernel/storage/postgres/migrations/migrate.ts";
import { connectTo, shareServer, type TestDatabases } from "../connect/support/cluster.ts";

// Processes of the version before go on while the first new one migrates, and until they are replaced. So every statement that
// they send must fit the schema of today. `record.ts` writes the statements of a version down.

let cluster: TestDatabases;
let client: Client;

beforeAll(async () => {
  cluster = shareServer();
  const url = await cluster.makeDatabase();
  ({ client } = await connectTo(url).connect("migration", { giveUpAfterMs: 5000 }));
  await migratePostgres(client, 0);
});
afterAll(async () => {
  await client.end();
  await cluster.close();
});

const files = readdirSync(import.meta.dirname).filter((file) => /^statements-\d+\.json$/.test(file));

async function errorOf(statement: string): Promise<string | undefined> {
  try {
    await client.query(`PREPARE former AS ${statement}`);
    await client.query("DEALLOCATE former");
    return undefined;
  } catch (error) {
    return `${String(error)}: ${statement}`;
  }
}

test.each(files)("%s: every statement fits the schema of today", async (file) => {
  const statements = JSON.parse(readFileSync(join(import.meta.dirname, file), "utf8")) as readonly string[];
  const errors: (string | undefined)[] = [];
  for (const statement of statements) errors.push(await errorOf(statement));
  expect(errors.filter((error) => error !== undefined)).toEqual([]);
  expect(statements.length).toBeGreaterThan(300);
});

test("a statement that does not fit is seen", async () => {
  expect(await errorOf("SELECT nothing FROM users WHERE id = $1")).toContain("does not exist");
  expect(await errorOf("SELECT id FROM users WHERE id = $1")).toBeUndefined();
});
