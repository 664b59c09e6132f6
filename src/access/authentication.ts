import type { Caller } from "../base/call.ts";
import type { Clock } from "../base/clock.ts";
import type { ReadTransaction } from "../base/database.ts";
import { Problem } from "../base/problem.ts";
import { equalBytes } from "../base/secret.ts";
import { apiAudience, isCurrent } from "../features/access-tokens/access-token.ts";
import { isRevoked } from "../features/access-tokens/repository.ts";
import { findToken } from "../features/users/tokens/repository.ts";
import { hashToken, parseToken } from "../features/users/tokens/token.ts";
import type { FindAccessToken } from "./access-token-credentials.ts";
import type { FindCredentials } from "./credentials.ts";
import { listCarriedRoles } from "../features/held-roles/carried-roles-repository.ts";

/** What callers are found out with. */
export interface AuthenticationPorts {
  readonly findCredentials: FindCredentials;
  readonly findAccessToken: FindAccessToken;
  readonly clock: Clock;
}

/**
 * Finds out who calls from the value of the authorization header (RFC 6750 §2.1). Raises TOKEN_MISSING, also for another
 * scheme than Bearer. A token that is malformed, unknown, expired or removed, or whose user or organization is not active,
 * raises the same TOKEN_INVALID, so that a caller cannot tell these apart.
 */
export async function authenticate(
  setup: AuthenticationPorts,
  authorization: string | undefined,
): Promise<Caller> {
  const text = /^bearer +(\S+) *$/i.exec(authorization ?? "")?.[1];
  if (text === undefined) throw hasOtherScheme(authorization ?? "") ? tokenMissing() : tokenInvalid();
  const tokenId = parseToken(text);
  if (tokenId === undefined) return await authenticateAccessToken(setup, text);
  const credentials = await setup.findCredentials(tokenId);
  if (credentials === undefined || !equalBytes(credentials.hash, hashToken(text))) throw tokenInvalid();
  const { token, held } = credentials;
  if (!isInForce(token, setup.clock)) throw tokenInvalid();
  return {
    userId: token.userId,
    organizationId: token.organizationId,
    tokenId,
    tokenExpirationMs: token.expirationMs,
    isLimited: token.isLimited,
    held,
    accessRevision: credentials.accessRevision,
  };
}

/** Takes an access token of OAuth whose audience holds our API (RFC 9068 §4, RFC 8707 §2). Raises TOKEN_INVALID. */
async function authenticateAccessToken(
  { findAccessToken, clock }: AuthenticationPorts,
  text: string,
): Promise<Caller> {
  const credentials = await findAccessToken(text);
  if (credentials === undefined) throw tokenInvalid();
  const { accessToken, token, held, accessRevision } = credentials;
  const isForUs = accessToken.audiences.includes(apiAudience);
  if (!isForUs || !isCurrent(accessToken, token, clock.nowMs()) || !isInForce(token, clock))
    throw tokenInvalid();
  return {
    userId: token.userId,
    organizationId: token.organizationId,
    tokenId: token.tokenId,
    tokenExpirationMs: accessToken.expirationMs,
    accessToken: { hash: accessToken.hash, lockCount: accessToken.lockCount },
    isLimited: token.isLimited,
    held,
    accessRevision,
  };
}

/** Looks the caller up again. Raises TOKEN_INVALID when the token is no longer in force. */
export async function reauthenticate(tx: ReadTransaction, clock: Clock, caller: Caller): Promise<Caller> {
  const token = await findToken(tx, caller.tokenId);
  if (token === undefined || !isInForce(token, clock)) throw tokenInvalid();
  if (caller.accessToken !== undefined) {
    const { hash, lockCount } = caller.accessToken;
    if (token.lockCount !== lockCount || (await isRevoked(tx, hash))) throw tokenInvalid();
    requireUnexpired(caller, clock);
  }
  return { ...caller, isLimited: token.isLimited, held: await listCarriedRoles(tx, token) };
}

/** Raises TOKEN_INVALID when the token has expired since the caller was looked up. */
export function requireUnexpired(caller: Caller, clock: Clock): void {
  if (isExpired(caller.tokenExpirationMs, clock)) throw tokenInvalid();
}

function isExpired(expirationMs: number | undefined, clock: Clock): boolean {
  return expirationMs !== undefined && expirationMs <= clock.nowMs();
}

function isInForce(token: NonNullable<Awaited<ReturnType<typeof findToken>>>, clock: Clock): boolean {
  return (
    !isExpired(token.expirationMs, clock) &&
    token.userState === "ACTIVE" &&
    token.organizationState === "ACTIVE"
  );
}

/** An empty header names no scheme, which counts as another one than Bearer. */
function hasOtherScheme(authorization: string): boolean {
  if (authorization === "") return true;
  const scheme = /^([A-Za-z][A-Za-z0-9-]*) +\S/.exec(authorization)?.[1];
  return scheme !== undefined && scheme.toLowerCase() !== "bearer";
}

function tokenMissing(): Problem {
  return new Problem({
    kind: "unauthenticated",
    reason: "TOKEN_MISSING",
    message: "send a token in the header authorization: Bearer <token>",
  });
}

function tokenInvalid(): Problem {
  return new Problem({
    kind: "unauthenticated",
    reason: "TOKEN_INVALID",
    message: "the token is malformed, unknown, expired or removed, or its user is not active",
  });
}
