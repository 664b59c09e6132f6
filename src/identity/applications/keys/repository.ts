import type { ReadTransaction, WriteTransaction } from "../../../kernel/base/database.ts";
import { detailsColumns } from "../../../kernel/base/details.ts";
import type { ApplicationId } from "../../../kernel/base/ids.ts";
import { defineList } from "../../../kernel/base/list.ts";
import { countUpTo, equals, insertSql } from "../../../kernel/base/sql.ts";
import type { Appliers } from "../../../kernel/events/event.ts";
import { type ClientKey, keyNotFound, type VerificationKey } from "../../client-keys/client-key.ts";
import {
  type ClientKeyRow,
  toClientKey,
  toVerificationKey,
  type VerificationKeyRow,
} from "../../client-keys/key-rows.ts";

const table = "application_keys";
const columns = ["id", ...detailsColumns, "expiration_ms"];
const insertKey = insertSql(table, [...columns, "application_id", "public_key"]);

/** How events fill the table of keys; part of the projection of applications. */
export const applicationKeyAppliers: Appliers = {
  "application.key.added": async (tx, { aggregateId, resourceOwner, date, payload }) => {
    const { key_id: id, public_key: publicKey, expiration_date: expiration } = payload;
    const expirationMs = expiration === undefined ? null : Date.parse(expiration);
    await tx.run(insertKey, [id, date, date, resourceOwner, expirationMs, aggregateId, publicKey]);
  },
  "application.key.removed": async (tx, { payload }) => {
    await tx.run("DELETE FROM application_keys WHERE id = ?", [payload.key_id]);
  },
};

/** Deletes the keys of the applications that the query names by `id`. */
export async function removeKeysOf(
  tx: WriteTransaction,
  applications: { readonly sql: string; readonly parameters: readonly string[] },
): Promise<void> {
  await tx.run(
    `DELETE FROM application_keys WHERE application_id IN (${applications.sql})`,
    applications.parameters,
  );
}

/** Returns the key of that application. Raises NOT_FOUND. */
export async function getKeyOfApplication(
  tx: ReadTransaction,
  applicationId: ApplicationId,
  id: string,
): Promise<ClientKey> {
  const row = await tx.get<ClientKeyRow>(
    `SELECT ${columns.join(", ")} FROM application_keys WHERE id = ? AND application_id = ?`,
    [id, applicationId],
  );
  if (row === undefined) throw keyNotFound(id);
  return toClientKey(row);
}

/** Counts the keys of the application, those that have expired too, up to `limit`. */
export async function countApplicationKeys(
  tx: ReadTransaction,
  applicationId: ApplicationId,
  limit: number,
): Promise<number> {
  const where = equals("application_id", applicationId);
  return await countUpTo(tx, limit, { column: "id", from: table, where });
}

/** The keys of an application, those that have expired too. */
export const applicationKeyList = defineList<object, ClientKeyRow, ClientKey>({
  name: "ListApplicationKeys",
  from: table,
  of: "application_id",
  columns,
  filters: {},
  toItems: (rows) => rows.map(toClientKey),
});

/** Lists the keys of the application that have not expired, oldest first. */
export async function listApplicationVerificationKeys(
  tx: ReadTransaction,
  applicationId: ApplicationId,
  nowMs: number,
): Promise<readonly VerificationKey[]> {
  const rows = await tx.all<VerificationKeyRow>(
    `SELECT id, public_key, expiration_ms FROM application_keys
     WHERE application_id = ? AND (expiration_ms IS NULL OR expiration_ms > ?) ORDER BY creation_date, id`,
    [applicationId, nowMs],
  );
  return rows.map(toVerificationKey);
}
