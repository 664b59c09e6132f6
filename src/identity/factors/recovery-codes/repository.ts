import type { Editor } from "../../../kernel/base/call.ts";
import type { ReadTransaction, WriteTransaction } from "../../../kernel/base/database.ts";
import { type DetailsRow, detailsColumns, toDetails } from "../../../kernel/base/details.ts";
import type { OrganizationId, RecoveryCodesId, TokenId, UserId } from "../../../kernel/base/ids.ts";
import { insertSql } from "../../../kernel/base/sql.ts";
import type { Appliers } from "../../../kernel/events/event.ts";
import type { PersonalData } from "../../../kernel/events/personal-data.ts";
import { findSecret, putSecret, removeSecretsOf } from "../../../kernel/events/secret-store.ts";
import { toOriginValues } from "../../logins/login-origins/repository.ts";
import {
  type RecoveryCodeHashes,
  type RecoveryCodes,
  type RecoveryCodesLineage,
  recoveryCodesSecretContext,
  recoveryCodesSecretId,
} from "./recovery-code.ts";

const columns = ["id", ...detailsColumns, "user_id", "remaining"];
const select = `SELECT ${columns.join(", ")} FROM recovery_codes`;

const insertCodes = insertSql("recovery_codes", [...columns, "creator", "made_with_token_id"]);

/** How events fill the table of recovery codes; part of the projection of users. */
export const recoveryCodeAppliers: Appliers = {
  "user.recovery_codes.added": async (tx, event) => {
    const { aggregateId, resourceOwner, date, payload } = event;
    await removeRecoveryCodesOf(tx, { sql: "SELECT ? AS id", parameters: [aggregateId] });
    const details = [payload.codes_id, date, date, resourceOwner];
    const origin = toOriginValues(event);
    await tx.run(insertCodes, [...details, aggregateId, payload.count, ...origin]);
  },
  "user.recovery_codes.used": async (tx, { date, payload }) => {
    await tx.run("UPDATE recovery_codes SET remaining = remaining - 1, sequence = ? WHERE id = ?", [
      date,
      payload.codes_id,
    ]);
  },
  "user.recovery_codes.removed": (tx, { aggregateId }) =>
    removeRecoveryCodesOf(tx, { sql: "SELECT ? AS id", parameters: [aggregateId] }),
  "user.recovery_codes.questioned": async (tx, { payload }) => {
    await tx.run("UPDATE recovery_codes SET is_questioned = 1 WHERE id = ?", [payload.codes_id]);
  },
  "user.recovery_codes.kept": async (tx, { aggregateId, payload }) => {
    await tx.run(
      "UPDATE recovery_codes SET is_questioned = 0, creator = ?, made_with_token_id = NULL WHERE id = ?",
      [aggregateId, payload.codes_id],
    );
  },
};

/** Removes the recovery codes of the users that the query names by `id`. */
export async function removeRecoveryCodesOf(
  tx: WriteTransaction,
  { sql, parameters }: { readonly sql: string; readonly parameters: readonly string[] },
): Promise<void> {
  await removeSecretsOf(tx, recoveryCodesSecretId(""), {
    sql: `SELECT id FROM recovery_codes WHERE user_id IN (${sql})`,
    parameters,
  });
  await tx.run(`DELETE FROM recovery_codes WHERE user_id IN (${sql})`, parameters);
}

/** Returns the recovery codes of the user, also if all of them were used; undefined without any. */
export async function findRecoveryCodes(
  tx: ReadTransaction,
  userId: UserId,
): Promise<RecoveryCodes | undefined> {
  const row = await tx.get<RecoveryCodesRow>(`${select} WHERE user_id = ?`, [userId]);
  return row && toRecoveryCodes(row);
}

/** Returns the codes that the user is to keep or to remove; undefined if there are none. */
export async function findQuestionedCodes(
  tx: ReadTransaction,
  userId: UserId,
): Promise<RecoveryCodes | undefined> {
  const row = await tx.get<RecoveryCodesRow>(`${select} WHERE user_id = ? AND is_questioned = 1`, [userId]);
  return row && toRecoveryCodes(row);
}

/** Returns the recovery codes of the user with the user responsible for them; undefined without any. */
export async function findRecoveryCodesLineage(
  tx: ReadTransaction,
  userId: UserId,
): Promise<RecoveryCodesLineage | undefined> {
  const row = await tx.get<LineageRow>(
    `SELECT r.id, r.resource_owner, r.creator, r.made_with_token_id, p.user_id AS parent_user_id
     FROM recovery_codes r LEFT JOIN credentials p ON p.id = r.made_with_token_id WHERE r.user_id = ?`,
    [userId],
  );
  if (row === undefined) return undefined;
  return {
    id: row.id,
    userId,
    organizationId: row.resource_owner,
    creator: row.creator,
    madeWithTokenId: row.made_with_token_id ?? undefined,
    parentUserId: row.parent_user_id ?? undefined,
  };
}

/** Names codes: the user, and the id of all of them together. */
type CodesName = Pick<RecoveryCodes, "userId" | "id">;

/** Stores what typed codes are compared with, sealed under the key of the user. */
export async function putRecoveryCodeHashes(
  tx: WriteTransaction,
  personalData: PersonalData,
  { codes, stored }: { readonly codes: CodesName; readonly stored: RecoveryCodeHashes },
): Promise<void> {
  const [key = "", ...hashes] = [stored.key, ...stored.hashes].map((bytes) =>
    Buffer.from(bytes).toString("base64"),
  );
  const text = JSON.stringify({ key, hashes });
  const value = await personalData.seal(tx, codes.userId, text, recoveryCodesSecretContext(codes));
  if (value !== undefined) await putSecret(tx, recoveryCodesSecretId(codes.id), { keyId: "", value });
}

/** Returns the hashes that typed codes are compared with; undefined if they are gone, or the key of the user. */
export async function findRecoveryCodeHashes(
  tx: ReadTransaction,
  personalData: PersonalData,
  codes: CodesName,
): Promise<RecoveryCodeHashes | undefined> {
  const sealed = await findSecret(tx, recoveryCodesSecretId(codes.id));
  const text =
    sealed && (await personalData.open(tx, codes.userId, sealed.value, recoveryCodesSecretContext(codes)));
  if (text === undefined) return undefined;
  const { key, hashes } = JSON.parse(text) as { readonly key: string; readonly hashes: readonly string[] }; // written by putRecoveryCodeHashes
  const [keyBytes = new Uint8Array(), ...hashBytes] = [key, ...hashes].map(
    (each) => new Uint8Array(Buffer.from(each, "base64")),
  );
  return { key: keyBytes, hashes: hashBytes };
}

interface RecoveryCodesRow extends DetailsRow {
  readonly id: RecoveryCodesId;
  readonly user_id: UserId;
  readonly remaining: number;
}

interface LineageRow {
  readonly id: RecoveryCodesId;
  readonly resource_owner: OrganizationId;
  readonly creator: Editor;
  readonly made_with_token_id: TokenId | null;
  readonly parent_user_id: UserId | null;
}

function toRecoveryCodes(row: RecoveryCodesRow): RecoveryCodes {
  return { id: row.id, details: toDetails(row), userId: row.user_id, remaining: row.remaining };
}
