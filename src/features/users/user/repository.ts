import { type ReadTransaction, toInList, type WriteTransaction } from "../../../base/database.ts";
import { type DetailsRow, toDetails } from "../../../base/details.ts";
import { foldName } from "../../../base/folding.ts";
import { type OrganizationId, toId, type UserId } from "../../../base/ids.ts";
import { behind, type PageQuery } from "../../../base/paging.ts";
import type { HeldRoles } from "../../../base/permission.ts";
import type { RecordedPayload } from "../../../events/catalogue.ts";
import type { Appliers, RecordedEvent } from "../../../events/event.ts";
import { requireUserInReach, type User, type UserState, userNotFound } from "./user.ts";

/** Appliers of the table of users; part of the projection of users. */
export const userAppliers: Appliers = {
  "user.added": async (tx, { aggregateId, resourceOwner, date, payload }) => {
    await freeUsername(tx, payload.username);
    await tx.run(
      `INSERT INTO stored_users (id, sequence, creation_date, resource_owner, state, kind, username, folded_username, given_name,
           family_name, display_name, preferred_language, email, name, description, is_email_verified, phone, is_phone_verified)
         VALUES (?, ?, ?, ?, 'ACTIVE', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, ?, 0)`,
      [
        aggregateId,
        date,
        date,
        resourceOwner,
        payload.kind,
        ...toProfileColumns(payload),
        payload.phone ?? null,
      ],
    );
  },
  "user.changed": async (tx, { aggregateId, date, payload }) => {
    await freeUsername(tx, payload.username);
    await tx.run(
      `UPDATE stored_users SET is_email_verified = CASE WHEN email = ? THEN is_email_verified ELSE 0 END, username = ?,
           folded_username = ?, given_name = ?, family_name = ?, display_name = ?, preferred_language = ?, email = ?,
           name = ?, description = ?, sequence = ? WHERE id = ?`,
      [payload.email ?? null, ...toProfileColumns(payload), date, aggregateId],
    );
  },
  "user.deactivated": (tx, event) => setState(tx, event, "INACTIVE"),
  "user.reactivated": (tx, event) => setState(tx, event, "ACTIVE"),
  "user.locked": (tx, event) => setState(tx, event, "LOCKED"),
  "user.unlocked": (tx, event) => setState(tx, event, "ACTIVE"),
};

/** Returns the user of that organization, or undefined. */
export async function findUser(
  tx: ReadTransaction,
  organizationId: OrganizationId,
  id: string,
): Promise<User | undefined> {
  const row = await tx.get<UserRow>("SELECT * FROM users WHERE id = ? AND resource_owner = ?", [
    id,
    organizationId,
  ]);
  return row === undefined ? undefined : toUser(row);
}

/** Returns the user of any organization, or undefined. */
export async function findUserById(tx: ReadTransaction, id: string): Promise<User | undefined> {
  const row = await tx.get<UserRow>("SELECT * FROM users WHERE id = ?", [id]);
  return row === undefined ? undefined : toUser(row);
}

/** Returns the organization of the user, even a removed one whose rows have not been deleted yet, or undefined. */
export async function findStoredOrganizationOfUser(
  tx: ReadTransaction,
  id: string,
): Promise<OrganizationId | undefined> {
  const row = await tx.get<{ resource_owner: OrganizationId }>(
    "SELECT resource_owner FROM stored_users WHERE id = ?",
    [id],
  );
  return row?.resource_owner;
}

/** Lists the organizations of these users; users that do not exist are left out. */
export async function listOrganizationsOfUsers(
  tx: ReadTransaction,
  ids: readonly string[],
): Promise<readonly { readonly id: string; readonly organizationId: OrganizationId }[]> {
  const list = toInList(ids);
  return await tx.all(
    `SELECT id, resource_owner AS "organizationId" FROM users WHERE id IN ${list.sql}`,
    list.parameters,
  );
}

/** Returns the user of that organization. Raises NOT_FOUND. */
export async function getUser(
  tx: ReadTransaction,
  organizationId: OrganizationId,
  id: string,
): Promise<User> {
  const user = await findUser(tx, organizationId, id);
  if (user === undefined) throw userNotFound(id);
  return user;
}

/**
 * Returns the id of a user to whom the caller may give roles: a user of that organization, or of one where the caller
 * holds `user.read`. Raises NOT_FOUND for all others, whether they exist or not.
 */
export async function getUserInReach(
  tx: ReadTransaction,
  held: readonly HeldRoles[],
  asked: { readonly userId: string; readonly organizationId: OrganizationId | undefined },
): Promise<UserId> {
  const user = await findUserById(tx, asked.userId);
  const home = user === undefined ? undefined : toId<OrganizationId>(user.details.resourceOwner);
  return requireUserInReach(held, { ...asked, home });
}

/** Checks whether a user of the instance, other than `exceptId`, has a username that counts as the same. */
export async function isUsernameTaken(
  tx: ReadTransaction,
  username: string,
  exceptId?: UserId,
): Promise<boolean> {
  const row = await tx.get<{ id: string }>("SELECT id FROM users WHERE folded_username = ?", [
    foldName(username),
  ]);
  return row !== undefined && row.id !== exceptId;
}

/** Which users of an organization are listed. */
export interface UserFilter {
  readonly organizationId: OrganizationId;
  /** Compared like unique names; empty = every username. */
  readonly username: string;
  /** The case of ASCII letters is ignored; empty = users with any address or none. */
  readonly email: string;
  readonly state: UserState | undefined;
}

/** Returns users, oldest first. */
export async function listUsers(
  tx: ReadTransaction,
  filter: UserFilter,
  page: PageQuery,
): Promise<readonly User[]> {
  const { sql, parameters } = whereOf(filter);
  const position = behind(page);
  const rows = await tx.all<UserRow>(
    `SELECT * FROM users WHERE ${sql} AND ${position.sql} ORDER BY creation_date, id LIMIT ?`,
    [...parameters, ...position.parameters, page.limit],
  );
  return rows.map(toUser);
}

/** Counts users, up to `limit`. */
export async function countUsers(tx: ReadTransaction, filter: UserFilter, limit: number): Promise<number> {
  const { sql, parameters } = whereOf(filter);
  const row = await tx.get<{ total: number }>(
    `SELECT COUNT(*) AS total FROM (SELECT id FROM users WHERE ${sql} LIMIT ?) AS counted`,
    [...parameters, limit],
  );
  return row?.total ?? 0;
}

interface UserRow extends DetailsRow {
  readonly id: UserId;
  readonly state: UserState;
  readonly kind: User["kind"];
  readonly username: string | null;
  readonly given_name: string | null;
  readonly family_name: string | null;
  readonly display_name: string | null;
  readonly preferred_language: string | null;
  readonly email: string | null;
  readonly is_email_verified: number;
  readonly phone: string | null;
  readonly is_phone_verified: number;
  readonly name: string | null;
  readonly description: string | null;
}

function toUser(row: UserRow): User {
  const base = { id: row.id, details: toDetails(row), state: row.state, username: row.username ?? "" };
  if (row.kind === "service") {
    return { ...base, kind: "service", name: row.name ?? "", description: row.description ?? "" };
  }
  return {
    ...base,
    kind: "human",
    givenName: row.given_name ?? "",
    familyName: row.family_name ?? "",
    displayName: row.display_name ?? "",
    preferredLanguage: row.preferred_language ?? "",
    email: row.email ?? "",
    isEmailVerified: row.is_email_verified === 1,
    phone: row.phone ?? "",
    isPhoneVerified: row.is_phone_verified === 1,
  };
}

function toProfileColumns(payload: RecordedPayload<"user.changed">) {
  return [
    payload.username ?? null,
    payload.username === undefined ? null : foldName(payload.username),
    payload.given_name ?? null,
    payload.family_name ?? null,
    payload.display_name ?? null,
    payload.preferred_language ?? null,
    payload.email ?? null,
    payload.name ?? null,
    payload.description ?? null,
  ];
}

/** Takes the username from a user of a removed organization whose row is still there. */
async function freeUsername(tx: WriteTransaction, username: string | undefined): Promise<void> {
  if (username === undefined) return;
  await tx.run(
    `UPDATE stored_users SET folded_username = NULL
     WHERE folded_username = ? AND resource_owner IN (SELECT id FROM removed_organizations)`,
    [foldName(username)],
  );
}

async function setState(
  tx: WriteTransaction,
  { aggregateId, date }: RecordedEvent,
  state: UserState,
): Promise<void> {
  await tx.run("UPDATE stored_users SET state = ?, sequence = ? WHERE id = ?", [state, date, aggregateId]);
}

function whereOf(filter: UserFilter) {
  const conditions = ["resource_owner = ?"];
  const parameters: string[] = [filter.organizationId];
  if (filter.username !== "") {
    conditions.push("folded_username = ?");
    parameters.push(foldName(filter.username));
  }
  if (filter.email !== "") {
    conditions.push("lower(email) = lower(?)");
    parameters.push(filter.email);
  }
  if (filter.state !== undefined) {
    conditions.push("state = ?");
    parameters.push(filter.state);
  }
  return { sql: conditions.join(" AND "), parameters };
}
