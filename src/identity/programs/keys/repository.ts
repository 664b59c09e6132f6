import type { ReadTransaction } from "../../../kernel/base/database.ts";
import { detailsColumns } from "../../../kernel/base/details.ts";
import type { UserId } from "../../../kernel/base/ids.ts";
import { countUpTo, insertSql } from "../../../kernel/base/sql.ts";
import type { Appliers } from "../../../kernel/events/event.ts";
import { type ClientKey, keyNotFound, type VerificationKey } from "../../client-keys/client-key.ts";
import {
  type ClientKeyRow,
  toClientKey,
  toVerificationKey,
  type VerificationKeyRow,
} from "../../client-keys/key-rows.ts";
import { toOriginValues } from "../../logins/login-origins/repository.ts";
import { defineCredentialList, removeTokens } from "../tokens/repository.ts";

const columns = ["id", ...detailsColumns, "expiration_ms"];

const insertKey = insertSql("credentials", [
  ...columns,
  "user_id",
  "creator",
  "made_with_token_id",
  "kind",
  "public_key",
]);

/** How events fill the table of credentials with keys; part of the projection of users. */
export const keyAppliers: Appliers = {
  "user.key.added": async (tx, event) => {
    const { aggregateId, resourceOwner, date, payload } = event;
    const expirationMs = payload.expiration_date === undefined ? null : Date.parse(payload.expiration_date);
    const details = [payload.key_id, date, date, resourceOwner, expirationMs];
    const origin = [aggregateId, ...toOriginValues(event)];
    await tx.run(insertKey, [...details, ...origin, "key", payload.public_key]);
  },
  "user.key.removed": (tx, { payload }) =>
    removeTokens(
      tx,
      { sql: "SELECT id, user_id FROM credentials WHERE id = ?", parameters: [payload.key_id] },
      {},
    ),
};

/** Returns the key of that user. Raises NOT_FOUND. */
export async function getKeyOfUser(tx: ReadTransaction, userId: UserId, id: string): Promise<ClientKey> {
  const row = await tx.get<ClientKeyRow>(
    `SELECT ${columns.join(", ")} FROM credentials WHERE id = ? AND user_id = ? AND kind = 'key'`,
    [id, userId],
  );
  if (row === undefined) throw keyNotFound(id);
  return toClientKey(row);
}

/** Counts the keys of the user, those that have expired too, up to `limit`. */
export async function countKeys(tx: ReadTransaction, userId: UserId, limit: number): Promise<number> {
  const where = { sql: "user_id = ? AND kind = 'key'", parameters: [userId] };
  return await countUpTo(tx, limit, { column: "id", from: "credentials", where });
}

/** The keys of a user, those that have expired too. */
export const keyList = defineCredentialList<ClientKeyRow, ClientKey>({
  name: "ListServiceUserKeys",
  kind: "key",
  columns,
  toItems: (rows) => rows.map(toClientKey),
});

/** Lists the keys of the user that have not expired, oldest first. */
export async function listVerificationKeys(
  tx: ReadTransaction,
  userId: UserId,
  nowMs: number,
): Promise<readonly VerificationKey[]> {
  const rows = await tx.all<VerificationKeyRow>(
    `SELECT id, public_key, expiration_ms FROM credentials
     WHERE user_id = ? AND kind = 'key' AND (expiration_ms IS NULL OR expiration_ms > ?) ORDER BY creation_date, id`,
    [userId, nowMs],
  );
  return rows.map(toVerificationKey);
}
