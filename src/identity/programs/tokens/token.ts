import { hash } from "node:crypto";
import { crc32 } from "node:zlib";
import { type TokenId, toId } from "../../../kernel/base/ids.ts";
import {
  type FieldViolation,
  fieldInvalid,
  fieldsInvalid,
  notFound,
  Problem,
} from "../../../kernel/base/problem.ts";
import type { Random } from "../../../kernel/base/random.ts";
import { Secret } from "../../../kernel/base/secret.ts";
import type { NewEvent } from "../../../kernel/events/event.ts";
import { type LoginOrigin, toLoginOriginPayload } from "../../logins/login-origins/login-origin.ts";

/** A token that was just made. Its hash goes under `secretId` in the write that records the event. */
export interface NewToken {
  readonly event: NewEvent;
  /** The token itself, which the caller sees once. */
  readonly token: Secret;
  readonly secretId: string;
  readonly hash: Uint8Array;
}

/** Maximum number of unexpired tokens of a user. It stops programs that never remove theirs. */
export const maxTokens = 10_000;

const prefix = "gatehouse_pat_";
const secretBytes = 32;
const checksumLength = 6;
const pattern = /^gatehouse_pat_([1-9][0-9]{0,18})_[A-Za-z0-9_-]{43}[0-9A-Za-z]{6}$/;
const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** Decides to make a token. `expirationMs` absent = never expires. */
export function addToken(input: {
  readonly id: TokenId;
  readonly userId: string;
  readonly organizationId: string;
  readonly random: Random;
  readonly expirationMs?: number | undefined;
  /** The token of the call. */
  readonly madeWithTokenId?: TokenId | undefined;
  /** Undefined: the user, or a token. */
  readonly loginOrigin?: LoginOrigin | undefined;
}): NewToken {
  const { id, expirationMs, madeWithTokenId, loginOrigin } = input;
  const body = `${prefix}${id}_${Buffer.from(input.random.bytes(secretBytes)).toString("base64url")}`;
  const text = `${body}${checksum(body)}`;
  return {
    event: {
      type: "user.token.added",
      aggregateId: input.userId,
      resourceOwner: input.organizationId,
      payload: {
        token_id: id,
        ...(expirationMs === undefined ? {} : { expiration_date: new Date(expirationMs).toISOString() }),
        ...(madeWithTokenId === undefined ? {} : { made_with_token_id: madeWithTokenId }),
        ...toLoginOriginPayload(loginOrigin),
      },
    },
    token: new Secret(text),
    secretId: tokenSecretId(id),
    hash: hashToken(text),
  };
}

/** Decides to remove a token, and with it the tokens that its user made with it for themselves. */
export function removeToken(token: {
  readonly tokenId: TokenId;
  readonly userId: string;
  readonly organizationId: string;
}): NewEvent {
  return {
    type: "user.token.removed",
    aggregateId: token.userId,
    resourceOwner: token.organizationId,
    payload: { token_id: token.tokenId },
  };
}

/** Returns the id in a token; undefined for a text that is not a token or was mistyped. Looks nothing up. */
export function parseToken(text: string): TokenId | undefined {
  const id = pattern.exec(text)?.[1];
  if (id === undefined || checksum(text.slice(0, -checksumLength)) !== text.slice(-checksumLength)) {
    return undefined;
  }
  return toId(id);
}

/** Hashes a token for storage by plain SHA-256, which is enough because the token holds 256 random bits. */
export function hashToken(text: string): Uint8Array {
  return Buffer.from(hash("sha256", text, "base64"), "base64"); // twice as fast as a digest in bytes
}

/** Returns the id of the secret that holds the hash of a token. */
export function tokenSecretId(id: string): string {
  return `token:${id}`;
}

/** Returns the id of the secret that holds the hash of the client secret of a service user. */
export function clientSecretHashId(id: string): string {
  return `user-secret:${id}`;
}

/** Returns a violation for an expiration that is not in the future; none when it is absent. */
export function checkExpiration(expirationMs: number | undefined, nowMs: number): readonly FieldViolation[] {
  if (expirationMs === undefined || expirationMs > nowMs) return [];
  return [{ field: "expiration_date", description: "must be in the future" }];
}

/** Raises FIELD_INVALID for an expiration that is not in the future. */
export function requireFuture(expirationMs: number | undefined, nowMs: number): void {
  const violations = checkExpiration(expirationMs, nowMs);
  if (violations.length > 0) throw fieldsInvalid(violations);
}

/**
 * Decides when a token expires that users make for themselves with a token that expires at `ownMs`: not later than that
 * one. Raises FIELD_INVALID for a later date; without a date it is the same.
 */
export function limitExpiration(askedMs: number | undefined, ownMs: number | undefined): number | undefined {
  if (askedMs === undefined || ownMs === undefined) return askedMs ?? ownMs;
  if (askedMs > ownMs) {
    throw fieldInvalid(
      "expiration_date",
      "must not be later than the expiration date of the token of the call",
    );
  }
  return askedMs;
}

/** Returns the problem of a token that does not exist or belongs to another user. */
export function tokenNotFound(id: string): Problem {
  return notFound("personal_access_token", id);
}

/** Returns the problem of a call whose own token was removed while it ran. */
export function callerTokenRemoved(): Problem {
  return new Problem({
    kind: "unauthenticated",
    reason: "TOKEN_INVALID",
    message: "the token of the call was removed",
  });
}

/** Returns the CRC-32 in base62 (digits, upper case, lower case), six characters. */
function checksum(text: string): string {
  let rest = crc32(text);
  let encoded = "";
  while (encoded.length < checksumLength) {
    encoded = base62.charAt(rest % base62.length) + encoded;
    rest = Math.floor(rest / base62.length);
  }
  return encoded;
}
