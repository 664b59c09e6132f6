import type { AccessTokenBasis } from "../../../kernel/base/access-token-basis.ts";
import type { TokenExchange } from "../../../kernel/base/call.ts";
import {
  type ReadTransaction,
  type SqlValue,
  toInList,
  type WriteTransaction,
} from "../../../kernel/base/database.ts";
import type { AuthorizationId, TokenId, UserId } from "../../../kernel/base/ids.ts";
import { insertSql } from "../../../kernel/base/sql.ts";
import type { Projection } from "../../../kernel/events/event.ts";
import type { AccessToken, Actor, StoredAccessToken } from "./access-token.ts";

const columns = [
  "hash",
  "user_id",
  "credential_id",
  "authorization_id",
  "generation",
  "client_id",
  "exchanges",
  "act",
  "lock_count",
  "scope",
  "audience",
  "jkt",
  "issued_ms",
  "expiration_ms",
];

const insertToken = insertSql("access_tokens", columns);
const selectOne = `SELECT ${columns.join(", ")} FROM access_tokens WHERE hash = ?`;

/**
 * What events do to exchanged tokens, which are kept beside the log. All other tokens go with the login or the credential that they
 * rest on.
 */
export const exchangedTokenProjection: Projection = {
  tables: [],
  on: {
    "application.removed": (tx, { aggregateId }) => removeExchangedTokens(tx, "= ?", aggregateId),
    "project.removed": (tx, { aggregateId }) =>
      removeExchangedTokens(tx, "IN (SELECT id FROM stored_applications WHERE project_id = ?)", aggregateId),
  },
};

/** Stores an opaque access token under its hash. */
export async function putAccessToken(tx: WriteTransaction, hash: string, token: AccessToken): Promise<void> {
  await tx.run(insertToken, [
    hash,
    token.userId,
    ...toBasisColumns(token.basis),
    token.clientId,
    token.exchanges.length === 0 ? null : JSON.stringify(token.exchanges),
    token.act === undefined ? null : JSON.stringify(token.act),
    token.lockCount,
    token.scopes.join(" "),
    JSON.stringify(token.audiences),
    token.jkt ?? null,
    token.issuedMs,
    token.expirationMs,
  ]);
}

/** Finds an opaque access token by its hash, whether its time is over or not. */
export async function findAccessToken(
  tx: ReadTransaction,
  hash: string,
): Promise<StoredAccessToken | undefined> {
  const row = await tx.get<AccessTokenRow>(selectOne, [hash]);
  if (row === undefined) return undefined;
  return {
    hash,
    userId: row.user_id,
    basis: toBasis(row),
    clientId: row.client_id,
    // Both written above.
    exchanges: row.exchanges === null ? [] : (JSON.parse(row.exchanges) as readonly TokenExchange[]),
    act: row.act === null ? undefined : toActor(JSON.parse(row.act) as Actor),
    lockCount: row.lock_count,
    scopes: row.scope === "" ? [] : row.scope.split(" "),
    audiences: JSON.parse(row.audience) as string[], // written above
    jkt: row.jkt ?? undefined,
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

/** Says whether one of these tokens was revoked. */
export async function isAnyRevoked(tx: ReadTransaction, hashes: readonly string[]): Promise<boolean> {
  const { sql, parameters } = toInList(hashes);
  return (await tx.get(`SELECT 1 FROM revoked_access_tokens WHERE hash IN ${sql}`, parameters)) !== undefined;
}

/** How many rows go before other work gets a turn. */
const portion = 500;

async function removeExchangedTokens(tx: WriteTransaction, condition: string, id: string): Promise<void> {
  const sql = `DELETE FROM access_tokens WHERE hash IN (SELECT hash FROM access_tokens
    WHERE exchanges IS NOT NULL AND client_id ${condition} LIMIT ${portion})`;
  while ((await tx.change(sql, [id])) === portion) await tx.pause();
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
  /** Empty where there is an authorization. */
  readonly credential_id: TokenId;
  readonly authorization_id: AuthorizationId | null;
  readonly generation: number;
  readonly client_id: string;
  readonly exchanges: string | null;
  readonly act: string | null;
  readonly lock_count: number;
  readonly scope: string;
  readonly audience: string;
  readonly jkt: string | null;
  readonly issued_ms: number;
  readonly expiration_ms: number;
}

function toBasisColumns(basis: AccessTokenBasis): readonly SqlValue[] {
  return basis.kind === "credential"
    ? [basis.credentialId, null, 0]
    : ["", basis.authorizationId, basis.generation];
}

function toBasis(row: AccessTokenRow): AccessTokenBasis {
  const { credential_id: credentialId, authorization_id: authorizationId, generation } = row;
  return authorizationId === null
    ? { kind: "credential", credentialId }
    : { kind: "authorization", authorizationId, generation };
}

/** JSON leaves out what is undefined. */
function toActor({ userId, clientId, act }: Actor): Actor {
  return { userId, clientId, act: act && toActor(act) };
}
