import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Client } from "pg";
import { migratePostgres } from "../../../src/kernel/storage/postgres/migrations/migrate.ts";
import { PostgresConnection } from "../../../src/kernel/storage/postgres/postgres-connection.ts";
import { readRelations } from "../../../src/kernel/storage/postgres/relations.ts";
import { createStatements, type Statements } from "../../../src/kernel/storage/postgres/statements.ts";
import { connectTo, shareServer, type TestDatabases } from "../connect/support/cluster.ts";

// `.ci/run` runs few tests of protocols on PostgreSQL. All others have given their statements to SQLite just before, where
// `support/engine/recorded-statements.ts` has written them down: PostgreSQL must take them, too.

const { GATEHOUSE_STATEMENTS: folder } = process.env;

let cluster: TestDatabases;
let client: Client;
let statements: Statements;

beforeAll(async () => {
  cluster = shareServer();
  const session = await connectTo(await cluster.makeDatabase()).connect("migration", { giveUpAfterMs: 5000 });
  ({ client } = session);
  await migratePostgres(client, 0);
  statements = createStatements(await readRelations(new PostgresConnection(session)));
});
afterAll(async () => {
  await client.end();
  await cluster.close();
});

async function errorOf(sql: string): Promise<string | undefined> {
  try {
    await client.query(`PREPARE recorded AS ${statements.of(sql).text}`);
    await client.query("DEALLOCATE recorded");
    return undefined;
  } catch (error) {
    return `${String(error)}: ${sql}`;
  }
}

/** Returns the statements of repositories: those about SQLite itself have no other engine. */
function listRecorded(from: string): readonly string[] {
  const lines = readdirSync(from).flatMap((name) =>
    readFileSync(join(from, name), "utf8").trim().split("\n"),
  );
  const all = new Set(lines.map((line) => JSON.parse(line) as string)); // as they were recorded
  return [...all].filter(
    (sql) => /^\s*(SELECT|WITH|INSERT|UPDATE|DELETE)\b/.test(sql) && !/\bsqlite_/.test(sql),
  );
}

(folder === undefined ? test.skip : test)(
  "PostgreSQL takes every statement that SQLite was given",
  async () => {
    const all = listRecorded(folder ?? "");
    const errors: (string | undefined)[] = [];
    for (const sql of all) errors.push(await errorOf(sql));
    expect(errors.filter((error) => error !== undefined)).toEqual([]);
    expect(all.length).toBeGreaterThan(250);
  },
  120_000,
);

test("a statement that does not fit is seen", async () => {
  expect(await errorOf("SELECT nothing FROM users WHERE id = ?")).toContain("does not exist");
  expect(await errorOf("SELECT id FROM users WHERE id = ?")).toBeUndefined();
});
