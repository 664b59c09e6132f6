import type { ReadTransaction, WriteTransaction } from "../../../kernel/base/database.ts";
import type { AuthorizationId, OrganizationId, UserId } from "../../../kernel/base/ids.ts";
import { insertSql } from "../../../kernel/base/sql.ts";
import type { CodeTerms } from "./code.ts";

/** A code that was issued, under its hash. */
export interface StoredCode extends CodeTerms {
  readonly hash: string;
  readonly authorizationId: AuthorizationId;
  /** The thumbprint of the key that the client named when it asked for the code (RFC 9449 §10); undefined: none. */
  readonly jkt: string | undefined;
  /** What hooks have answered about its tokens, encrypted under the code; undefined: they were not asked. */
  readonly sealedAnswers: string | undefined;
  /** When it was redeemed; undefined = never. */
  readonly usedMs: number | undefined;
  readonly expirationMs: number;
}

/** A refresh token that was given, under its hash. */
export interface StoredRefreshToken {
  readonly hash: string;
  readonly authorizationId: AuthorizationId;
  /** The thumbprint of the key that it is bound to (RFC 9449 §5); undefined: to none. */
  readonly jkt: string | undefined;
  /** When its successor was given; undefined = never. */
  readonly usedMs: number | undefined;
  /** The key that made the successor; undefined as long as there is none. */
  readonly successorKeyId: string | undefined;
  /** When it ends if it is not used. */
  readonly idleExpirationMs: number;
  /** When it ends, and all its successors with it. */
  readonly expirationMs: number;
}

const insertCode = insertSql("authorization_codes", [
  "hash",
  "authorization_id",
  "redirect_uri",
  "code_challenge",
  "jkt",
  "hook_answers",
  "expiration_ms",
]);

const insertRefreshToken = insertSql("refresh_tokens", [
  "hash",
  "authorization_id",
  "jkt",
  "idle_expiration_ms",
  "expiration_ms",
]);

/** Stores a code. */
export async function putAuthorizationCode(
  tx: WriteTransaction,
  code: Omit<StoredCode, "usedMs">,
): Promise<void> {
  const { hash, authorizationId, redirectUri, codeChallenge, jkt, expirationMs } = code;
  const terms = [redirectUri, codeChallenge ?? null, jkt ?? null, code.sealedAnswers ?? null];
  await tx.run(insertCode, [hash, authorizationId, ...terms, expirationMs]);
}

/** Finds a code by its hash, whether it was used, or its time is over, or not. */
export async function findAuthorizationCode(
  tx: ReadTransaction,
  hash: string,
): Promise<StoredCode | undefined> {
  const row = await tx.get<CodeRow>(
    `SELECT authorization_id, redirect_uri, code_challenge, jkt, hook_answers, used_ms, expiration_ms
     FROM authorization_codes WHERE hash = ?`,
    [hash],
  );
  return (
    row && {
      hash,
      authorizationId: row.authorization_id,
      redirectUri: row.redirect_uri,
      codeChallenge: row.code_challenge ?? undefined,
      jkt: row.jkt ?? undefined,
      sealedAnswers: row.hook_answers ?? undefined,
      usedMs: row.used_ms ?? undefined,
      expirationMs: row.expiration_ms,
    }
  );
}

/**
 * Uses a code. Returns whether this was its first use. It is kept for as long as what it gives may live, so that a second use can
 * end that.
 */
export async function useCode(
  tx: WriteTransaction,
  hash: string,
  { nowMs, keptUntilMs }: { readonly nowMs: number; readonly keptUntilMs: number },
): Promise<boolean> {
  const used = await tx.change(
    "UPDATE authorization_codes SET used_ms = ?, expiration_ms = ? WHERE hash = ? AND used_ms IS NULL",
    [nowMs, keptUntilMs, hash],
  );
  return used === 1;
}

/** Stores a refresh token. */
export async function putRefreshToken(
  tx: WriteTransaction,
  token: Omit<StoredRefreshToken, "usedMs" | "successorKeyId">,
): Promise<void> {
  const { hash, authorizationId, jkt, idleExpirationMs, expirationMs } = token;
  await tx.run(insertRefreshToken, [hash, authorizationId, jkt ?? null, idleExpirationMs, expirationMs]);
}

/** Finds a refresh token by its hash, whether it was used, or its time is over, or not. */
export async function findRefreshToken(
  tx: ReadTransaction,
  hash: string,
): Promise<StoredRefreshToken | undefined> {
  const row = await tx.get<RefreshTokenRow>(
    `SELECT authorization_id, jkt, used_ms, successor_key_id, idle_expiration_ms, expiration_ms
     FROM refresh_tokens WHERE hash = ?`,
    [hash],
  );
  return (
    row && {
      hash,
      authorizationId: row.authorization_id,
      jkt: row.jkt ?? undefined,
      usedMs: row.used_ms ?? undefined,
      successorKeyId: row.successor_key_id ?? undefined,
      idleExpirationMs: row.idle_expiration_ms,
      expirationMs: row.expiration_ms,
    }
  );
}

/** Uses a refresh token. Returns whether this was its first use. */
export async function useRefreshToken(
  tx: WriteTransaction,
  hash: string,
  { nowMs, successorKeyId }: { readonly nowMs: number; readonly successorKeyId: string },
): Promise<boolean> {
  const used = await tx.change(
    "UPDATE refresh_tokens SET used_ms = ?, successor_key_id = ? WHERE hash = ? AND used_ms IS NULL",
    [nowMs, successorKeyId, hash],
  );
  return used === 1;
}

/** Lets a refresh token end for want of use at another instant. Returns whether it is unused. */
export async function prolongRefreshToken(
  tx: WriteTransaction,
  hash: string,
  idleExpirationMs: number,
): Promise<boolean> {
  const prolonged = await tx.change(
    "UPDATE refresh_tokens SET idle_expiration_ms = ? WHERE hash = ? AND used_ms IS NULL",
    [idleExpirationMs, hash],
  );
  return prolonged === 1;
}

/** A user who may sign in. */
export interface ActiveUser {
  readonly userId: UserId;
  readonly organizationId: OrganizationId;
  /** How often the user was locked. */
  readonly lockCount: number;
}

/** Finds a user; undefined unless the user and their organization are ACTIVE. */
export async function findActiveUser(tx: ReadTransaction, userId: string): Promise<ActiveUser | undefined> {
  return await tx.get<ActiveUser>(
    `SELECT u.id AS "userId", u.resource_owner AS "organizationId", u.lock_count AS "lockCount"
     FROM users u JOIN organizations o ON o.id = u.resource_owner
     WHERE u.id = ? AND u.state = 'ACTIVE' AND o.state = 'ACTIVE'`,
    [userId],
  );
}

/** Deletes at most `limit` codes, and as many refresh tokens, whose time is over. Returns how many of the larger kind. */
export async function deleteExpiredCodes(
  tx: WriteTransaction,
  { nowMs, limit }: { readonly nowMs: number; readonly limit: number },
): Promise<number> {
  const codes = await tx.change(
    `DELETE FROM authorization_codes WHERE hash IN
       (SELECT hash FROM authorization_codes WHERE expiration_ms <= ? ORDER BY expiration_ms LIMIT ?)`,
    [nowMs, limit],
  );
  const tokens = await tx.change(
    `DELETE FROM refresh_tokens WHERE hash IN
       (SELECT hash FROM refresh_tokens WHERE expiration_ms <= ? ORDER BY expiration_ms LIMIT ?)`,
    [nowMs, limit],
  );
  return Math.max(codes, tokens);
}

interface CodeRow {
  readonly authorization_id: AuthorizationId;
  readonly redirect_uri: string;
  readonly code_challenge: string | null;
  readonly jkt: string | null;
  readonly hook_answers: string | null;
  readonly used_ms: number | null;
  readonly expiration_ms: number;
}

interface RefreshTokenRow {
  readonly authorization_id: AuthorizationId;
  readonly jkt: string | null;
  readonly used_ms: number | null;
  readonly successor_key_id: string | null;
  readonly idle_expiration_ms: number;
  readonly expiration_ms: number;
}
