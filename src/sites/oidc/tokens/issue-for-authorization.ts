import { earliest } from "../../../kernel/base/clock.ts";
import type { ReadTransaction, WriteTransaction } from "../../../kernel/base/database.ts";
import type { Secret } from "../../../kernel/base/secret.ts";
import { type AccessToken, apiAudience } from "../../../identity/logins/access-tokens/access-token.ts";
import type { Authorization } from "../../../identity/logins/authorizations/authorization.ts";
import { type HookDecision, type HookSession, noHooks } from "../../../identity/hooks/calls/ask-hooks.ts";
import { isConnected } from "../../../identity/user-grants/effective-role-repository.ts";
import { accessRefusals, type Entrant, checkAccess } from "../../login/application-access.ts";
import { isExternal, type OidcClient, ownPlaceOf, toGate } from "../clients/client.ts";
import { findActiveUser } from "../codes/repository.ts";
import { OAuthError } from "../requests/oauth-error.ts";
import {
  drawAccessToken,
  endWith,
  type GivenTokens,
  type IssuePorts,
  nothingTold,
  storeAccessToken,
} from "./issue.ts";
import { limitConsentedScopes, standOf } from "./reach.ts";
import { keepScopesFor, type RequestedScopes } from "./scopes.ts";
import { askBeforeTokens, hasTokenHooks, requireNotRefused, toHookedClaims } from "./before-token.ts";
import type { ToldLogin } from "./claims.ts";
import { readApiRoles } from "./api-roles.ts";
import type { AskedResources } from "./asked-resources.ts";
import type { ReachedApi } from "./reached-apis.ts";
import { type ApiTokenParts, listOwnApiScopes, noScopes, readApiToken } from "./token-apis.ts";
import { readSubject } from "./subject.ts";
import { type AskedClaims, type ReadClaims, readToldClaims } from "./read-told-claims.ts";

/** What an application gets because a user has logged in to it. */
export interface AuthorizationTokens {
  readonly authorization: Authorization;
  /**
   * As it was when the client authenticated. A change since then is as if it came after the tokens: no change of an application, its
   * project or its organization ends tokens that are out, but the next use of each is checked against it.
   */
  readonly client: OidcClient;
  /** All scopes of the authorization, or some of them. */
  readonly scopes: RequestedScopes;
  /** The same with those of APIs. Default: all of the authorization. */
  readonly names?: readonly string[] | undefined;
  /** The APIs that the access token is for; none: for the client and its project. */
  readonly resources: AskedResources;
  readonly nowMs: number;
  readonly refreshToken: Secret | undefined;
  /** That of the request; undefined for tokens that come from a refresh (OpenID Connect Core §12.2). */
  readonly nonce: string | undefined;
  /** The thumbprint of the key that the access token is bound to; undefined: to none. */
  readonly jkt: string | undefined;
  /** As the log names it. */
  readonly grant: string;
  readonly hooks: HookSession;
}

/**
 * Checks in the write that issues whether tokens may be given. Raises invalid_grant for an authorization that has ended, for a user
 * who may not sign in, and where nothing connects the user with the application any more and they have not confirmed it. Raises
 * access_denied when a check of the project refuses the user.
 */
export async function requireInForce(
  tx: ReadTransaction,
  { authorization, client }: Pick<AuthorizationTokens, "authorization" | "client">,
): Promise<void> {
  const user = await findActiveUser(tx, authorization.userId);
  if (authorization.isEnded || user === undefined || user.lockCount !== authorization.lockCount)
    throw new OAuthError("invalid_grant", "the login has ended, or the user is not active");
  if (authorization.creationMs < (client.settings.external?.sinceMs ?? 0))
    throw new OAuthError("invalid_grant", "the client is not what the user has confirmed any more");
  await requireAccess(tx, client, user);
  if (!(await isStillConnected(tx, authorization, client)))
    throw new OAuthError("invalid_grant", "the user has not confirmed the login to this application");
}

/**
 * Says whether an authorization that nobody confirmed still needs no confirmation: the application is of the user's organization, or a
 * grant connects them.
 */
async function isStillConnected(
  tx: ReadTransaction,
  { userId, organizationId: homeId, consent }: Authorization,
  { place }: OidcClient,
): Promise<boolean> {
  if (place === undefined || consent?.kind === "confirmation" || homeId === place.organization.id)
    return true;
  return await isConnected(tx, { userId, homeId, projectId: place.project.id });
}

/** Applies the checks of the application's project. Raises access_denied when one of them refuses the user. */
export async function requireAccess(tx: ReadTransaction, client: OidcClient, user: Entrant): Promise<void> {
  const access = await checkAccess(tx, toGate(client.place), user);
  if (access !== "ok") throw new OAuthError("access_denied", accessRefusals[access]);
}

/** What tokens for an authorization say. */
export interface TokenContents {
  readonly parts: TokenParts;
  readonly subject: string;
  /** Undefined: the access token is opaque. */
  readonly access: ReadClaims | undefined;
  /** Undefined: no ID token is given. */
  readonly id: (ReadClaims & { readonly login: ToldLogin }) | undefined;
}

/** Reads what the tokens would say. Raises invalid_target and invalid_scope for resources that were not granted, or are out of reach. */
export async function readTokenContents(
  tx: ReadTransaction,
  asked: Pick<AuthorizationTokens, "authorization" | "client" | "scopes" | "names" | "resources" | "nonce">,
): Promise<TokenContents> {
  const { authorization, client, nonce } = asked;
  const scopes = await scopesFor(tx, asked);
  const parts = await readParts(tx, asked, scopes);
  const { userId, consent, claims, sessionId, authTimeMs, methods } = authorization;
  const about = { userId, scopes, application: client, consent, claims };
  const tellsOneFactor = claims?.tellsOneFactor ?? false;
  const isJwt = client.accessTokenType === "JWT";
  const access = isJwt ? await tellInToken(tx, { client, about, apis: parts.apis }) : undefined;
  const login = { sessionId, authTimeMs, methods, nonce, tellsOneFactor };
  const id = scopes.wantsIdToken
    ? { ...(await readToldClaims(tx, { ...about, place: "id-token" })), login }
    : undefined;
  return { parts, subject: await readSubject(tx, client, userId), access, id };
}

/** Asks the hooks of the application about such tokens. */
export async function askAboutContents(
  tx: ReadTransaction,
  hooks: HookSession,
  {
    contents,
    authorization,
    client,
    grant,
  }: Pick<AuthorizationTokens, "authorization" | "client" | "grant"> & { readonly contents: TokenContents },
): Promise<HookDecision> {
  const { parts, subject, access, id } = contents;
  const { scopes, audiences } = parts;
  const { userId } = authorization;
  const told = { scopes, audiences, access: access?.told, id };
  return await askBeforeTokens(tx, hooks, { client, userId, grant, subject, ...told });
}

/**
 * Decides what the tokens are, and stores what has to be stored of the access token. Raises invalid_target and invalid_scope for
 * resources that were not granted, or are out of reach, and access_denied when a hook refuses the user.
 */
export async function giveTokens(
  { context, accessTokenSeconds }: IssuePorts,
  tx: WriteTransaction,
  asked: AuthorizationTokens,
): Promise<GivenTokens> {
  const { client } = asked;
  const contents = await readTokenContents(tx, asked);
  const decision = (await hasTokenHooks(tx, asked.hooks, client))
    ? await askAboutContents(tx, asked.hooks, { ...asked, contents })
    : noHooks;
  requireNotRefused(decision);
  const hooked = toHookedClaims(client.hookClaim, decision);
  const { parts, access, id } = contents;
  const asWished = toAccessToken({ ...asked, parts }, accessTokenSeconds);
  const token = access === undefined ? asWished : endWith(asWished, [parts.endDate, access.endDate]);
  // A token for APIs alone has nothing of the application's own.
  const isForApis = access === undefined || parts.apis !== undefined;
  const given = {
    token,
    subject: contents.subject,
    ...drawAccessToken(token, client.accessTokenType, context.random),
    told: isForApis ? (access?.told ?? nothingTold.told) : { ...hooked, ...access.told },
    leftOut: access?.leftOut,
    idToken: id && { ...id, told: { ...hooked, ...id.told } },
    refreshToken: asked.refreshToken,
  };
  await storeAccessToken(tx, given);
  return given;
}

/** What an access token is, and the APIs that were named for it; undefined: none were. */
export type TokenParts = Omit<ApiTokenParts, "apis"> & { readonly apis: readonly ReachedApi[] | undefined };

async function readParts(
  tx: ReadTransaction,
  {
    authorization,
    client,
    names = authorization.scopes,
    resources,
  }: Pick<AuthorizationTokens, "authorization" | "client" | "names" | "resources">,
  scopes: RequestedScopes,
): Promise<TokenParts> {
  const { userId, organizationId: homeId, consent } = authorization;
  const reach = { homeId, stands: [standOf(client, homeId)] };
  const of = { userId, reach, confirmed: { ownProjectId: ownPlaceOf(client)?.project.id, consent } };
  if (resources.isNamed)
    return await readApiToken(tx, resources, { ...of, names, granted: authorization.resources });
  // Scopes of the APIs that were named are for tokens that are for these alone.
  const ownScopes = authorization.resources.length === 0 ? await listOwnApiScopes(tx, names, of) : noScopes;
  const own = isExternal(client) ? [] : [client.place?.project.id ?? apiAudience];
  const audiences = [client.id, ...own, ...scopes.audiences];
  return {
    scopes: [...new Set([...scopes.granted, ...ownScopes.scopes])],
    audiences: [...new Set<string>(audiences)],
    endDate: earliest([scopes.endDate, ownScopes.endDate]),
    apis: undefined,
  };
}

/** Makes what a JWT tells of the user: one for APIs nothing but roles of their projects. */
export async function tellInToken(
  tx: ReadTransaction,
  {
    client,
    about,
    apis,
  }: {
    readonly client: OidcClient;
    readonly about: Omit<AskedClaims, "place">;
    /** Undefined: none were named. */
    readonly apis: readonly ReachedApi[] | undefined;
  },
): Promise<ReadClaims> {
  if (apis === undefined) return await readToldClaims(tx, { ...about, place: "access-token" });
  return client.settings.accessTokenRoleAssertion ? await readApiRoles(tx, { ...about, apis }) : nothingTold;
}

/** Tokens of the console are for our API and for nobody else; those of others, for what they reach at this instant. */
async function scopesFor(
  tx: ReadTransaction,
  { authorization, client, scopes }: Pick<AuthorizationTokens, "authorization" | "client" | "scopes">,
): Promise<RequestedScopes> {
  if (client.place === undefined) return keepScopesFor(scopes.granted, [apiAudience]);
  const { organizationId: homeId, consent } = authorization;
  return await limitConsentedScopes(tx, scopes, { homeId, stand: standOf(client, homeId), consent });
}

function toAccessToken(
  { authorization, client, parts, nowMs, jkt }: AuthorizationTokens & { readonly parts: TokenParts },
  accessTokenSeconds: number,
): AccessToken {
  const { id, userId, generation, lockCount } = authorization;
  return {
    userId,
    basis: { kind: "authorization", authorizationId: id, generation },
    clientId: client.id,
    exchanges: [],
    act: undefined,
    lockCount,
    scopes: parts.scopes,
    audiences: parts.audiences,
    jkt,
    issuedMs: nowMs,
    expirationMs: nowMs + accessTokenSeconds * 1000,
  };
}
