import type { Database } from "../../src/kernel/base/database.ts";

/** Lets `count` more interactions wait that are like one: of the same network, application and time. Nobody has a cookie for them. */
export async function fillInteractions(
  database: Database,
  { like, count }: { readonly like: string; readonly count: number },
): Promise<void> {
  const columns = [
    "user_id",
    "user_organization_id",
    "application_id",
    "application_organization_id",
    "holder_hash",
    "key_id",
    "content",
    "expiration_ms",
  ].join(", ");
  await database.write((tx) =>
    tx.run(
      `INSERT INTO interactions (id, cookie_hash, ${columns})
       WITH RECURSIVE numbers (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM numbers WHERE number < ?)
       SELECT id || '-' || number, '', ${columns} FROM interactions, numbers WHERE id = ?`,
      [count, like],
    ),
  );
}
