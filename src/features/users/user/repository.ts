import { choice, defineColumns, optionalText } from "../../../base/columns.ts";
import type { ReadTransaction, SqlValue, WriteTransaction } from "../../../base/database.ts";
import { type DetailsRow, detailsColumns, toDetails } from "../../../base/details.ts";
import { foldName, lowerAscii } from "../../../base/folding.ts";
import { type OrganizationId, toId, type UserId } from "../../../base/ids.ts";
import { defineList } from "../../../base/list.ts";
import type { HeldRoles } from "../../../base/permission.ts";
import { insertSql, isAmong, toAssignments, updateSql } from "../../../base/sql.ts";
import type { RecordedPayload } from "../../../events/catalogue.ts";
import type { Appliers, RecordedEvent } from "../../../events/event.ts";
import { signingAlgorithms } from "../../signing-keys/signing-key.ts";
import {
  type HumanUpdate,
  requireUserInReach,
  type ServiceProfile,
  type User,
  type UserState,
  userNotFound,
} from "./user.ts";

type ProfilePayload = RecordedPayload<"user.changed">;

const human = defineColumns<Omit<HumanUpdate, "username">, ProfilePayload>({
  givenName: optionalText("given_name"),
  familyName: optionalText("family_name"),
  displayName: optionalText("display_name"),
  preferredLanguage: optionalText("preferred_language"),
  email: optionalText("email"),
});

const service = defineColumns<Omit<ServiceProfile, "username">, ProfilePayload>({
  name: optionalText("name"),
  description: optionalText("description"),
  accessTokenType: choice("access_token_type", ["BEARER", "JWT"]),
  signingAlgorithm: choice("signing_algorithm", signingAlgorithms),
});

const written = ["username", "folded_username", ...human.names, ...service.names, "sequence"];
const onceWritten = ["id", "creation_date", "resource_owner", "state", "kind"];
const verified = ["is_email_verified", "phone", "is_phone_verified"];
const columns = [
  "id",
  "state",
  ...detailsColumns,
  "kind",
  "username",
  ...human.names,
  ...service.names,
  ...verified,
];

const select = `SELECT ${columns.join(", ")} FROM users`;

const insertUser = insertSql("stored_users", [...written, ...onceWritten, ...verified]);
// A new e-mail is not verified.
const updateProfile = `UPDATE stored_users
  SET is_email_verified = CASE WHEN email = ? THEN is_email_verified ELSE 0 END, ${toAssignments(written)}
  WHERE id = ?`;
const updateState = updateSql("stored_users", ["state", "sequence"]);

const lock = stateApplier("LOCKED");

/** Appliers of the table of users; part of the projection of users. */
export const userAppliers: Appliers = {
  "user.added": async (tx, { aggregateId, resourceOwner, date, payload }) => {
    await freeUsername(tx, payload.username);
    const once = [aggregateId, date, resourceOwner, "ACTIVE", payload.kind];
    await tx.run(insertUser, [...toWritten(payload, date), ...once, 0, payload.phone ?? null, 0]);
  },
  "user.changed": async (tx, { aggregateId, date, payload }) => {
    await freeUsername(tx, payload.username);
    await tx.run(updateProfile, [payload.email ?? null, ...toWritten(payload, date), aggregateId]);
  },
  "user.deactivated": stateApplier("INACTIVE"),
  "user.reactivated": stateApplier("ACTIVE"),
  "user.locked": async (tx, event) => {
    await lock(tx, event);
    await tx.run("UPDATE stored_users SET lock_count = lock_count + 1 WHERE id = ?", [event.aggregateId]);
  },
  "user.unlocked": stateApplier("ACTIVE"),
};

/** Returns the user of that organization, or undefined. */
export async function findUser(
  tx: ReadTransaction,
  organizationId: OrganizationId,
  id: string,
): Promise<User | undefined> {
  const row = await tx.get<UserRow>(`${select} WHERE id = ? AND resource_owner = ?`, [id, organizationId]);
  return row === undefined ? undefined : toUser(row);
}

/** Returns the user of any organization, or undefined. */
export async function findUserById(tx: ReadTransaction, id: string): Promise<User | undefined> {
  const row = await tx.get<UserRow>(`${select} WHERE id = ?`, [id]);
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
  const { sql, parameters } = isAmong("id", ids);
  return await tx.all(`SELECT id, resource_owner AS "organizationId" FROM users WHERE ${sql}`, parameters);
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
  /** Compared like unique names. */
  readonly username?: string;
  /** The case of ASCII letters is ignored; empty = users with any address or none. */
  readonly email?: string;
  readonly state?: UserState | undefined;
}

/** The users of an organization. */
export const userList = defineList<UserFilter, UserRow, User>({
  name: "ListUsers",
  from: "users",
  of: "resource_owner",
  columns,
  filters: {
    username: { column: "folded_username", toStored: foldName, leaves: "one" },
    email: { column: "lower(email)", toStored: lowerAscii, leaves: "few" },
    state: { column: "state" },
  },
  toItems: (rows) => rows.map(toUser),
});

interface UserRow extends DetailsRow {
  readonly id: UserId;
  readonly state: UserState;
  readonly kind: User["kind"];
  readonly username: string | null;
  readonly is_email_verified: number;
  readonly phone: string | null;
  readonly is_phone_verified: number;
}

function toUser(row: UserRow): User {
  const base = { id: row.id, details: toDetails(row), state: row.state, username: row.username ?? "" };
  if (row.kind === "service") return { ...base, kind: "service", ...service.fromRow(row) };
  return {
    ...base,
    kind: "human",
    ...human.fromRow(row),
    isEmailVerified: row.is_email_verified === 1,
    phone: row.phone ?? "",
    isPhoneVerified: row.is_phone_verified === 1,
  };
}

function toWritten(payload: ProfilePayload, date: number): readonly SqlValue[] {
  const { username } = payload;
  const names = username === undefined ? [null, null] : [username, foldName(username)];
  return [...names, ...human.toValues(payload), ...service.toValues(payload), date];
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

function stateApplier(state: UserState) {
  return async (tx: WriteTransaction, { aggregateId, date }: RecordedEvent): Promise<void> => {
    await tx.run(updateState, [state, date, aggregateId]);
  };
}
