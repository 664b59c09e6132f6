import { type ReadTransaction, toInList, type WriteTransaction } from "../../base/database.ts";
import { type DetailsRow, toDetails } from "../../base/details.ts";
import type { OrganizationId, ProjectGrantId, ProjectId, UserGrantId, UserId } from "../../base/ids.ts";
import type { Projection, RecordedEvent } from "../../events/event.ts";
import { removalAppliers, removeRolesOf } from "./removal-repository.ts";
import type { UserGrant } from "./user-grant.ts";

export const userGrantProjection: Projection = {
  tables: ["user_grants", "user_grant_roles"],
  on: {
    "user_grant.added": async (tx, { aggregateId, resourceOwner, date, payload }) => {
      await tx.run(
        `INSERT INTO user_grants
           (id, sequence, creation_date, resource_owner, state, user_id, project_id, project_grant_id, role_keys)
         VALUES (?, ?, ?, ?, 'ACTIVE', ?, ?, ?, ?)`,
        [
          aggregateId,
          date,
          date,
          resourceOwner,
          payload.user_id,
          payload.project_id,
          payload.project_grant_id,
          JSON.stringify(payload.role_keys),
        ],
      );
      const row = { id: aggregateId, creation_date: date, resource_owner: resourceOwner };
      await insertRoles(tx, { ...row, project_id: payload.project_id }, payload.role_keys);
    },
    "user_grant.changed": async (tx, { aggregateId, date, payload }) => {
      await removeRolesOf(tx, "id = ?", [aggregateId]);
      await tx.run("UPDATE user_grants SET role_keys = ?, sequence = ? WHERE id = ?", [
        JSON.stringify(payload.role_keys),
        date,
        aggregateId,
      ]);
      const row = await tx.get<GrantOfRole>(
        "SELECT id, project_id, resource_owner, creation_date FROM user_grants WHERE id = ?",
        [aggregateId],
      );
      if (row !== undefined) await insertRoles(tx, row, payload.role_keys);
    },
    "user_grant.deactivated": (tx, event) => setState(tx, event, "INACTIVE"),
    "user_grant.reactivated": (tx, event) => setState(tx, event, "ACTIVE"),
    ...removalAppliers,
  },
};

/** Returns the grant of that user in that organization, or undefined. */
export async function findUserGrant(
  tx: ReadTransaction,
  organizationId: OrganizationId,
  grant: { readonly userId: string; readonly grantId: string },
): Promise<UserGrant | undefined> {
  const row = await tx.get<UserGrantRow>(
    "SELECT * FROM user_grants WHERE id = ? AND user_id = ? AND resource_owner = ?",
    [grant.grantId, grant.userId, organizationId],
  );
  return row === undefined ? undefined : toUserGrant(row);
}

/** Returns those of the grants that are in that organization, in no order. */
export async function findUserGrants(
  tx: ReadTransaction,
  organizationId: OrganizationId,
  ids: readonly string[],
): Promise<readonly UserGrant[]> {
  const list = toInList(ids);
  const rows = await tx.all<UserGrantRow>(
    // Not the bare column: its index would lead through all grants of the organization.
    `SELECT * FROM user_grants WHERE id IN ${list.sql} AND resource_owner || '' = ?`,
    [...list.parameters, organizationId],
  );
  return rows.map(toUserGrant);
}

/** What stands in the way of a grant or not. */
export interface GrantGround {
  /** The organization of the user; undefined without such a user. */
  readonly home: OrganizationId | undefined;
  /** The organization that owns the project; undefined without such a project. */
  readonly projectOwner: OrganizationId | undefined;
  /** Whether the user has a grant for the project in the organization, resting on that project grant or on none. */
  readonly isTaken: boolean;
}

/** Reads all that a new grant is judged by, but its roles, in one statement: each one costs as much as what it looks up. */
export async function readGrantGround(
  tx: ReadTransaction,
  grant: {
    readonly organizationId: OrganizationId;
    readonly userId: string;
    readonly projectId: string;
    readonly projectGrantId: string;
  },
): Promise<GrantGround> {
  const row = await tx.get<{
    home: OrganizationId | null;
    owner: OrganizationId | null;
    taken: number;
  }>(
    `SELECT (SELECT resource_owner FROM users WHERE id = ?) AS home,
       (SELECT resource_owner FROM projects WHERE id = ?) AS owner,
       EXISTS (SELECT 1 FROM user_grants
         WHERE resource_owner = ? AND user_id = ? AND project_id = ? AND project_grant_id = ?) AS taken`,
    [
      grant.userId,
      grant.projectId,
      grant.organizationId,
      grant.userId,
      grant.projectId,
      grant.projectGrantId,
    ],
  );
  return {
    home: row?.home ?? undefined,
    projectOwner: row?.owner ?? undefined,
    isTaken: row?.taken === 1,
  };
}

/** A row of the table of grants. */
export interface UserGrantRow extends DetailsRow {
  readonly id: UserGrantId;
  readonly state: UserGrant["state"];
  readonly user_id: UserId;
  readonly project_id: ProjectId;
  readonly project_grant_id: ProjectGrantId | "";
  readonly role_keys: string;
}

/** Returns the grant of the row. */
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

/** Returns the keys of the roles in the row of a grant, in their order. */
export function toRoleKeys({ role_keys: json }: { readonly role_keys: string }): readonly string[] {
  return JSON.parse(json) as string[]; // written by the appliers
}

/** The columns of a grant that the rows of its roles repeat. */
type GrantOfRole = Record<"id" | "project_id" | "resource_owner", string> & {
  readonly creation_date: number;
};

async function insertRoles(
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

async function setState(
  tx: WriteTransaction,
  { aggregateId, date }: Pick<RecordedEvent, "aggregateId" | "date">,
  state: UserGrant["state"],
): Promise<void> {
  await tx.run("UPDATE user_grants SET state = ?, sequence = ? WHERE id = ?", [state, date, aggregateId]);
}
