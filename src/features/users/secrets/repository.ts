import type { ReadTransaction, WriteTransaction } from "../../../base/database.ts";
import { type DetailsRow, detailsColumns, toDetails } from "../../../base/details.ts";
import type { TokenId, UserId } from "../../../base/ids.ts";
import { insertSql } from "../../../base/sql.ts";
import type { Appliers } from "../../../events/event.ts";
import { removeTokens } from "../tokens/repository.ts";
import type { ServiceUserSecret } from "./secret.ts";

const columns = ["id", ...detailsColumns, "expiration_ms"];

const insertSecret = insertSql("credentials", [
  ...columns,
  "user_id",
  "creator",
  "made_with_token_id",
  "kind",
]);

/** How events fill the table of credentials with secrets; part of the projection of users. */
export const secretAppliers: Appliers = {
  "user.secret.set": async (tx, { aggregateId, resourceOwner, date, editor, payload }) => {
    const expirationMs = payload.expiration_date === undefined ? null : Date.parse(payload.expiration_date);
    const details = [payload.secret_id, date, date, resourceOwner, expirationMs];
    const origin = [aggregateId, editor, payload.made_with_token_id ?? null];
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

interface SecretRow extends DetailsRow {
  readonly id: TokenId;
  readonly expiration_ms: number | null;
}

async function removeSecrets(tx: WriteTransaction, userId: string): Promise<void> {
  const sql = "SELECT id, user_id FROM credentials WHERE user_id = ? AND kind = 'secret'";
  await removeTokens(tx, { sql, parameters: [userId] }, {});
}
