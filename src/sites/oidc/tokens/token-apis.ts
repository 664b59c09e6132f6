import type { ReadTransaction } from "../../../kernel/base/database.ts";
import { type AccessToken, apiAudience } from "../../../identity/logins/access-tokens/access-token.ts";
import { toResourceKey } from "../../../identity/applications/api/api-resource.ts";
import { OAuthError } from "../requests/oauth-error.ts";
import type { Reach } from "./reach.ts";
import { earliest, type Instant } from "../../../kernel/base/clock.ts";
import { apiScope, listForeignScopes } from "./scopes.ts";
import { type AskedResources, targetInvalid } from "./asked-resources.ts";
import {
  type AllowedApi,
  type Confirmed,
  isNothingLeft,
  keepConfirmedApis,
  listAllowedScopes,
  listCommonScopes,
  listReachedApis,
  type ReachedApi,
} from "./reached-apis.ts";

/** What an access token for APIs is. */
export interface ApiTokenParts {
  readonly scopes: readonly string[];
  readonly audiences: readonly string[];
  /** The APIs among the audiences. */
  readonly apis: readonly ReachedApi[];
  /** When the first right ends that the scopes and audiences rest on; undefined: never. */
  readonly endDate: Instant | undefined;
}

/** Some of the scopes of a token, and when the first right ends that they rest on. */
type ScopesInTime = Pick<ApiTokenParts, "scopes" | "endDate">;

/** No scopes. */
export const noScopes: ScopesInTime = { scopes: [], endDate: undefined };

/** The user of a token, and what was granted. */
export interface ApiTokenOf {
  readonly userId: string;
  readonly reach: Reach;
  /** The scopes that the token may have. Undefined: the default ones. */
  readonly names: readonly string[] | undefined;
  /** The ids of the APIs that were granted. Undefined: a program may have tokens for each that it reaches. */
  readonly granted: readonly string[] | undefined;
  readonly confirmed: Confirmed | undefined;
}

/**
 * Decides what an access token for the named resources is: it is for exactly these. Raises invalid_target for one that was not granted,
 * or is out of reach by now, and for our own API beside others: none of them is to call it in the name of the user. Raises
 * invalid_scope if no scope is left.
 */
export async function readApiToken(
  tx: ReadTransaction,
  { ownApi, keys }: AskedResources,
  of: ApiTokenOf,
): Promise<ApiTokenParts> {
  const openId = of.names?.includes("openid") === true ? ["openid"] : [];
  if (ownApi) {
    if (keys.length > 0 || (of.granted !== undefined && of.names?.includes(apiScope) !== true))
      throw targetInvalid();
    return { scopes: [...openId, apiScope], audiences: [apiAudience], apis: [], endDate: undefined };
  }
  const reached = keepConfirmedApis(await listReachedApis(tx, { keys }, of.reach), of.confirmed);
  const apis = reached.filter(({ id }) => of.granted?.includes(id) ?? true);
  if (apis.length < keys.length) throw targetInvalid();
  const names = of.names ?? apis.flatMap(({ scopes }) => scopes.filter((each) => each.isDefault).map(nameOf));
  const allowed = await listAllowedScopes(tx, apis, { ...of, names });
  const scopes = [...openId, ...listCommonScopes(allowed, [...new Set(names)])];
  if (isNothingLeft(scopes, apis))
    throw new OAuthError("invalid_scope", "no scope of the resource is left that the user may have");
  return { scopes, audiences: apis.map(({ resource }) => resource), apis, endDate: endOf(allowed) };
}

function endOf(allowed: readonly AllowedApi[]): Instant | undefined {
  return earliest(allowed.flatMap(({ api, endDate }) => [api.endDate, endDate]));
}

/** Lists the scopes that a token without `resource` has of the APIs of the client's own project. */
export async function listOwnApiScopes(
  tx: ReadTransaction,
  granted: readonly string[],
  { userId, reach, confirmed }: Pick<ApiTokenOf, "userId" | "reach" | "confirmed">,
): Promise<ScopesInTime> {
  const names = listForeignScopes(granted);
  const projectId = confirmed?.ownProjectId;
  if (names.length === 0 || projectId === undefined) return noScopes;
  const apis = await listReachedApis(tx, { projectId }, reach);
  const allowed = await listAllowedScopes(tx, apis, { userId, names, confirmed });
  return { scopes: listCommonScopes(allowed, names), endDate: endOf(allowed) };
}

/**
 * Returns the resources among the audiences of a token. All others are ids, without a colon, but that of its client may be the URL of
 * a document.
 */
export function listResources({
  audiences,
  clientId,
}: Pick<AccessToken, "audiences" | "clientId">): readonly string[] {
  return audiences.filter((audience) => audience.includes(":") && audience !== clientId);
}

/** Says whether a token was asked for by `resource`: it is not for its client, which learns nothing by it. */
export function isForApisAlone({
  audiences,
  clientId,
  exchanges,
}: Pick<AccessToken, "audiences" | "clientId" | "exchanges">): boolean {
  const isOfOwnApi =
    audiences.includes(apiAudience) && !audiences.includes(clientId) && exchanges.length === 0;
  return isOfOwnApi || listResources({ audiences, clientId }).length > 0;
}

/**
 * Finds out what is left of a token for resources: an API that is out of reach by now is taken out, with the scopes that it alone
 * defines.
 */
export async function readApiTokenReach(
  tx: ReadTransaction,
  { scopes, audiences, clientId }: Pick<AccessToken, "scopes" | "audiences" | "clientId">,
  {
    userId,
    reach,
    confirmed,
    known,
  }: Pick<ApiTokenOf, "userId" | "reach" | "confirmed"> & {
    /** The API of the only audience, if that need not be read again. */
    readonly known: ReachedApi | undefined;
  },
): Promise<ApiTokenParts> {
  const keys = listResources({ audiences, clientId }).map(toResourceKey);
  const reached = known === undefined ? await listReachedApis(tx, { keys }, reach) : [known];
  const apis = keepConfirmedApis(reached, confirmed).filter(({ resource }) => audiences.includes(resource));
  const allowed = await listAllowedScopes(tx, apis, { userId, names: scopes, confirmed });
  const common = listCommonScopes(allowed, scopes);
  return {
    scopes: scopes.filter((scope) => scope === "openid" || common.includes(scope)),
    audiences: apis.map(({ resource }) => resource),
    apis,
    endDate: endOf(allowed),
  };
}

function nameOf({ name }: { readonly name: string }): string {
  return name;
}
