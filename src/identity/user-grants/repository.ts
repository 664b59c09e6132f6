import { type ReadTransaction, toInList } from "../../kernel/base/database.ts";
import type { OrganizationId } from "../../kernel/base/ids.ts";
import type { Access } from "../../kernel/base/permission.ts";
import { insertSql, isAmong, unindexed, updateSql } from "../../kernel/base/sql.ts";
import type { Projection } from "../../kernel/events/event.ts";
import { periodColumns, toPeriodValues } from "../rights-in-time/period-columns.ts";
import { removalAppliers, takenUserGrants } from "./removal-repository.ts";
import { toRoleKeys, toUserGrant, userGrantColumns, type UserGrantRow } from "./grant-rows.ts";
import { insertRoleRows, removeRoleRows } from "./role-row-repository.ts";
import { mayAccessUserGrant, type UserGrant, userGrantNotFound } from "./user-grant.ts";

const select = `SELECT ${userGrantColumns.join(", ")} FROM user_grants`;
const insertGrant = insertSql("stored_user_grants", [...userGrantColumns, "held_at_home"]);
const updateRoles = updateSql("stored_user_grants", ["role_keys", ...periodColumns, "sequence"]);
const updateState = updateSql("stored_user_grants", ["state", "sequence"]);

/** The projection of user grants. */
export const userGrantProjection: Projection = {
  tables: ["stored_user_grants", "user_grant_roles"],
  on: {
    "user_grant.added": async (tx, { aggregateId, resourceOwner, date, payload }) => {
      await tx.run(insertGrant, [
        aggregateId,
        "ACTIVE",
        date,
        date,
        resourceOwner,
        payload.user_id,
        payload.project_id,
        payload.project_grant_id,
        JSON.stringify(payload.role_keys),
        ...toPeriodValues(payload),
        Number(payload.held_at_home ?? false),
      ]);
      const row = { id: aggregateId, creation_date: date, resource_owner: resourceOwner };
      await insertRoleRows(tx, { ...row, project_id: payload.project_id }, payload.role_keys);
    },
    "user_grant.changed": async (tx, { aggregateId, date, payload }) => {
      const row = await tx.get<UserGrantRow>(`${select} WHERE id = ?`, [aggregateId]);
      if (row === undefined) return;
      await removeRoleRows(tx, row, toRoleKeys(row));
      const values = [JSON.stringify(payload.role_keys), ...toPeriodValues(payload), date, aggregateId];
      await tx.run(updateRoles, values);
      await insertRoleRows(tx, row, payload.role_keys);
    },
    "user_grant.deactivated": async (tx, { aggregateId, date }) => {
      await tx.run(updateState, ["INACTIVE", date, aggregateId]);
    },
    "user_grant.reactivated": async (tx, { aggregateId, date }) => {
      await tx.run(updateState, ["ACTIVE", date, aggregateId]);
    },
    ...removalAppliers,
  },
  owned: [
    { ids: "SELECT id FROM stored_user_grants WHERE resource_owner = ?", removal: "user_grant.removed" },
    {
      ids: `SELECT g.id FROM stored_projects p JOIN stored_user_grants g ON g.project_id = p.id
        WHERE p.resource_owner = ?`,
      removal: "user_grant.removed",
    },
  ],
  takenAlong: takenUserGrants,
};

/** Returns the grant of that user in that organization, or undefined. */
async function findUserGrant(
  tx: ReadTransaction,
  organizationId: OrganizationId,
  grant: { readonly userId: string; readonly grantId: string },
): Promise<UserGrant | undefined> {
  const row = await tx.get<UserGrantRow>(`${select} WHERE id = ? AND user_id = ? AND resource_owner = ?`, [
    grant.grantId,
    grant.userId,
    organizationId,
  ]);
  return row === undefined ? undefined : toUserGrant(row);
}

/** Returns the grant of the organization acted on if the caller may access it. Raises NOT_FOUND. */
export async function getUserGrant(
  tx: ReadTransaction,
  access: Access,
  grant: { readonly userId: string; readonly grantId: string },
): Promise<UserGrant> {
  const found = await findUserGrant(tx, access.organizationId, grant);
  if (found === undefined || !mayAccessUserGrant(access, found)) throw userGrantNotFound(grant.grantId);
  return found;
}

/** Returns those of the grants that are in that organization, in no order. */
export async function findUserGrants(
  tx: ReadTransaction,
  organizationId: OrganizationId,
  ids: readonly string[],
): Promise<readonly UserGrant[]> {
  const named = isAmong("id", ids);
  const owner = unindexed("resource_owner"); // its index would lead through all grants of the organization
  const rows = await tx.all<UserGrantRow>(`${select} WHERE ${named.sql} AND ${owner} = ?`, [
    ...named.parameters,
    organizationId,
  ]);
  return rows.map(toUserGrant);
}

/** The facts that a new grant is checked against. */
export interface GrantFacts {
  /** The organization of the user; undefined without such a user: then nothing else is known. */
  readonly home: OrganizationId | undefined;
  /** The organization that owns the project; undefined if there is no such project. */
  readonly projectOwner: OrganizationId | undefined;
  /** The requested roles that the project has. */
  readonly roleKeys: ReadonlySet<string>;
  /** Whether the user has a grant for the project in the organization, resting on that project grant or on none. */
  readonly isTaken: boolean;
}

/**
 * Reads everything that a new grant is checked against by one statement: each statement costs as much as the rows it reads. It
 * looks for a grant in the table itself: the view would look again for the organizations of the user and of the project,
 * without which nothing is taken.
 */
export async function readGrantFacts(
  tx: ReadTransaction,
  grant: {
    readonly organizationId: OrganizationId;
    readonly userId: string;
    readonly projectId: string;
    readonly projectGrantId: string;
    readonly roleKeys: readonly string[];
  },
): Promise<GrantFacts> {
  const { organizationId, userId, projectId, projectGrantId } = grant;
  const keys = toInList(grant.roleKeys);
  const rows = await tx.all<{
    home: OrganizationId;
    owner: OrganizationId | null;
    role_key: string | null;
    taken: number;
  }>(
    `SELECT u.resource_owner AS home, p.resource_owner AS owner, r.role_key,
       EXISTS (SELECT 1 FROM stored_user_grants
         WHERE resource_owner = ? AND user_id = ? AND project_id = ? AND project_grant_id = ?) AS taken
     FROM users u LEFT JOIN projects p ON p.id = ?
       LEFT JOIN project_roles r ON r.project_id = p.id AND r.role_key IN ${keys.sql}
     WHERE u.id = ?`,
    [organizationId, userId, projectId, projectGrantId, projectId, ...keys.parameters, userId],
  );
  const [first] = rows;
  return {
    home: first?.home,
    projectOwner: first?.owner ?? undefined,
    roleKeys: new Set(rows.flatMap(({ role_key: key }) => key ?? [])),
    isTaken: first?.taken === 1,
  };
}
