import type { ReadTransaction, WriteTransaction } from "../../../base/database.ts";
import { type DetailsRow, detailsColumns, toDetails } from "../../../base/details.ts";
import type { SecondFactorId, UserId } from "../../../base/ids.ts";
import { defineList } from "../../../base/list.ts";
import { countUpTo, insertSql } from "../../../base/sql.ts";
import type { Appliers } from "../../../events/event.ts";
import { removeSecretsOf } from "../../../events/secret-store.ts";
import { challengeSecretId, type SecondFactor, secondFactorNotFound } from "./u2f.ts";

const columns = ["id", ...detailsColumns, "user_id", "state", "domain", "name"];

const insertFactor = insertSql("second_factors", ["id", ...detailsColumns, "user_id", "state", "domain"]);

/** Appliers of second factors; part of the projection of users. */
export const secondFactorAppliers: Appliers = {
  "user.u2f.added": async (tx, { aggregateId, resourceOwner, date, payload }) => {
    const values = [payload.u2f_id, date, date, resourceOwner, aggregateId, "NOT_READY", payload.domain];
    await tx.run(insertFactor, values);
  },
  "user.u2f.removed": (tx, { payload }) =>
    removeSecondFactors(tx, {
      sql: "SELECT id FROM second_factors WHERE id = ?",
      parameters: [payload.u2f_id],
    }),
  "user.u2f.verified": async (tx, { date, payload }) => {
    // Takes a credential id from a removed factor whose row has not been deleted yet.
    await tx.run(
      `UPDATE second_factors SET credential_id = NULL
       WHERE credential_id = ? AND resource_owner IN (SELECT id FROM removed_organizations)`,
      [payload.credential_id],
    );
    await tx.run(
      `UPDATE second_factors SET state = 'READY', sequence = ?, name = ?, credential_id = ?, public_key = ?, counter = ?,
           aaguid = ?, attestation_format = ? WHERE id = ?`,
      [
        date,
        payload.name ?? null,
        payload.credential_id,
        payload.public_key,
        Number(payload.counter),
        payload.aaguid,
        payload.attestation_format,
        payload.u2f_id,
      ],
    );
  },
};

/** Removes the second factors that the query names by `id`, with their pending challenges. */
export async function removeSecondFactors(
  tx: WriteTransaction,
  named: { readonly sql: string; readonly parameters: readonly string[] },
): Promise<void> {
  await removeSecretsOf(tx, challengeSecretId(""), named);
  await tx.run(`DELETE FROM second_factors WHERE id IN (${named.sql})`, named.parameters);
}

/** Returns the second factor of that user, or undefined. */
export async function findSecondFactor(
  tx: ReadTransaction,
  userId: UserId,
  id: string,
): Promise<SecondFactor | undefined> {
  const row = await tx.get<SecondFactorRow>(
    `SELECT ${columns.join(", ")} FROM second_factors WHERE id = ? AND user_id = ?`,
    [id, userId],
  );
  return row === undefined ? undefined : toSecondFactor(row);
}

/** Returns the second factor of that user. Raises NOT_FOUND. */
export async function getSecondFactor(
  tx: ReadTransaction,
  userId: UserId,
  id: string,
): Promise<SecondFactor> {
  const factor = await findSecondFactor(tx, userId, id);
  if (factor === undefined) throw secondFactorNotFound(id);
  return factor;
}

/** Returns the user of the second factor, also in a removed organization, or undefined. */
export async function findUserOfSecondFactor(tx: ReadTransaction, id: string): Promise<UserId | undefined> {
  const row = await tx.get<{ user_id: UserId }>("SELECT user_id FROM second_factors WHERE id = ?", [id]);
  return row?.user_id;
}

/** The second factors of a user, those that are not ready too. */
export const secondFactorList = defineList<object, SecondFactorRow, SecondFactor>({
  name: "ListSecondFactors",
  from: "second_factors",
  of: "user_id",
  columns,
  filters: {},
  toItems: (rows) => rows.map(toSecondFactor),
});

/**
 * Counts the registrations of the user that were started after the instant (microseconds) and not completed, up to
 * `limit`.
 */
export async function countOpenRegistrations(
  tx: ReadTransaction,
  userId: UserId,
  asked: { readonly after: number; readonly limit: number },
): Promise<number> {
  const sql = "user_id = ? AND creation_date > ? AND state = 'NOT_READY'";
  const where = { sql, parameters: [userId, asked.after] };
  return await countUpTo(tx, asked.limit, { column: "id", from: "second_factors", where });
}

/**
 * Returns the last registrations of the user that were started up to the instant (microseconds) and not completed.
 */
export async function listStaleRegistrations(
  tx: ReadTransaction,
  userId: UserId,
  asked: { readonly until: number; readonly limit: number },
): Promise<readonly SecondFactorId[]> {
  const rows = await tx.all<{ id: SecondFactorId }>(
    `SELECT id FROM second_factors WHERE user_id = ? AND creation_date <= ? AND state = 'NOT_READY'
     ORDER BY creation_date DESC LIMIT ?`,
    [userId, asked.until, asked.limit],
  );
  return rows.map((row) => row.id);
}

/** Returns the credential ids (base64url) that the user has registered. */
export async function listCredentialIds(tx: ReadTransaction, userId: UserId): Promise<readonly string[]> {
  const rows = await tx.all<{ credential_id: string }>(
    `SELECT credential_id FROM second_factors WHERE user_id = ? AND credential_id IS NOT NULL ORDER BY creation_date, id`,
    [userId],
  );
  return rows.map((row) => row.credential_id);
}

/** Checks whether a user has registered the credential id (base64url). */
export async function isCredentialTaken(tx: ReadTransaction, credentialId: string): Promise<boolean> {
  const row = await tx.get<{ id: string }>(
    "SELECT f.id FROM second_factors f JOIN users u ON u.id = f.user_id WHERE f.credential_id = ?",
    [credentialId],
  );
  return row !== undefined;
}

interface SecondFactorRow extends DetailsRow {
  readonly id: SecondFactorId;
  readonly user_id: UserId;
  readonly state: SecondFactor["state"];
  readonly domain: string;
  readonly name: string | null;
}

function toSecondFactor(row: SecondFactorRow): SecondFactor {
  return {
    id: row.id,
    details: toDetails(row),
    userId: row.user_id,
    state: row.state,
    domain: row.domain,
    name: row.name ?? "",
  };
}
