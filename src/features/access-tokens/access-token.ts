import { hash } from "node:crypto";
import { type TokenId, toId, type UserId } from "../../base/ids.ts";
import type { Random } from "../../base/random.ts";
import { Secret } from "../../base/secret.ts";

/** What an access token stands for, in both of its forms. */
export interface AccessToken {
  /** The subject: who calls with it. */
  readonly userId: UserId;
  /** The key or secret that it was got with, whose roles it carries. */
  readonly credentialId: TokenId;
  readonly clientId: string;
  /** How often its user had been locked when it was made. It holds until they are locked again. */
  readonly lockCount: number;
  readonly scopes: readonly string[];
  /** Whom it is for: clients, projects, and our own API. */
  readonly audiences: readonly string[];
  readonly issuedMs: number;
  readonly expirationMs: number;
}

/** An access token that exists, with the hash under which its revocation is noted. */
export interface StoredAccessToken extends AccessToken {
  readonly hash: string;
}

/** Our own API, in the audience of an access token. */
export const apiAudience = "gatehouse";

const opaquePrefix = "gatehouse_at_";
const opaquePattern = /^gatehouse_at_[A-Za-z0-9_-]{43}$/;
const jwtPattern = /^eyJ[A-Za-z0-9_-]*\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/;
const jwtIdPattern = /^(?<credentialId>[1-9][0-9]{0,18})\.(?<lockCount>[0-9]{1,9})\.[A-Za-z0-9_-]{22}$/;

/** Makes an opaque access token with 256 random bits. */
export function newOpaqueToken(random: Random): Secret {
  return new Secret(`${opaquePrefix}${Buffer.from(random.bytes(32)).toString("base64url")}`);
}

/** Says by its form alone which kind of access token a text is; undefined for any other text. */
export function formOf(text: string): "opaque" | "jwt" | undefined {
  if (opaquePattern.test(text)) return "opaque";
  return jwtPattern.test(text) ? "jwt" : undefined;
}

/**
 * Makes the id of a JWT access token. Such a token is not stored, so its id says what else it rests on: the key or secret, and
 * the number of locks.
 */
export function newJwtId(token: Pick<AccessToken, "credentialId" | "lockCount">, random: Random): string {
  return `${token.credentialId}.${token.lockCount}.${Buffer.from(random.bytes(16)).toString("base64url")}`;
}

/** Reads what the id of a JWT access token says; undefined for an id that we did not make. */
export function parseJwtId(jwtId: string): Pick<AccessToken, "credentialId" | "lockCount"> | undefined {
  const { credentialId, lockCount } = jwtIdPattern.exec(jwtId)?.groups ?? {};
  if (credentialId === undefined) return undefined;
  return { credentialId: toId(credentialId), lockCount: Number(lockCount) };
}

/** Reads the claims of a JWT access token that we have signed; undefined for claims that we did not make. */
export function fromClaims(claims: Readonly<Record<string, unknown>>): StoredAccessToken | undefined {
  const { jti, sub, client_id: clientId, scope = "", aud, iat, exp } = claims;
  const own = typeof jti === "string" ? parseJwtId(jti) : undefined;
  if (own === undefined || typeof jti !== "string" || typeof sub !== "string") return undefined;
  if (typeof clientId !== "string" || typeof scope !== "string" || !Array.isArray(aud)) return undefined;
  if (typeof iat !== "number" || typeof exp !== "number") return undefined;
  return {
    ...own,
    hash: hashAccessToken(jti),
    userId: toId(sub),
    clientId,
    scopes: scope === "" ? [] : scope.split(" "),
    audiences: aud.map(String),
    issuedMs: iat * 1000,
    expirationMs: exp * 1000,
  };
}

/** Hashes an opaque token, or the id of a JWT, for storage. Plain SHA-256 is enough: both hold random bits. */
export function hashAccessToken(text: string): string {
  return hash("sha256", text, "base64url");
}

/** Says whether the token holds at that moment, as far as time and the locks of its user go. */
export function isCurrent(token: AccessToken, user: { readonly lockCount: number }, nowMs: number): boolean {
  return token.expirationMs > nowMs && token.lockCount === user.lockCount;
}
