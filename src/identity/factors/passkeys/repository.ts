import type { ReadTransaction } from "../../../kernel/base/database.ts";
import type { PasskeyId, UserId } from "../../../kernel/base/ids.ts";
import { defineList } from "../../../kernel/base/list.ts";
import type { Appliers } from "../../../kernel/events/event.ts";
import type { AuthenticatorLineage } from "../authenticators/authenticator.ts";
import {
  authenticatorColumns,
  type AuthenticatorRow,
  completeAuthenticator,
  insertAuthenticator,
  keepAuthenticator,
  lineageColumns,
  type LineageRow,
  lineagesFrom,
  loginColumns,
  type LoginRow,
  questionAuthenticator,
  questionedFrom,
  removeAuthenticators,
  toAuthenticator,
  toLineage,
  toLoginAuthenticator,
} from "../authenticators/repository.ts";
import { type LoginPasskey, type Passkey, passkeyKind } from "./passkey.ts";

const { table } = passkeyKind;

/** Appliers of passkeys; part of the projection of users. */
export const passkeyAppliers: Appliers = {
  "user.passkey.added": (tx, event) =>
    insertAuthenticator(tx, table, { event, id: event.payload.passkey_id }),
  "user.passkey.verified": async (tx, event) => {
    const { passkey_id: id, backup_eligible: isEligible, backed_up: isBackedUp } = event.payload;
    await completeAuthenticator(tx, table, { event, id });
    await tx.run("UPDATE passkeys SET is_backup_eligible = ?, is_backed_up = ? WHERE id = ?", [
      Number(isEligible),
      Number(isBackedUp),
      id,
    ]);
  },
  "user.passkey.removed": (tx, { payload }) =>
    removeAuthenticators(tx, passkeyKind, {
      sql: "SELECT id FROM passkeys WHERE id = ?",
      parameters: [payload.passkey_id],
    }),
  "user.passkey.questioned": (tx, { payload }) => questionAuthenticator(tx, table, payload.passkey_id),
  "user.passkey.kept": (tx, { aggregateId, payload }) =>
    keepAuthenticator(tx, table, { id: payload.passkey_id, userId: aggregateId }),
  "user.passkey.backup.changed": async (tx, { date, payload }) => {
    await tx.run("UPDATE passkeys SET is_backed_up = ?, sequence = ? WHERE id = ?", [
      Number(payload.backed_up),
      date,
      payload.passkey_id,
    ]);
  },
  /** Nothing comes of it but the record. */
  "user.passkey.counter.regressed": async () => {},
};

const columns = [...authenticatorColumns, "is_backed_up"];

/** The passkeys of a user, those that are not ready too. */
export const passkeyList = defineList<object, PasskeyRow, Passkey>({
  name: "ListPasskeys",
  from: table,
  of: "user_id",
  columns,
  filters: {},
  toItems: (rows) => rows.map(toPasskey),
});

/** What is good for a login: registered for the relying party id, and not waiting for its user's decision. */
const usable = "state = 'READY' AND is_questioned = 0 AND domain = ?";

/** Finds the passkey with the credential id (base64url) that lets its user log in on pages of the relying party id. */
export async function findLoginPasskey(
  tx: ReadTransaction,
  asked: { readonly credentialId: string; readonly domain: string },
): Promise<LoginPasskey | undefined> {
  const row = await tx.get<LoginPasskeyRow>(
    `SELECT ${loginColumns}, is_backup_eligible, is_backed_up FROM passkeys WHERE credential_id = ? AND ${usable}`,
    [asked.credentialId, asked.domain],
  );
  if (row === undefined) return undefined;
  return {
    ...toLoginAuthenticator(row),
    isBackupEligible: row.is_backup_eligible === 1,
    isBackedUp: row.is_backed_up === 1,
  };
}

/** Says whether the user has a passkey to log in with on pages of the relying party id. */
export async function hasLoginPasskey(tx: ReadTransaction, userId: UserId, domain: string): Promise<boolean> {
  const row = await tx.get(`SELECT 1 FROM passkeys WHERE user_id = ? AND ${usable} LIMIT 1`, [
    userId,
    domain,
  ]);
  return row !== undefined;
}

/** Says whether a passkey that was used in a login still lets its user log in: it was not removed, nor questioned. */
export async function isPasskeyInForce(tx: ReadTransaction, id: string, domain: string): Promise<boolean> {
  return (await tx.get(`SELECT 1 FROM passkeys WHERE id = ? AND ${usable}`, [id, domain])) !== undefined;
}

/** Lists the READY passkeys of the user with the users responsible for them, oldest first. */
export async function listPasskeyLineages(
  tx: ReadTransaction,
  userId: UserId,
): Promise<readonly AuthenticatorLineage<PasskeyId>[]> {
  const sql = `SELECT ${lineageColumns} ${lineagesFrom(table)}`;
  return (await tx.all<LineageRow<PasskeyId>>(sql, [userId])).map(toLineage);
}

/** Lists the passkeys that the user is to keep or to remove, oldest first. */
export async function listQuestionedPasskeys(
  tx: ReadTransaction,
  userId: UserId,
): Promise<readonly Passkey[]> {
  const rows = await tx.all<PasskeyRow>(`SELECT ${columns.join(", ")} ${questionedFrom(table)}`, [userId]);
  return rows.map(toPasskey);
}

function toPasskey(row: PasskeyRow): Passkey {
  return { ...toAuthenticator(row), isBackedUp: row.is_backed_up === 1 };
}

interface PasskeyRow extends AuthenticatorRow<PasskeyId> {
  readonly is_backed_up: number;
}

interface LoginPasskeyRow extends LoginRow<PasskeyId> {
  readonly is_backup_eligible: number;
  readonly is_backed_up: number;
}
