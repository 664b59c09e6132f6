import type { ReadTransaction } from "../../base/database.ts";
import { type DetailsRow, toDetails } from "../../base/details.ts";
import type { OrganizationId, ProjectGrantId, ProjectId, UserGrantId, UserId } from "../../base/ids.ts";
import type { Projection } from "../../events/event.ts";
import type { UserGrant } from "./user-grant.ts";

export const userGrantProjection: Projection = {
  tables: ["user_grants", "user_grant_roles"],
  on: {
    "user_grant.added": async (tx, { aggregateId, resourceOwner, date, payload }) => {
      await tx.run(
        `INSERT INTO user_grants (id, sequence, creation_date, resource_owner, state, user_id, project_id, project_grant_id)
         VALUES (?, ?, ?, ?, 'ACTIVE', ?, ?, ?)`,
        [
          aggregateId,
          date,
          date,
          resourceOwner,
          payload.user_id,
          payload.project_id,
          payload.project_grant_id,
        ],
      );
      for (const [position, key] of payload.role_keys.entries()) {
        await tx.run("INSERT INTO user_grant_roles (user_grant_id, role_key, position) VALUES (?, ?, ?)", [
          aggregateId,
          key,
          position,
        ]);
      }
    },
  },
};

/** Returns the grant of that user in that organization, with its roles, or undefined. */
export async function findUserGrant(
  tx: ReadTransaction,
  organizationId: OrganizationId,
  grant: { readonly userId: string; readonly grantId: string },
): Promise<UserGrant | undefined> {
  const row = await tx.get<UserGrantRow>(
    "SELECT * FROM user_grants WHERE id = ? AND user_id = ? AND resource_owner = ?",
    [grant.grantId, grant.userId, organizationId],
  );
  if (row === undefined) return undefined;
  const roles = await tx.all<{ role_key: string }>(
    "SELECT role_key FROM user_grant_roles WHERE user_grant_id = ? ORDER BY position",
    [row.id],
  );
  return {
    id: row.id,
    details: toDetails(row),
    state: row.state,
    userId: row.user_id,
    projectId: row.project_id,
    projectGrantId: row.project_grant_id,
    roleKeys: roles.map((role) => role.role_key),
  };
}

/** Says whether the user has a grant for the project in the organization, resting on that project grant or on none. */
export async function hasUserGrant(
  tx: ReadTransaction,
  grant: {
    readonly organizationId: OrganizationId;
    readonly userId: string;
    readonly projectId: string;
    readonly projectGrantId: string;
  },
): Promise<boolean> {
  const row = await tx.get<{ id: string }>(
    "SELECT id FROM user_grants WHERE resource_owner = ? AND user_id = ? AND project_id = ? AND project_grant_id = ?",
    [grant.organizationId, grant.userId, grant.projectId, grant.projectGrantId],
  );
  return row !== undefined;
}

interface UserGrantRow extends DetailsRow {
  readonly id: UserGrantId;
  readonly state: UserGrant["state"];
  readonly user_id: UserId;
  readonly project_id: ProjectId;
  readonly project_grant_id: ProjectGrantId | "";
}
