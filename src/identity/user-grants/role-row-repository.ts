import type { WriteTransaction } from "../../kernel/base/database.ts";

/** The columns of a grant that the rows of its roles repeat. */
type GrantOfRole = Record<"id" | "project_id" | "resource_owner", string> & {
  readonly creation_date: number;
};

/** Writes a row for each role of the grant; lists that filter by role read these rows. */
export async function insertRoleRows(
  tx: WriteTransaction,
  grant: GrantOfRole,
  roleKeys: readonly string[],
): Promise<void> {
  for (const key of roleKeys) {
    await tx.run(
      `INSERT INTO user_grant_roles (project_id, resource_owner, role_key, creation_date, user_grant_id)
       VALUES (?, ?, ?, ?, ?)`,
      [grant.project_id, grant.resource_owner, key, grant.creation_date, grant.id],
    );
  }
}

/** Removes the rows of these roles of the grant. */
export async function removeRoleRows(
  tx: WriteTransaction,
  grant: GrantOfRole,
  roleKeys: readonly string[],
): Promise<void> {
  for (const key of roleKeys) {
    await tx.run(
      `DELETE FROM user_grant_roles
       WHERE project_id = ? AND resource_owner = ? AND role_key = ? AND creation_date = ? AND user_grant_id = ?`,
      [grant.project_id, grant.resource_owner, key, grant.creation_date, grant.id],
    );
  }
}
