import type { ReadTransaction, WriteTransaction } from "../../../kernel/base/database.ts";
import { type DetailsRow, detailsColumns, toDetails } from "../../../kernel/base/details.ts";
import type { TokenId, UserId } from "../../../kernel/base/ids.ts";
import { insertSql } from "../../../kernel/base/sql.ts";
import type { Appliers } from "../../../kernel/events/event.ts";
import { toOriginValues } from "../../logins/login-origins/repository.ts";
import { removeTokens } from "../tokens/repository.ts";
import { clientSecretHashId } from "../tokens/token.ts";
import type { ServiceUserSecret } from "./secret.ts";

const columns = ["id", ...detailsColumns, "expiration_ms"];

const insertSecret = insertSql("credentials", [
  ...columns,
  "user_id",
  "creator",
  "made_with_token_id",
  "kind",
]);

const selectHash = `SELECT c.id, c.expiration_ms, s.value
  FROM credentials c JOIN secrets s ON s.id = '${clientSecretHashId("")}' || c.id
  WHERE c.user_id = ? AND c.kind = 'secret' AND (c.expiration_ms IS NULL OR c.expiration_ms > ?)`;

/** How events fill the table of credentials with secrets; part of the projection of users. */
export const secretAppliers: Appliers = {
  "user.secret.set": async (tx, event) => {
    const { aggregateId, resourceOwner, date, payload } = event;
    const expirationMs = payload.expiration_date === undefined ? null : Date.parse(payload.expiration_date);
    const details = [payload.secret_id, date, date, resourceOwner, expirationMs];
    const origin = [aggregateId, ...toOriginValues(event)];
    await removeSecrets(tx, aggregateId);
    await tx.run(insertSecret, [...details, ...origin, "secret"]);
  },
  "user.secret.removed": (tx, { aggregateId }) => removeSecrets(tx, aggregateId),
};

/** Finds the secret of the user, whether it has expired or not; undefined when there is none. */
export async function findSecretOfUser(
  tx: ReadTransaction,
  userId: UserId,
): Promise<ServiceUserSecret | undefined> {
  const row = await tx.get<SecretRow>(
    `SELECT ${columns.join(", ")} FROM credentials WHERE user_id = ? AND kind = 'secret'`,
    [userId],
  );
  if (row === undefined) return undefined;
  return { id: row.id, details: toDetails(row), expirationMs: row.expiration_ms ?? undefined };
}

/** Finds the secret of the user, unless it has expired, and its hash. */
export async function findSecretHashOfUser(
  tx: ReadTransaction,
  userId: UserId,
  nowMs: number,
): Promise<(Pick<ServiceUserSecret, "id" | "expirationMs"> & { readonly hash: Uint8Array }) | undefined> {
  const row = await tx.get<Pick<SecretRow, "id" | "expiration_ms"> & { readonly value: Uint8Array }>(
    selectHash,
    [userId, nowMs],
  );
  return row && { id: row.id, expirationMs: row.expiration_ms ?? undefined, hash: row.value };
}

interface SecretRow extends DetailsRow {
  readonly id: TokenId;
  readonly expiration_ms: number | null;
}

async function removeSecrets(tx: WriteTransaction, userId: string): Promise<void> {
  const sql = "SELECT id, user_id FROM credentials WHERE user_id = ? AND kind = 'secret'";
  await removeTokens(tx, { sql, parameters: [userId] }, {});
}
