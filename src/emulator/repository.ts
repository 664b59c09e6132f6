import type { ReadTransaction } from "../kernel/base/database.ts";

/** Returns the ids of at most two applications of OpenID Connect that have the name, or the id. */
export async function listApplicationsNamed(tx: ReadTransaction, name: string): Promise<readonly string[]> {
  const sql =
    "SELECT id FROM applications WHERE kind = 'oidc' AND (id = ? OR name = ?) ORDER BY CASE WHEN id = ? THEN 0 ELSE 1 END, id LIMIT 2";
  const rows = await tx.all<{ readonly id: string }>(sql, [name, name, name]);
  return rows[0]?.id === name ? [name] : rows.map(({ id }) => id);
}
