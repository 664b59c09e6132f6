import type { Editor } from "../../../kernel/base/call.ts";
import type { ReadTransaction, WriteTransaction } from "../../../kernel/base/database.ts";
import type { TokenId, UserId } from "../../../kernel/base/ids.ts";
import type { Appliers } from "../../../kernel/events/event.ts";
import { findSecret, putSecret, removeSecret, removeSecretsOf } from "../../../kernel/events/secret-store.ts";
import { importedCostOf } from "./hash-cost.ts";
import { type PasswordOrigin, passwordSecretId } from "./password.ts";

/** Appliers of the password columns in the table of users; part of the projection of users. */
export const passwordAppliers: Appliers = {
  "user.password.set": async (tx, { aggregateId, date, payload }) => {
    await tx.run(
      `UPDATE stored_users SET password_date = ?, is_password_change_required = ?, password_creator = ?,
         password_made_with_token_id = ?, password_code_email = CASE WHEN ? = 1 THEN lower(email) END, sequence = ?
       WHERE id = ?`,
      [
        date,
        Number(payload.change_required),
        payload.by,
        payload.made_with_token_id ?? null,
        Number(payload.code_to !== undefined),
        date,
        aggregateId,
      ],
    );
  },
  "user.password.removed": async (tx, { aggregateId, date }) => {
    await tx.run(
      `UPDATE stored_users SET password_date = NULL, is_password_change_required = 0, password_creator = NULL,
         password_made_with_token_id = NULL, password_code_email = NULL, sequence = ? WHERE id = ?`,
      [date, aggregateId],
    );
  },
  "user.password.reset.requested": async (tx, { aggregateId, date }) => {
    await tx.run("UPDATE stored_users SET sequence = ? WHERE id = ?", [date, aggregateId]);
  },
};

const forgetCost = "DELETE FROM imported_hashes WHERE user_id = ?";

// The hash is among the secrets, because the log must not hold it.

/** Returns the hash of the user's password, or undefined. */
export async function findPasswordHash(tx: ReadTransaction, userId: UserId): Promise<string | undefined> {
  const secret = await findSecret(tx, passwordSecretId(userId));
  return secret && Buffer.from(secret.value).toString("utf8");
}

/** Lists the headers of the dearest stored hashes from elsewhere, one of each kind. */
export async function listDearestHeaders(tx: ReadTransaction): Promise<readonly string[]> {
  // From one kind to the next on the index, which holds any number of hashes of each.
  const rows = await tx.all<{ header: string }>(
    `WITH RECURSIVE kinds (kind) AS (
       SELECT (SELECT min(kind) FROM imported_hashes)
       UNION ALL
       SELECT (SELECT min(kind) FROM imported_hashes WHERE kind > kinds.kind) FROM kinds WHERE kinds.kind IS NOT NULL
     )
     SELECT (
       SELECT header FROM imported_hashes WHERE kind = kinds.kind ORDER BY kind DESC, work DESC LIMIT 1
     ) AS header FROM kinds WHERE kind IS NOT NULL ORDER BY kind`,
  );
  return rows.map(({ header }) => header);
}

/** Stores the hash, replacing the previous one. */
export async function putPasswordHash(tx: WriteTransaction, userId: UserId, encoded: string): Promise<void> {
  await tx.run(forgetCost, [userId]);
  const cost = importedCostOf(encoded);
  if (cost !== undefined)
    await tx.run("INSERT INTO imported_hashes (user_id, kind, work, header) VALUES (?, ?, ?, ?)", [
      userId,
      cost.kind,
      cost.work,
      cost.header,
    ]);
  await putSecret(tx, passwordSecretId(userId), {
    keyId: "",
    value: new Uint8Array(Buffer.from(encoded, "utf8")),
  });
}

/** Destroys the hash; does nothing when there is none. */
export async function removePasswordHash(tx: WriteTransaction, userId: UserId): Promise<void> {
  await tx.run(forgetCost, [userId]);
  await removeSecret(tx, passwordSecretId(userId));
}

/** Destroys the hashes of removed users, which the query names by `id`. */
export async function removePasswordHashesOf(
  tx: WriteTransaction,
  users: { readonly sql: string; readonly parameters: readonly string[] },
): Promise<void> {
  await tx.run(`DELETE FROM imported_hashes WHERE user_id IN (SELECT id FROM (${users.sql}) AS named)`, [
    ...users.parameters,
  ]);
  await removeSecretsOf(tx, passwordSecretId(""), users);
}

/** What is known of the password of a user besides its hash. */
export interface PasswordState {
  readonly hasPassword: boolean;
  readonly isChangeRequired: boolean;
  /** When it was set, in microseconds since 1970; undefined without one. */
  readonly changeDate: number | undefined;
}

/** Returns the state of the password of a user; the state of none for a user who does not exist. */
export async function readPasswordState(tx: ReadTransaction, userId: UserId): Promise<PasswordState> {
  const row = await tx.get<{ password_date: number | null; is_password_change_required: number }>(
    "SELECT password_date, is_password_change_required FROM users WHERE id = ?",
    [userId],
  );
  const changeDate = row?.password_date ?? undefined;
  return {
    hasPassword: changeDate !== undefined,
    isChangeRequired: row?.is_password_change_required === 1,
    changeDate,
  };
}

/** A password, and where the token of the call that set it comes from. */
export interface PasswordLineage extends PasswordOrigin {
  readonly userId: UserId;
  readonly organizationId: string;
  /** The user of that token; undefined when there is none, or it is gone. */
  readonly parentUserId: UserId | undefined;
}

/** Returns where the password of the user comes from; undefined for a user without one. */
export async function findPasswordLineage(
  tx: ReadTransaction,
  userId: UserId,
): Promise<PasswordLineage | undefined> {
  const row = await tx.get<LineageRow>(
    `SELECT u.resource_owner, u.password_creator, u.password_made_with_token_id, u.password_code_email, p.user_id AS parent_user_id
     FROM users u LEFT JOIN credentials p ON p.id = u.password_made_with_token_id
     WHERE u.id = ? AND u.password_date IS NOT NULL`,
    [userId],
  );
  if (row === undefined) return undefined;
  return {
    userId,
    organizationId: row.resource_owner,
    creator: row.password_creator,
    isByMail: row.password_code_email !== null,
    madeWithTokenId: row.password_made_with_token_id ?? undefined,
    parentUserId: row.parent_user_id ?? undefined,
  };
}

interface LineageRow {
  readonly resource_owner: string;
  readonly password_creator: Editor;
  readonly password_code_email: string | null;
  readonly password_made_with_token_id: TokenId | null;
  readonly parent_user_id: UserId | null;
}
