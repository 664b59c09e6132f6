import { setTimeout as delay } from "node:timers/promises";
import { Client } from "pg";

const timeoutMs = 30_000;

/** Runs one statement on a connection of its own and returns its rows. */
export async function query<Row extends object>(url: string, sql: string): Promise<readonly Row[]> {
  const client = new Client({ connectionString: url });
  client.on("error", () => {}); // of a server that ends meanwhile: the statement fails
  await client.connect();
  try {
    return (await client.query<Row>(sql)).rows;
  } finally {
    await client.end().catch(() => {});
  }
}

/** Waits until a statement returns a single `true`. Rejects when that takes half a minute. */
export async function untilTrue(url: string, sql: string): Promise<void> {
  const deadlineMs = Date.now() + timeoutMs;
  for (;;) {
    const [row] = await query<Record<string, unknown>>(url, sql);
    if (row !== undefined && Object.values(row)[0] === true) return;
    if (Date.now() > deadlineMs) throw new Error(`never true: ${sql}`);
    await delay(20);
  }
}
