import type { ReadTransaction, WriteTransaction } from "../../base/database.ts";
import type { TokenId, UserId } from "../../base/ids.ts";
import { insertSql } from "../../base/sql.ts";
import type { AccessToken, StoredAccessToken } from "./access-token.ts";

const columns = [
  "hash",
  "user_id",
  "credential_id",
  "client_id",
  "lock_count",
  "scope",
  "audience",
  "issued_ms",
  "expiration_ms",
];

const insertToken = insertSql("access_tokens", columns);

/** Stores an opaque access token under its hash. */
export async function putAccessToken(tx: WriteTransaction, hash: string, token: AccessToken): Promise<void> {
  await tx.run(insertToken, [
    hash,
    token.userId,
    token.credentialId,
    token.clientId,
    token.lockCount,
    token.scopes.join(" "),
    JSON.stringify(token.audiences),
    token.issuedMs,
    token.expirationMs,
  ]);
}

/** Finds an opaque access token by its hash, whether its time is over or not. */
export async function findAccessToken(
  tx: ReadTransaction,
  hash: string,
): Promise<StoredAccessToken | undefined> {
  const row = await tx.get<AccessTokenRow>(`SELECT ${columns.join(", ")} FROM access_tokens WHERE hash = ?`, [
    hash,
  ]);
  if (row === undefined) return undefined;
  return {
    hash,
    userId: row.user_id,
    credentialId: row.credential_id,
    clientId: row.client_id,
    lockCount: row.lock_count,
    scopes: row.scope === "" ? [] : row.scope.split(" "),
    audiences: JSON.parse(row.audience) as string[], // written above
    issuedMs: row.issued_ms,
    expirationMs: row.expiration_ms,
  };
}

/** Remembers that the token, opaque or a JWT, was revoked. Harmless to repeat. */
export async function revokeAccessToken(
  tx: WriteTransaction,
  { hash, expirationMs }: Pick<StoredAccessToken, "hash" | "expirationMs">,
): Promise<void> {
  await tx.run(
    "INSERT INTO revoked_access_tokens (hash, expiration_ms) VALUES (?, ?) ON CONFLICT (hash) DO NOTHING",
    [hash, expirationMs],
  );
}

/** Says whether the token was revoked. */
export async function isRevoked(tx: ReadTransaction, hash: string): Promise<boolean> {
  return (await tx.get("SELECT 1 FROM revoked_access_tokens WHERE hash = ?", [hash])) !== undefined;
}

/** Removes the opaque access tokens that were got with the credentials that the query names by `id`. */
export async function removeAccessTokensOf(
  tx: WriteTransaction,
  { sql, parameters }: { readonly sql: string; readonly parameters: readonly string[] },
): Promise<void> {
  await tx.run(`DELETE FROM access_tokens WHERE credential_id IN (${sql})`, parameters);
}

/** Deletes at most `limit` tokens, and as many notes of revoked ones, whose time is over. Returns how many of the larger kind. */
export async function deleteExpiredTokens(
  tx: WriteTransaction,
  { nowMs, limit }: { readonly nowMs: number; readonly limit: number },
): Promise<number> {
  const tokens = await tx.change(
    `DELETE FROM access_tokens WHERE hash IN
       (SELECT hash FROM access_tokens WHERE expiration_ms <= ? ORDER BY expiration_ms LIMIT ?)`,
    [nowMs, limit],
  );
  const revoked = await tx.change(
    `DELETE FROM revoked_access_tokens WHERE hash IN
       (SELECT hash FROM revoked_access_tokens WHERE expiration_ms <= ? ORDER BY expiration_ms LIMIT ?)`,
    [nowMs, limit],
  );
  return Math.max(tokens, revoked);
}

interface AccessTokenRow {
  readonly user_id: UserId;
  readonly credential_id: TokenId;
  readonly client_id: string;
  readonly lock_count: number;
  readonly scope: string;
  readonly audience: string;
  readonly issued_ms: number;
  readonly expiration_ms: number;
}
