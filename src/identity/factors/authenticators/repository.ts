import type { Editor } from "../../../kernel/base/call.ts";
import type { ReadTransaction, WriteTransaction } from "../../../kernel/base/database.ts";
import { type DetailsRow, detailsColumns, toDetails } from "../../../kernel/base/details.ts";
import type { OrganizationId, TokenId, UserId } from "../../../kernel/base/ids.ts";
import { countUpTo, insertSql } from "../../../kernel/base/sql.ts";
import type { RecordedEvent } from "../../../kernel/events/event.ts";
import { removeSecretsOf } from "../../../kernel/events/secret-store.ts";
import { toOriginValues } from "../../logins/login-origins/repository.ts";
import {
  type Authenticator,
  type AuthenticatorId,
  type AuthenticatorKind,
  type AuthenticatorLineage,
  authenticatorNotFound,
  type AuthenticatorTable,
  challengeSecretId,
  type LoginAuthenticator,
} from "./authenticator.ts";

/** The columns that `toAuthenticator` reads. */
export const authenticatorColumns = ["id", ...detailsColumns, "user_id", "state", "domain", "name"];

const insertedColumns = ["id", ...detailsColumns, "user_id", "state", "domain"];

/** A row with `authenticatorColumns`. */
export interface AuthenticatorRow<Id extends AuthenticatorId> extends DetailsRow {
  readonly id: Id;
  readonly user_id: UserId;
  readonly state: Authenticator["state"];
  readonly domain: string;
  readonly name: string | null;
}

/** Makes the object of a row. */
export function toAuthenticator<Id extends AuthenticatorId>(row: AuthenticatorRow<Id>): Authenticator<Id> {
  return {
    id: row.id,
    details: toDetails(row),
    userId: row.user_id,
    state: row.state,
    domain: row.domain,
    name: row.name ?? "",
  };
}

/** Stores a registration that was begun. */
export async function insertAuthenticator(
  tx: WriteTransaction,
  table: AuthenticatorTable,
  {
    event,
    id,
  }: { readonly event: RecordedEvent<"user.u2f.added" | "user.passkey.added">; readonly id: string },
): Promise<void> {
  const { aggregateId, resourceOwner, date, payload } = event;
  const values = [id, date, date, resourceOwner, aggregateId, "NOT_READY", payload.domain];
  await tx.run(insertSql(table, insertedColumns), values);
}

/** Completes a registration. */
export async function completeAuthenticator(
  tx: WriteTransaction,
  table: AuthenticatorTable,
  completed: {
    readonly event: RecordedEvent<"user.u2f.verified" | "user.passkey.verified">;
    readonly id: string;
  },
): Promise<void> {
  const { date, payload } = completed.event;
  // Takes a credential id from a removed authenticator whose row has not been deleted yet.
  await tx.run(
    `UPDATE ${table} SET credential_id = NULL
     WHERE credential_id = ? AND resource_owner IN (SELECT id FROM removed_organizations)`,
    [payload.credential_id],
  );
  await tx.run(
    `UPDATE ${table} SET state = 'READY', sequence = ?, name = ?, credential_id = ?, public_key = ?, counter = ?,
         aaguid = ?, attestation_format = ?, creator = ?, made_with_token_id = ? WHERE id = ?`,
    [
      date,
      payload.name ?? null,
      payload.credential_id,
      payload.public_key,
      Number(payload.counter),
      payload.aaguid,
      payload.attestation_format,
      ...toOriginValues(completed.event),
      completed.id,
    ],
  );
}

/** Lets the next login ask about an authenticator. Nothing that a list shows changes, so its date stays. */
export async function questionAuthenticator(
  tx: WriteTransaction,
  table: AuthenticatorTable,
  id: string,
): Promise<void> {
  await tx.run(`UPDATE ${table} SET is_questioned = 1 WHERE id = ?`, [id]);
}

/** Records the user as the one responsible for an authenticator. Its date stays, too. */
export async function keepAuthenticator(
  tx: WriteTransaction,
  table: AuthenticatorTable,
  kept: { readonly id: string; readonly userId: string },
): Promise<void> {
  await tx.run(`UPDATE ${table} SET is_questioned = 0, creator = ?, made_with_token_id = NULL WHERE id = ?`, [
    kept.userId,
    kept.id,
  ]);
}

/**
 * Raises the counter of what was used in a login. The log is the only place where counters are kept, so that a rebuild does not
 * set them back.
 */
export async function raiseCounter(
  tx: WriteTransaction,
  { payload }: RecordedEvent<"session.checked">,
): Promise<void> {
  if (payload.factor_id === undefined || payload.counter === undefined) return;
  const counter = Number(payload.counter);
  const table: AuthenticatorTable = payload.method === "PASSKEY" ? "passkeys" : "second_factors";
  // Logins that end in another order than their keys signed must not set it back.
  await tx.run(`UPDATE ${table} SET counter = ? WHERE id = ? AND counter < ?`, [
    counter,
    payload.factor_id,
    counter,
  ]);
}

/** Removes the authenticators of the kind that the query names by `id`, with their pending challenges. */
export async function removeAuthenticators(
  tx: WriteTransaction,
  kind: Pick<AuthenticatorKind<AuthenticatorId>, "table" | "challengeUse">,
  named: { readonly sql: string; readonly parameters: readonly string[] },
): Promise<void> {
  await removeSecretsOf(tx, challengeSecretId(kind, ""), named);
  await tx.run(`DELETE FROM ${kind.table} WHERE id IN (${named.sql})`, named.parameters);
}

/** Destroys the pending challenges of a user: no registration that was begun can be completed. */
export async function endOpenRegistrations(tx: WriteTransaction, userId: UserId): Promise<void> {
  for (const table of ["second_factors", "passkeys"] as const) {
    const challengeUse = table === "passkeys" ? "passkey-challenge" : "u2f-challenge";
    const sql = `SELECT id FROM ${table} WHERE user_id = ? AND state = 'NOT_READY'`;
    await removeSecretsOf(tx, challengeSecretId({ challengeUse }, ""), { sql, parameters: [userId] });
  }
}

/** Returns the authenticator of that user. Raises NOT_FOUND. */
export async function getAuthenticator<Id extends AuthenticatorId>(
  tx: ReadTransaction,
  kind: AuthenticatorKind<Id>,
  { userId, id }: { readonly userId: UserId; readonly id: string },
): Promise<Authenticator<Id>> {
  const row = await tx.get<AuthenticatorRow<Id>>(
    `SELECT ${authenticatorColumns.join(", ")} FROM ${kind.table} WHERE id = ? AND user_id = ? AND ${kind.rows}`,
    [id, userId],
  );
  if (row === undefined) throw authenticatorNotFound(kind, id);
  return toAuthenticator(row);
}

/** Returns the user of the authenticator, also in a removed organization, or undefined. */
export async function findUserOfAuthenticator(
  tx: ReadTransaction,
  table: AuthenticatorTable,
  id: string,
): Promise<UserId | undefined> {
  const row = await tx.get<{ user_id: UserId }>(`SELECT user_id FROM ${table} WHERE id = ?`, [id]);
  return row?.user_id;
}

/** Returns the user who answers for an authenticator; undefined if it is not ready, or absent. */
export async function findAuthenticatorCreator(
  tx: ReadTransaction,
  table: AuthenticatorTable,
  id: string,
): Promise<Editor | undefined> {
  const row = await tx.get<{ creator: Editor | null }>(`SELECT creator FROM ${table} WHERE id = ?`, [id]);
  return row?.creator ?? undefined;
}

/**
 * Counts the registrations of the user that were started after the instant (microseconds) and not completed, up to
 * `limit`.
 */
export async function countOpenRegistrations(
  tx: ReadTransaction,
  { table, rows }: Pick<AuthenticatorKind<AuthenticatorId>, "table" | "rows">,
  asked: { readonly userId: UserId; readonly after: number; readonly limit: number },
): Promise<number> {
  const sql = `user_id = ? AND creation_date > ? AND state = 'NOT_READY' AND ${rows}`;
  const where = { sql, parameters: [asked.userId, asked.after] };
  return await countUpTo(tx, asked.limit, { column: "id", from: table, where });
}

/**
 * Returns the last registrations of the user that were started up to the instant (microseconds) and not completed.
 */
export async function listStaleRegistrations(
  tx: ReadTransaction,
  { table, rows }: Pick<AuthenticatorKind<AuthenticatorId>, "table" | "rows">,
  asked: { readonly userId: UserId; readonly until: number; readonly limit: number },
): Promise<readonly AuthenticatorId[]> {
  const found = await tx.all<{ id: AuthenticatorId }>(
    `SELECT id FROM ${table} WHERE user_id = ? AND creation_date <= ? AND state = 'NOT_READY' AND ${rows}
     ORDER BY creation_date DESC LIMIT ?`,
    [asked.userId, asked.until, asked.limit],
  );
  return found.map((row) => row.id);
}

/** Returns the credential ids (base64url) that the user has registered. */
export async function listCredentialIds(
  tx: ReadTransaction,
  table: AuthenticatorTable,
  userId: UserId,
): Promise<readonly string[]> {
  const rows = await tx.all<{ credential_id: string }>(
    `SELECT credential_id FROM ${table} WHERE user_id = ? AND credential_id IS NOT NULL ORDER BY creation_date, id`,
    [userId],
  );
  return rows.map((row) => row.credential_id);
}

/** The lineages of the authenticators of a table, by their user; oldest first. Of those that are not ready only apps have one. */
export const lineagesFrom = (table: AuthenticatorTable): string =>
  `FROM ${table} f LEFT JOIN credentials p ON p.id = f.made_with_token_id
     WHERE f.user_id = ? AND f.creator IS NOT NULL ORDER BY f.creation_date, f.id`;

/** The columns that `toLineage` reads. */
export const lineageColumns =
  "f.id, f.user_id, f.resource_owner, f.creator, f.made_with_token_id, p.user_id AS parent_user_id";

/** Reads from a row the user who answers for an authenticator. */
export function toLineage<Id extends AuthenticatorId>(row: LineageRow<Id>): AuthenticatorLineage<Id> {
  return {
    id: row.id,
    userId: row.user_id,
    organizationId: row.resource_owner,
    creator: row.creator,
    madeWithTokenId: row.made_with_token_id ?? undefined,
    parentUserId: row.parent_user_id ?? undefined,
  };
}

/** The rows of the authenticators that a user is to keep or to remove; oldest first. Others are asked about once they are ready. */
export const questionedFrom = (table: AuthenticatorTable): string =>
  `FROM ${table} WHERE user_id = ? AND is_questioned = 1 AND state = 'READY' ORDER BY creation_date, id`;

/** Checks whether a user has registered the credential id (base64url), as a token or as a passkey. */
export async function isCredentialTaken(tx: ReadTransaction, credentialId: string): Promise<boolean> {
  const holder = (table: AuthenticatorTable) =>
    `SELECT f.id FROM ${table} f JOIN users u ON u.id = f.user_id WHERE f.credential_id = ?`;
  const row = await tx.get<{ id: string }>(`${holder("second_factors")} UNION ALL ${holder("passkeys")}`, [
    credentialId,
    credentialId,
  ]);
  return row !== undefined;
}

/** The columns that `toLoginAuthenticator` reads. */
export const loginColumns = "id, user_id, resource_owner, credential_id, public_key, counter";

/** A READY row with `loginColumns`. */
export interface LoginRow<Id extends AuthenticatorId> {
  readonly id: Id;
  readonly user_id: UserId;
  readonly resource_owner: OrganizationId;
  readonly credential_id: string;
  readonly public_key: string;
  readonly counter: number;
}

/** Makes of a row what a login checks an answer by. */
export function toLoginAuthenticator<Id extends AuthenticatorId>(row: LoginRow<Id>): LoginAuthenticator<Id> {
  return {
    id: row.id,
    userId: row.user_id,
    organizationId: row.resource_owner,
    credentialId: row.credential_id,
    publicKey: row.public_key,
    counter: row.counter,
  };
}

/** A row with `lineageColumns`. */
export interface LineageRow<Id extends AuthenticatorId> {
  readonly id: Id;
  readonly user_id: UserId;
  readonly resource_owner: OrganizationId;
  readonly creator: Editor;
  readonly made_with_token_id: TokenId | null;
  readonly parent_user_id: UserId | null;
}
