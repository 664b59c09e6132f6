import { hash } from "node:crypto";
import type { AccessTokenBasis } from "../../../kernel/base/access-token-basis.ts";
import type { TokenExchange } from "../../../kernel/base/call.ts";
import { toId, type UserId } from "../../../kernel/base/ids.ts";
import type { Random } from "../../../kernel/base/random.ts";
import { Secret } from "../../../kernel/base/secret.ts";

/** What an access token stands for, in both of its forms. */
export interface AccessToken {
  /** The subject: the caller. */
  readonly userId: UserId;
  readonly basis: AccessTokenBasis;
  readonly clientId: string;
  /** The exchanges that it came from, the first one first: it ends with each token and each client in them. */
  readonly exchanges: readonly TokenExchange[];
  /** The actor for the subject; undefined: nobody but the client. */
  readonly act: Actor | undefined;
  /** How often its user had been locked when it was made. It holds until they are locked again. */
  readonly lockCount: number;
  readonly scopes: readonly string[];
  /** Its audience: clients, projects, and our own API. */
  readonly audiences: readonly string[];
  /** The thumbprint of the key that it is bound to (RFC 9449 §6.1); undefined: anybody with the token may use it. */
  readonly jkt: string | undefined;
  readonly issuedMs: number;
  readonly expirationMs: number;
}

/** An actor for the subject of a token (RFC 8693 §4.1). */
export interface Actor {
  readonly userId: UserId;
  /** The client of the token by which they proved their identity. */
  readonly clientId: string;
  /** The actor before this one; undefined: there was none. */
  readonly act: Actor | undefined;
}

/** An access token that exists, with the hash under which its revocation is noted. */
export interface StoredAccessToken extends AccessToken {
  readonly hash: string;
}

type RestsOn = Pick<AccessToken, "basis" | "lockCount" | "exchanges">;

/** Our own API, in the audience of an access token. */
export const apiAudience = "gatehouse";

/** So often a token can be exchanged for one that is exchanged again. Nor are more actors nested in a token. */
export const maxExchanges = 10;

const opaquePrefix = "gatehouse_at_";
const opaquePattern = /^gatehouse_at_[A-Za-z0-9_-]{43}$/;
const jwtPattern = /^eyJ[A-Za-z0-9_-]*\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/;
const jwtIdPattern =
  /^(?:(?<credentialId>[1-9][0-9]{0,18})|a(?<authorizationId>[1-9][0-9]{0,18})-(?<generation>[0-9]{1,9}))\.(?<lockCount>[0-9]{1,9})\.[A-Za-z0-9_-]{22}(?<exchanges>(?:~[1-9][0-9]{0,18}-[A-Za-z0-9_-]{43}){0,10})$/;

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
 * Makes the id of a JWT access token. Such a token is not stored, so its id says what else it rests on: the key, secret or
 * authorization, the number of locks, and the exchanges with client and token of each. For example `123.0.…`, or
 * `a456-0.0.…~789-…`.
 */
export function newJwtId({ basis, lockCount, exchanges }: RestsOn, random: Random): string {
  const name =
    basis.kind === "credential" ? basis.credentialId : `a${basis.authorizationId}-${basis.generation}`;
  const came = exchanges.map(({ clientId, subjectHash }) => `~${clientId}-${subjectHash}`).join("");
  return `${name}.${lockCount}.${Buffer.from(random.bytes(16)).toString("base64url")}${came}`;
}

/** Reads what the id of a JWT access token says; undefined for an id that we did not make. */
export function parseJwtId(jwtId: string): RestsOn | undefined {
  const {
    credentialId,
    authorizationId,
    generation,
    lockCount,
    exchanges = "",
  } = jwtIdPattern.exec(jwtId)?.groups ?? {};
  if (lockCount === undefined) return undefined;
  const basis: AccessTokenBasis =
    authorizationId === undefined
      ? { kind: "credential", credentialId: toId(credentialId ?? "") }
      : {
          kind: "authorization",
          authorizationId: toId(authorizationId),
          generation: Number(generation),
        };
  return { basis, lockCount: Number(lockCount), exchanges: parseExchanges(exchanges) };
}

/** Reads the claims of a JWT access token that we have signed; undefined for claims that we did not make. */
export function fromClaims(claims: Readonly<Record<string, unknown>>): StoredAccessToken | undefined {
  const { jti, sub, client_id: clientId, scope = "", aud, cnf, iat, exp } = claims;
  const own = typeof jti === "string" ? parseJwtId(jti) : undefined;
  if (own === undefined || typeof jti !== "string" || typeof sub !== "string") return undefined;
  if (typeof clientId !== "string" || typeof scope !== "string" || !Array.isArray(aud)) return undefined;
  if (typeof iat !== "number" || typeof exp !== "number") return undefined;
  return {
    ...own,
    hash: hashAccessToken(jti),
    userId: toId(sub),
    clientId,
    act: parseActor(claims["act"]),
    scopes: scope === "" ? [] : scope.split(" "),
    audiences: aud.map(String),
    jkt: (cnf as { readonly jkt: string } | undefined)?.jkt, // we signed it
    issuedMs: iat * 1000,
    expirationMs: exp * 1000,
  };
}

/** Converts an actor to the claim `act`. The client is named only if it is not the actor (RFC 8693 §4.1). */
export function toActClaim({ userId, clientId, act }: Actor): object {
  return {
    sub: userId,
    ...(clientId === userId ? {} : { client_id: clientId }),
    ...(act === undefined ? {} : { act: toActClaim(act) }),
  };
}

/** Hashes an opaque token, or the id of a JWT, for storage. Plain SHA-256 is enough: both hold random bits. */
export function hashAccessToken(text: string): string {
  return hash("sha256", text, "base64url");
}

function parseExchanges(text: string): readonly TokenExchange[] {
  return text
    .split("~")
    .slice(1)
    .map((exchange) => {
      const hyphen = exchange.indexOf("-");
      return { clientId: exchange.slice(0, hyphen), subjectHash: exchange.slice(hyphen + 1) };
    });
}

/** Reads a claim that `toActClaim` has made. */
function parseActor(claim: unknown): Actor | undefined {
  if (typeof claim !== "object" || claim === null) return undefined;
  const { sub, client_id: clientId = sub, act } = claim as Readonly<Record<string, unknown>>;
  return { userId: toId(String(sub)), clientId: String(clientId), act: parseActor(act) };
}
