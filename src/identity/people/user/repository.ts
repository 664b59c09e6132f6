import { choice, defineColumns, flag, optionalText } from "../../../kernel/base/columns.ts";
import type { ReadTransaction, SqlValue, WriteTransaction } from "../../../kernel/base/database.ts";
import { type DetailsRow, detailsColumns, toDetails } from "../../../kernel/base/details.ts";
import { lowerAscii } from "../../../kernel/base/names/folding.ts";
import { type OrganizationId, toId, type UserId } from "../../../kernel/base/ids.ts";
import { defineList } from "../../../kernel/base/list.ts";
import { insertSql, isAmong, toAssignments, unindexed, updateSql } from "../../../kernel/base/sql.ts";
import { chooseNamed, hasName, isNameTaken, toUniqueName } from "../../../kernel/base/names/unique-name.ts";
import type { RecordedPayload } from "../../../kernel/events/catalogue.ts";
import { endFactorOfAddress } from "../codes/factor-repository.ts";
import type { Appliers, RecordedEvent } from "../../../kernel/events/event.ts";
import { directoryOperator } from "../../logins/login-origins/login-origin.ts";
import { signingAlgorithms } from "../../signing-keys/signing-key.ts";
import { noteImportedId } from "./imported-id-repository.ts";
import type { UserFilter } from "./user-filter.ts";
import { metadataFilter } from "./user-filter-repository.ts";
import { invitationColumns, type InvitationRow, toInvitation } from "./open-invitation.ts";
import {
  type HumanUpdate,
  type HumanUser,
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
  trustMail: flag("trust_mail"),
});

const written = ["username", "folded_username", ...human.names, ...service.names, "sequence"];
const madeWith = ["id", "creation_date", "resource_owner", "state", "kind"];
const onceWritten = [...madeWith, "email_creator", "imported_id"];
const verified = ["is_email_verified", "phone", "is_phone_verified"];
const passwordColumns = ["password_date", "is_password_change_required"];
const columns = [
  "id",
  "state",
  ...detailsColumns,
  "kind",
  "username",
  "imported_id",
  ...human.names,
  ...service.names,
  ...verified,
  ...passwordColumns,
  ...invitationColumns,
];

const select = `SELECT ${columns.join(", ")} FROM users`;
const selectOne = `${select} WHERE id = ?`;

const insertUser = insertSql("stored_users", [...written, ...onceWritten, ...verified]);
// A new email address is not verified, and its setter is responsible for it. Service users have none.
const updateProfile = `UPDATE stored_users
  SET is_email_verified = CASE WHEN email = ? THEN is_email_verified ELSE 0 END,
    proved_email = CASE WHEN email = ? THEN proved_email END,
    email_creator = CASE WHEN email = ? OR kind = 'service' THEN email_creator ELSE ? END, ${toAssignments(written)}
  WHERE id = ?`;
const updateState = updateSql("stored_users", ["state", "sequence"]);

const lock = stateApplier("LOCKED");

/** Appliers of the table of users; part of the projection of users. */
export const userAppliers: Appliers = {
  "user.added": async (tx, { aggregateId, resourceOwner, date, editor, payload }) => {
    await freeUsername(tx, payload.username);
    const emailCreator = payload.kind === "human" ? editor : null;
    const importedId = payload.imported_id ?? null; // absent once the key of the user is destroyed
    const once = [aggregateId, date, resourceOwner, "ACTIVE", payload.kind, emailCreator, importedId];
    await tx.run(insertUser, [...toWritten(payload, date), ...once, 0, payload.phone ?? null, 0]);
    if (payload.imported_id_digest !== undefined) await noteImportedId(tx, payload.imported_id_digest, date);
  },
  "user.changed": async (tx, { aggregateId, date, editor, payload }) => {
    await freeUsername(tx, payload.username);
    const email = payload.email ?? null;
    await endFactorOfAddress(tx, "EMAIL_CODE", { userId: aggregateId, address: email });
    await tx.run(updateProfile, [email, email, email, editor, ...toWritten(payload, date), aggregateId]);
  },
  "user.deactivated": stateApplier("INACTIVE"),
  "user.reactivated": stateApplier("ACTIVE"),
  "user.locked": async (tx, event) => {
    await lock(tx, event);
    const isByTries = Number(event.payload.cause !== undefined);
    await tx.run("UPDATE stored_users SET is_locked_by_tries = ? WHERE id = ?", [
      isByTries,
      event.aggregateId,
    ]);
    if (event.payload.cause !== undefined) return; // what the user had rests, and holds again when they are unlocked
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

/** Returns those of the users that are in the organization, in no order. */
export async function findUsers(
  tx: ReadTransaction,
  organizationId: OrganizationId,
  ids: readonly string[],
): Promise<readonly User[]> {
  const { sql, parameters } = isAmong("id", ids);
  const where = `${sql} AND ${unindexed("resource_owner")} = ?`;
  return (await tx.all<UserRow>(`${select} WHERE ${where}`, [...parameters, organizationId])).map(toUser);
}

/** Returns the user of any organization, or undefined. */
export async function findUserById(tx: ReadTransaction, id: string): Promise<User | undefined> {
  const row = await tx.get<UserRow>(selectOne, [id]);
  return row === undefined ? undefined : toUser(row);
}

/** Returns the human user of any organization with a username that counts as the same, or undefined. */
export async function findHumanByUsername(
  tx: ReadTransaction,
  username: string,
): Promise<HumanUser | undefined> {
  const where = hasName("folded_username", username);
  const rows = await tx.all<UserRow>(`${select} WHERE ${where.sql}`, where.parameters);
  const row = chooseNamed(rows, username, (each) => each.username ?? "");
  const user = row && toUser(row);
  return user?.kind === "human" ? user : undefined;
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

/** Returns the organization of a user; undefined: there is no such user. */
export async function findHomeOf(tx: ReadTransaction, userId: string): Promise<OrganizationId | undefined> {
  const user = await findUserById(tx, userId);
  return user && toId<OrganizationId>(user.details.resourceOwner);
}

/** Checks whether a user of the instance, other than `user`, has a username that counts as the same. */
export async function isUsernameOfOther(
  tx: ReadTransaction,
  username: string,
  user?: User,
): Promise<boolean> {
  const kept = user && { id: user.id, name: user.username };
  return await isNameTaken(tx, { from: "users", column: "folded_username", name: username, kept });
}

/**
 * Finds the only ACTIVE human user of the organization with that verified email; the case of ASCII letters is ignored. Undefined
 * when there is none, or more than one. An address for which a directory alone answers, by SCIM, is not verified for that.
 */
export async function findOnlyActiveUserByEmail(
  tx: ReadTransaction,
  organizationId: OrganizationId,
  email: string,
): Promise<UserId | undefined> {
  const [first, ...others] = await tx.all<{ id: UserId }>(
    `SELECT id FROM users WHERE resource_owner = ? AND lower(email) = ? AND is_email_verified = 1
       AND state = 'ACTIVE' AND kind = 'human'
       AND (lower(email) = proved_email OR COALESCE(email_creator, '') NOT LIKE ?) LIMIT 2`,
    [organizationId, lowerAscii(email), `${directoryOperator}%`],
  );
  return others.length === 0 ? first?.id : undefined;
}

/** Reads how often the user was locked for good; undefined without such a user. */
export async function findLockCount(tx: ReadTransaction, userId: UserId): Promise<number | undefined> {
  const row = await tx.get<{ lock_count: number }>("SELECT lock_count FROM users WHERE id = ?", [userId]);
  return row?.lock_count;
}

/** Says whether a LOCKED user was locked by wrong passwords, and by nobody since. */
export async function isLockedByWrongPasswords(tx: ReadTransaction, userId: UserId): Promise<boolean> {
  const row = await tx.get("SELECT 1 FROM stored_users WHERE id = ? AND is_locked_by_tries = 1", [userId]);
  return row !== undefined;
}

/** The users of an organization. */
export const userList = defineList<UserFilter, UserRow, User>({
  name: "ListUsers",
  from: "users",
  of: "resource_owner",
  columns,
  filters: {
    username: { column: "folded_username", toCondition: hasName, isAlone: true, leaves: "one" },
    email: { column: "lower(email)", toStored: lowerAscii, isFirst: true, leaves: "few" },
    // Not many are sent in a day.
    isInvited: { column: "invitation_state", toStored: () => "OPEN", leaves: "few" },
    metadata: metadataFilter(columns),
    state: { column: "state" },
  },
  toItems: (rows) => rows.map(toUser),
});

interface UserRow extends DetailsRow, InvitationRow {
  readonly id: UserId;
  readonly state: UserState;
  readonly kind: User["kind"];
  readonly username: string | null;
  readonly imported_id: string | null;
  readonly is_email_verified: number;
  readonly phone: string | null;
  readonly is_phone_verified: number;
  readonly password_date: number | null;
  readonly is_password_change_required: number;
}

function toUser(row: UserRow): User {
  const base = { id: row.id, details: toDetails(row), state: row.state, username: row.username ?? "" };
  if (row.kind === "service") return { ...base, kind: "service", ...service.fromRow(row) };
  return {
    ...base,
    kind: "human",
    importedId: row.imported_id ?? "",
    ...human.fromRow(row),
    isEmailVerified: row.is_email_verified === 1,
    phone: row.phone ?? "",
    isPhoneVerified: row.is_phone_verified === 1,
    hasPassword: row.password_date !== null,
    isPasswordChangeRequired: row.is_password_change_required === 1,
    passwordChangeDate: row.password_date ?? undefined,
    invitation: toInvitation(row),
  };
}

function toWritten(payload: ProfilePayload, date: number): readonly SqlValue[] {
  const { username } = payload;
  const names = username === undefined ? [null, null] : [username, toUniqueName(username)];
  return [...names, ...human.toValues(payload), ...service.toValues(payload), date];
}

/** Takes the username from a user of a removed organization whose row is still there. */
async function freeUsername(tx: WriteTransaction, username: string | undefined): Promise<void> {
  if (username === undefined) return;
  await tx.run(
    `UPDATE stored_users SET folded_username = NULL
     WHERE folded_username = ? AND resource_owner IN (SELECT id FROM removed_organizations)`,
    [toUniqueName(username)],
  );
}

function stateApplier(state: UserState) {
  return async (tx: WriteTransaction, { aggregateId, date }: RecordedEvent): Promise<void> => {
    await tx.run(updateState, [state, date, aggregateId]);
  };
}
