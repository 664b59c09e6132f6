import { createHash } from "node:crypto";
import { type Instant, toEpochMs } from "../../../kernel/base/clock.ts";
import { type AccessToken, toActClaim } from "../../../identity/logins/access-tokens/access-token.ts";
import { isMultiFactor, type SessionMethod } from "../../../identity/logins/sessions/session.ts";
import type { Claims } from "../../../identity/signing-keys/jwt.ts";
import type { SigningAlgorithm } from "../../../identity/signing-keys/signing-key.ts";
import { mfaReference, singleFactorReference } from "../requests/authentication-context.ts";

/** The login that an ID token tells of. */
export interface ToldLogin {
  readonly sessionId: string;
  readonly authTimeMs: number;
  readonly methods: readonly SessionMethod[];
  /** Undefined when none was sent, and for tokens that come from a refresh (OpenID Connect Core §12.2). */
  readonly nonce: string | undefined;
  /** Whether `acr` says one factor, also of a login with two, which has that one (OpenID Connect Core §5.5.1.1). */
  readonly tellsOneFactor: boolean;
}

/** Makes the claims of a JWT access token (RFC 9068 §2.2). */
export function toAccessTokenClaims(
  token: AccessToken,
  {
    issuer,
    subject,
    jwtId,
    told,
  }: {
    readonly issuer: string;
    readonly subject: string;
    readonly jwtId: string;
    readonly told: Claims;
  },
): Claims {
  const issued = toSeconds(token.issuedMs);
  return {
    iss: issuer,
    sub: subject,
    aud: token.audiences,
    exp: toSeconds(token.expirationMs),
    iat: issued,
    nbf: issued,
    jti: jwtId,
    client_id: token.clientId,
    ...toScopeClaim(token.scopes), // RFC 9068 §2.2.3
    ...toConfirmationClaim(token),
    ...(token.act === undefined ? {} : { act: toActClaim(token.act) }),
    ...told,
  };
}

/** Makes the claims of an ID token (OpenID Connect Core §2). It is for the client alone. */
export function toIdTokenClaims(
  token: AccessToken,
  how: {
    readonly issuer: string;
    readonly subject: string;
    readonly accessToken: string;
    readonly algorithm: SigningAlgorithm;
    readonly lifetimeSeconds: number;
    readonly told: Claims;
    /** When the first role in it ends; undefined: never. */
    readonly endDate: Instant | undefined;
    /** Undefined for a service user, which does not log in. */
    readonly login: ToldLogin | undefined;
  },
): Claims {
  const issued = toSeconds(token.issuedMs);
  const end = how.endDate === undefined ? Infinity : toSeconds(toEpochMs(how.endDate));
  return {
    iss: how.issuer,
    sub: how.subject,
    aud: token.clientId,
    exp: Math.min(issued + how.lifetimeSeconds, end),
    iat: issued,
    at_hash: toAccessTokenHash(how.accessToken, how.algorithm),
    ...(how.login === undefined ? {} : toLoginClaims(how.login, token.clientId)),
    ...how.told,
  };
}

/** The claim `scope`: nothing when there is none, because the grammar has no empty list (RFC 6749 §3.3). */
export function toScopeClaim(scopes: readonly string[]): { readonly scope?: string } {
  return scopes.length === 0 ? {} : { scope: scopes.join(" ") };
}

/** The claim `cnf` of a token that is bound to a key (RFC 9449 §6.1). */
export function toConfirmationClaim({ jkt }: Pick<AccessToken, "jkt">): Claims {
  return jkt === undefined ? {} : { cnf: { jkt } };
}

/** Names the type of an access token (RFC 9449 §5), which says how it is sent. */
export function toTokenType({ jkt }: Pick<AccessToken, "jkt">): "Bearer" | "DPoP" {
  return jkt === undefined ? "Bearer" : "DPoP";
}

/** How each method is called in `amr` (RFC 8176 §2). */
const methodReferences: Readonly<Record<SessionMethod, readonly string[]>> = {
  PASSWORD: ["pwd"],
  U2F: ["hwk", "user"],
  PASSKEY: ["hwk", "user"],
  TOTP: ["otp"],
  RECOVERY_CODE: ["otp"],
  IDP: ["fed"],
  EMAIL_CODE: ["otp"],
  SMS_CODE: ["sms"],
};

/** Makes the claims of a login. */
export function toLoginClaims(login: ToldLogin, clientId: string): Claims {
  const isMfa = isMultiFactor(login.methods);
  const references = login.methods.flatMap((method) => methodReferences[method]);
  return {
    auth_time: toSeconds(login.authTimeMs),
    amr: [...new Set([...references, ...(isMfa ? ["mfa"] : [])])],
    acr: isMfa && !login.tellsOneFactor ? mfaReference : singleFactorReference,
    azp: clientId,
    sid: login.sessionId,
    ...(login.nonce === undefined ? {} : { nonce: login.nonce }),
  };
}

/** OpenID Connect Core §3.1.3.6: the left half of the hash that the signature uses; Ed25519 uses SHA-512. */
function toAccessTokenHash(accessToken: string, algorithm: SigningAlgorithm): string {
  const digest = createHash(algorithm === "EDDSA" ? "sha512" : "sha256")
    .update(accessToken, "ascii")
    .digest();
  return digest.subarray(0, digest.length / 2).toString("base64url");
}

/** Converts an instant to the seconds that claims hold (RFC 7519 §2). */
export function toSeconds(ms: number): number {
  return Math.floor(ms / 1000);
}
