import type { WriteTransaction } from "../../base/database.ts";
import { type DetailsRow, detailsColumns, toDetails } from "../../base/details.ts";
import type { ProjectGrantId, ProjectId, UserGrantId, UserId } from "../../base/ids.ts";
import type { UserGrant } from "./user-grant.ts";

/** The columns of the table of grants. */
export const userGrantColumns: readonly string[] = [
  "id",
  "state",
  ...detailsColumns,
  "user_id",
  "project_id",
  "project_grant_id",
  "role_keys",
];

/** A row with these columns. */
export interface UserGrantRow extends DetailsRow {
  readonly id: UserGrantId;
  readonly state: UserGrant["state"];
  readonly user_id: UserId;
  readonly project_id: ProjectId;
  readonly project_grant_id: ProjectGrantId | "";
  readonly role_keys: string;
}

/** Reads the grant that a row holds. */
export function toUserGrant(row: UserGrantRow): UserGrant {
  return {
    id: row.id,
    details: toDetails(row),
    state: row.state,
    userId: row.user_id,
    projectId: row.project_id,
    projectGrantId: row.project_grant_id,
    roleKeys: toRoleKeys(row),
  };
}

/** Reads the keys of the roles in the row of a grant, in their order. */
export function toRoleKeys({ role_keys: json }: { readonly role_keys: string }): readonly string[] {
  return JSON.parse(json) as string[]; // written by the appliers
}

/** The columns of a grant that the rows of its roles repeat. */
type GrantOfRole = Record<"id" | "project_id" | "resource_owner", string> & {
  readonly creation_date: number;
};

/** Writes a row for each role of the grant: lists that go by a role are read from them. */
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
