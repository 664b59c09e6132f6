import type { ReadTransaction } from "../../../kernel/base/database.ts";
import {
  formOf,
  fromClaims,
  hashAccessToken,
  type StoredAccessToken,
} from "../../../identity/logins/access-tokens/access-token.ts";
import { type Authorization } from "../../../identity/logins/authorizations/authorization.ts";
import { findAuthorization } from "../../../identity/logins/authorizations/repository.ts";
import { findAccessTokenInForce } from "../../../identity/tokens-in-force/repository.ts";
import type { TokenInForce } from "../../../identity/tokens-in-force/token-in-force.ts";
import { type ApplicationClient, type OidcClient, ownPlaceOf } from "../clients/client.ts";
import { type ClientLookup, findApplicationClient } from "../clients/repository.ts";
import { hashCode, isRefreshToken } from "../codes/code.ts";
import { findActiveUser, findRefreshToken, type StoredRefreshToken } from "../codes/repository.ts";
import type { IssuePorts } from "./issue.ts";

/** A token that somebody sent, as far as its text says what it is. */
export type PresentedToken =
  | { readonly kind: "opaque"; readonly hash: string }
  | { readonly kind: "jwt"; readonly token: StoredAccessToken; readonly jwtId: string }
  | { readonly kind: "refresh"; readonly hash: string }
  | { readonly kind: "none" };

/** Reads a token that somebody sent. A JWT that we have not signed is none. */
export async function readPresentedToken(
  { ownTokens }: Pick<IssuePorts, "ownTokens">,
  { text, issuer }: { readonly text: string; readonly issuer: string },
): Promise<PresentedToken> {
  if (isRefreshToken(text)) return { kind: "refresh", hash: hashCode(text) };
  const form = formOf(text);
  if (form === "opaque") return { kind: "opaque", hash: hashAccessToken(text) };
  const claims = form === "jwt" ? await ownTokens.verify(text, { typ: "at+jwt", issuer }) : undefined;
  const token = claims && fromClaims(claims);
  return token === undefined ? { kind: "none" } : { kind: "jwt", token, jwtId: String(claims?.["jti"]) };
}

/** An access token that holds at this instant. */
export interface LiveAccessToken extends TokenInForce {
  /** That of a JWT, and the hash of an opaque one. */
  readonly jwtId: string;
  /** The one that got it; undefined for a service user that acts for itself. */
  readonly application: OidcClient | undefined;
}

/** Says whether an application may ask about the token, and use it: it is for that application, or for its project. */
export function isForApplication(
  { audiences }: Pick<StoredAccessToken, "audiences">,
  client: ApplicationClient,
): boolean {
  const place = ownPlaceOf(client);
  return audiences.includes(client.id) || (place !== undefined && audiences.includes(place.project.id));
}

/** Finds an access token that holds at this instant, with its application, which is not read again if it is the one that asks. */
export async function findLiveAccessToken(
  tx: ReadTransaction,
  presented: PresentedToken,
  lookup: ClientLookup,
  asking?: ApplicationClient,
): Promise<LiveAccessToken | undefined> {
  if (presented.kind === "none" || presented.kind === "refresh") return undefined;
  const sent = presented.kind === "jwt" ? presented.token : presented;
  const found = await findAccessTokenInForce(tx, sent, lookup.nowMs);
  if (found === undefined) return undefined;
  const jwtId = presented.kind === "jwt" ? presented.jwtId : presented.hash;
  if (found.token.clientId === found.token.userId) return { ...found, jwtId, application: undefined };
  const { clientId } = found.token;
  const application = asking?.id === clientId ? asking : await findApplicationClient(tx, clientId, lookup);
  return application?.kind === "oidc" ? { ...found, jwtId, application } : undefined;
}

/** A refresh token that can be used at this instant. */
export interface LiveRefreshToken {
  readonly stored: StoredRefreshToken;
  readonly authorization: Authorization;
}

/** Finds a refresh token that can be used at this instant: nobody has used it, and the user may sign in. */
export async function findLiveRefreshToken(
  tx: ReadTransaction,
  hash: string,
  nowMs: number,
): Promise<LiveRefreshToken | undefined> {
  const stored = await findRefreshToken(tx, hash);
  if (stored === undefined || stored.usedMs !== undefined) return undefined;
  if (Math.min(stored.idleExpirationMs, stored.expirationMs) <= nowMs) return undefined;
  const authorization = await findAuthorization(tx, stored.authorizationId);
  if (authorization === undefined || authorization.isEnded) return undefined;
  const user = await findActiveUser(tx, authorization.userId);
  return user?.lockCount === authorization.lockCount ? { stored, authorization } : undefined;
}
