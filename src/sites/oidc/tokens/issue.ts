import type { Logger } from "pino";
import type { WriteTransaction } from "../../../kernel/base/database.ts";
import { earliest, type Instant, toEpochMs } from "../../../kernel/base/clock.ts";
import type { Random } from "../../../kernel/base/random.ts";
import type { Secret } from "../../../kernel/base/secret.ts";
import {
  type AccessToken,
  hashAccessToken,
  newJwtId,
  newOpaqueToken,
} from "../../../identity/logins/access-tokens/access-token.ts";
import type { KnownReach } from "./known-reach.ts";
import { putAccessToken } from "../../../identity/logins/access-tokens/repository.ts";
import { type LeftOutMappings, noteLeftOut } from "../../../identity/claim-mappings/left-out.ts";
import type { Hooks } from "../../../identity/hooks/calls/hooks.ts";
import type { FeatureContext } from "../../../identity/context.ts";
import type { Claims, OwnTokens } from "../../../identity/signing-keys/jwt.ts";
import type { SigningAlgorithm } from "../../../identity/signing-keys/signing-key.ts";
import type { AccessTokenType } from "../../../identity/people/user/user.ts";
import type { ClientPorts } from "../clients/authentication.ts";
import { type ToldLogin, toAccessTokenClaims, toIdTokenClaims, toScopeClaim, toTokenType } from "./claims.ts";

import type { ReadClaims } from "./read-told-claims.ts";

/** What tokens are made with. */
export interface IssuePorts extends ClientPorts {
  readonly context: FeatureContext;
  readonly hooks: Hooks;
  readonly ownTokens: OwnTokens;
  readonly logger: Logger;
  /** For writes only. */
  readonly knownReach: KnownReach;
  readonly accessTokenSeconds: number;
}

/** The answer of the token endpoint (RFC 6749 §5.1). */
export interface TokenAnswer {
  readonly access_token: string;
  /** Only after an exchange (RFC 8693 §2.2.1). */
  readonly issued_token_type?: string;
  readonly token_type: "Bearer" | "DPoP";
  readonly expires_in: number;
  /** Absent when nothing was granted: the grammar has no empty list. */
  readonly scope?: string;
  readonly id_token?: string;
  readonly refresh_token?: string;
}

/** What a write has decided to give. Nothing is signed before that is durable. */
export interface GivenTokens {
  readonly token: AccessToken;
  /** What names its user to the client. */
  readonly subject: string;
  /** The access token itself; undefined: it is a JWT. */
  readonly opaque: Secret | undefined;
  readonly jwtId: string;
  /** What a JWT access token tells of the user. */
  readonly told: Claims;
  /** Claims for which there was no room in it. */
  readonly leftOut?: LeftOutMappings | undefined;
  /** Undefined: no ID token is given. */
  readonly idToken: (ReadClaims & { readonly login: ToldLogin | undefined }) | undefined;
  readonly refreshToken: Secret | undefined;
}

const idTokenSeconds = 3600;

/** Draws an access token: an opaque one, or the id of a JWT. */
export function drawAccessToken(
  token: AccessToken,
  type: AccessTokenType,
  random: Random,
): Pick<GivenTokens, "opaque" | "jwtId"> {
  return {
    opaque: type === "BEARER" ? newOpaqueToken(random) : undefined,
    jwtId: newJwtId(token, random),
  };
}

/** What a token tells that is no JWT: nothing. It is looked up when it is used. */
export const nothingTold: ReadClaims = { told: {}, endDate: undefined };

/** Lets a JWT end no later than the rights that it tells: nobody is asked about them while it lasts. */
export function endWith(token: AccessToken, rights: readonly (Instant | undefined)[]): AccessToken {
  const end = earliest(rights);
  return end === undefined ? token : { ...token, expirationMs: Math.min(token.expirationMs, toEpochMs(end)) };
}

/** Stores what has to be stored of an access token: an opaque one, under its hash. */
export async function storeAccessToken(
  tx: WriteTransaction,
  { token, opaque }: Pick<GivenTokens, "token" | "opaque">,
): Promise<void> {
  if (opaque !== undefined) await putAccessToken(tx, hashAccessToken(opaque.reveal()), token);
}

/** Signs what is given, and makes the answer of it. */
export async function signTokens(
  ports: IssuePorts,
  given: GivenTokens,
  how: {
    readonly issuer: string;
    readonly algorithm: SigningAlgorithm;
    readonly grant: string;
    readonly requestId: string;
  },
): Promise<TokenAnswer> {
  const { token, subject, idToken } = given;
  await noteLeftOut(ports.context, given.leftOut);
  await noteLeftOut(ports.context, idToken?.leftOut);
  const { issuer, algorithm } = how;
  const accessToken =
    given.opaque?.reveal() ??
    (await ports.ownTokens.sign(toAccessTokenClaims(token, { ...given, issuer }), {
      typ: "at+jwt",
      algorithm,
    }));
  const signedIdToken =
    idToken &&
    (await ports.ownTokens.sign(
      toIdTokenClaims(token, {
        ...idToken,
        issuer,
        subject,
        accessToken,
        algorithm,
        lifetimeSeconds: idTokenSeconds,
      }),
      { typ: "JWT", algorithm },
    ));
  const about = { request_id: how.requestId, user_id: token.userId, client_id: token.clientId };
  ports.logger.debug({ ...about, grant: how.grant }, "access_token.issued");
  return {
    access_token: accessToken,
    token_type: toTokenType(token),
    expires_in: Math.floor((token.expirationMs - token.issuedMs) / 1000),
    ...toScopeClaim(token.scopes),
    ...(signedIdToken === undefined ? {} : { id_token: signedIdToken }),
    ...(given.refreshToken === undefined ? {} : { refresh_token: given.refreshToken.reveal() }),
  };
}
