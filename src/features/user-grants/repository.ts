import { type ReadTransaction, toInList, type WriteTransaction } from "../../base/database.ts";
import { type DetailsRow, toDetails } from "../../base/details.ts";
import type { OrganizationId, ProjectGrantId, ProjectId, UserGrantId, UserId } from "../../base/ids.ts";
import type { Projection, RecordedEvent } from "../../events/event.ts";
import { removalAppliers } from "./removal-repository.ts";
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
      await insertRoles(tx, aggregateId, payload.role_keys);
    },
    "user_grant.changed": async (tx, { aggregateId, date, payload }) => {
      await tx.run("UPDATE user_grants SET sequence = ? WHERE id = ?", [date, aggregateId]);
      await tx.run("DELETE FROM user_grant_roles WHERE user_grant_id = ?", [aggregateId]);
      await insertRoles(tx, aggregateId, payload.role_keys);
    },
    "user_grant.deactivated": (tx, event) => setState(tx, event, "INACTIVE"),
    "user_grant.reactivated": (tx, event) => setState(tx, event, "ACTIVE"),
    ...removalAppliers,
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
  const [found] = await toUserGrants(tx, [row]);
  return found;
}

/** Returns those of the grants that are in that organization, each with its roles, in no order. */
export async function findUserGrants(
  tx: ReadTransaction,
  organizationId: OrganizationId,
  ids: readonly string[],
): Promise<readonly UserGrant[]> {
  const list = toInList(ids);
  const rows = await tx.all<UserGrantRow>(
    `SELECT * FROM user_grants WHERE id IN ${list.sql} AND resource_owner = ?`,
    [...list.parameters, organizationId],
  );
  return await toUserGrants(tx, rows);
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

/** Returns the keys of the roles of each grant, in their order; grants without roles are absent. */
export async function listRoleKeysOf(
  tx: ReadTransaction,
  grantIds: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const list = toInList(grantIds);
  const rows = await tx.all<RoleRow>(
    `SELECT user_grant_id, role_key, position FROM user_grant_roles WHERE user_grant_id IN ${list.sql}`,
    list.parameters,
  );
  const keys = new Map<string, string[]>();
  for (const row of rows.toSorted((left, right) => left.position - right.position)) {
    const known = keys.get(row.user_grant_id);
    if (known === undefined) keys.set(row.user_grant_id, [row.role_key]);
    else known.push(row.role_key);
  }
  return keys;
}

interface RoleRow {
  readonly user_grant_id: string;
  readonly role_key: string;
  readonly position: number;
}

/** A row of the table of grants. */
export interface UserGrantRow extends DetailsRow {
  readonly id: UserGrantId;
  readonly state: UserGrant["state"];
  readonly user_id: UserId;
  readonly project_id: ProjectId;
  readonly project_grant_id: ProjectGrantId | "";
}

/** Returns the grants of the rows, in their order; reads the roles of all of them at once. */
export async function toUserGrants(
  tx: ReadTransaction,
  rows: readonly UserGrantRow[],
): Promise<readonly UserGrant[]> {
  const roleKeys = await listRoleKeysOf(
    tx,
    rows.map((row) => row.id),
  );
  return rows.map((row) => ({
    id: row.id,
    details: toDetails(row),
    state: row.state,
    userId: row.user_id,
    projectId: row.project_id,
    projectGrantId: row.project_grant_id,
    roleKeys: roleKeys.get(row.id) ?? [],
  }));
}

/** Each with the columns of its grant that lists find it by. */
async function insertRoles(
  tx: WriteTransaction,
  grantId: string,
  roleKeys: readonly string[],
): Promise<void> {
  for (const [position, key] of roleKeys.entries()) {
    await tx.run(
      `INSERT INTO user_grant_roles (user_grant_id, role_key, position, resource_owner, creation_date, project_id)
       SELECT id, ?, ?, resource_owner, creation_date, project_id FROM user_grants WHERE id = ?`,
      [key, position, grantId],
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
