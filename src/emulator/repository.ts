import type { ReadTransaction } from "../kernel/base/database.ts";

/** An application that a client can be. */
export interface NamedApplication {
  readonly id: string;
  readonly kind: "oidc" | "api";
  readonly projectId: string;
}

/** Returns the application with this id, or at most two with this name. */
export async function listApplicationsNamed(
  tx: ReadTransaction,
  name: string,
): Promise<readonly NamedApplication[]> {
  const sql =
    "SELECT id, kind, project_id FROM applications WHERE kind IN ('oidc', 'api') AND (id = ? OR name = ?) ORDER BY CASE WHEN id = ? THEN 0 ELSE 1 END, id LIMIT 2";
  const rows = await tx.all<Pick<NamedApplication, "id" | "kind"> & { readonly project_id: string }>(sql, [
    name,
    name,
    name,
  ]);
  const found = rows.map(({ id, kind, project_id: projectId }) => ({ id, kind, projectId }));
  return found[0]?.id === name ? found.slice(0, 1) : found;
}
