import type { Instant } from "../../../kernel/base/clock.ts";
import { apiAudience } from "../../../identity/logins/access-tokens/access-token.ts";
import { OAuthError } from "../requests/oauth-error.ts";

/** What the scopes of a request ask for. */
export interface RequestedScopes {
  /** Those that are granted, each once, in the order of the request. */
  readonly granted: readonly string[];
  /** The audience of the token besides the client: projects, and our own API. */
  readonly audiences: readonly string[];
  /** The projects among them. */
  readonly projectIds: readonly string[];
  readonly wantsIdToken: boolean;
  readonly wantsRefreshToken: boolean;
  /** Whether the roles in these projects are to be told. */
  readonly wantsProjectRoles: boolean;
  /** Only these roles are told; empty = all. */
  readonly roleKeys: readonly string[];
  /** The only roles that are told of a project; of one that is not in it, and by default, all are. */
  readonly roleLimits?: ReadonlyMap<string, readonly string[]>;
  /** When the first of the project grants ends that the audience rests on; undefined: never. */
  readonly endDate?: Instant | undefined;
  /** Whether the organization of the user is to be told. */
  readonly wantsResourceOwner: boolean;
  /** Only users of this organization may log in; undefined = all. */
  readonly organizationId: string | undefined;
  /** Users log in at this identity provider; undefined: none is named, or several are. */
  readonly identityProviderId: string | undefined;
}

/** What an application may ask for. */
export interface ScopeRights {
  readonly grantTypes: readonly string[];
  /** Whether its users may call our own API with its tokens. */
  readonly apiAccess: boolean;
  /** Present if nobody has created it. */
  readonly external?: object | undefined;
  /** Scopes that ask for claims of its own. Default: none. */
  readonly claimScopes?: readonly string[] | undefined;
}

const prefix = "urn:zitadel:iam:";

/** The scope of tokens for our own API, which an application gets only with api_access. */
export const apiScope = `${prefix}org:project:id:zitadel:aud`;
const projectRolesScope = `${prefix}org:projects:roles`;
/** The scope of the claims about the organization of a user. */
export const resourceOwnerScope = `${prefix}user:resourceowner`;
const organizationPrefix = `${prefix}org:id:`;
const domainPrefix = `${prefix}org:domain:primary:`;
/** A scope that holds a value: all of them in one pattern, because each scope of each request is tried with it. */
const valuePattern =
  /^urn:zitadel:iam:org:(?:project:id:([1-9][0-9]{0,18}):aud|project:role:([\s\S]{1,200})|id:(.*)|idp:id:([1-9][0-9]{0,18}))$/;
/** Some of its groups. */
const groups = { project: 1, role: 2, identityProvider: 4 };
/** RFC 6749 §3.3: printable ASCII but space, quote and backslash. Other characters are let in for keys of roles. */
const tokenPattern = /^[^\p{Cc}\s"\\]+$/u;
const maxScopes = 100;

const scopesOfAll = ["openid", "profile", apiScope, projectRolesScope, resourceOwnerScope];
const scopesOfPeople = ["email", "phone", "groups", "offline_access"];

/** The scopes that discovery names. The others hold an id or a key. */
export const fixedScopes: readonly string[] = [...scopesOfAll, ...scopesOfPeople];

/**
 * Reads the scopes of a service user that acts for itself. Scopes that mean nothing to it are dropped (RFC 6749 §3.3). Raises
 * invalid_scope for a text that is no list of scopes, and for another organization than the user's: to drop that would let the user
 * in where the client wants only others.
 */
export function readScopes(text: string, user: { readonly organizationId: string }): RequestedScopes {
  const isGranted = (scope: string) =>
    scopesOfAll.includes(scope) || (holdsValue(scope) && !holdsValue(scope, groups.identityProvider));
  const scopes = toRequestedScopes(parseScopes(text).filter(isGranted));
  const { organizationId = user.organizationId } = scopes;
  if (organizationId !== user.organizationId) throw scopeInvalid();
  return scopes;
}

/**
 * Reads the scopes of an application in which a user logs in. Those that mean nothing, or that it may not have, are dropped (RFC
 * 6749 §3.3). Raises invalid_scope for what is no list of scopes, for several organizations, and for what no external client may have.
 */
export function readScopesOfApplication(text: string, rights: ScopeRights): RequestedScopes {
  const isGranted = (scope: string): boolean => {
    if (scope === apiScope) return rights.apiAccess;
    if (scope === "offline_access") return rights.grantTypes.includes("REFRESH_TOKEN");
    return fixedScopes.includes(scope) || holdsValue(scope) || (rights.claimScopes?.includes(scope) ?? false);
  };
  const scopes = parseScopes(text);
  if (rights.external !== undefined && scopes.some(isOfMembers)) throw scopeOfMembers();
  return toRequestedScopes(scopes.filter(isGranted));
}

/** Says whether a scope is about organizations, projects, roles or our own API: clients that nobody has created do not get it. */
export function isOfMembers(scope: string): boolean {
  return scope === "groups" || /^urn:(?:zitadel|gatehouse):/i.test(scope);
}

function scopeOfMembers(): OAuthError {
  return new OAuthError(
    "invalid_scope",
    "scope holds something that a client cannot have that nobody has created",
  );
}

/** Reads a list of scopes, each once. Raises invalid_scope for what is none, and for what must not be dropped. */
export function parseScopes(text: string): readonly string[] {
  const scopes = [...new Set(text.split(" ").filter((scope) => scope !== ""))];
  if (scopes.length > maxScopes || !scopes.every((scope) => tokenPattern.test(scope))) throw scopeInvalid();
  const organizations = scopes.filter((scope) => scope.startsWith(organizationPrefix));
  if (organizations.length > 1 || scopes.some((scope) => scope.startsWith(domainPrefix)))
    throw scopeInvalid();
  return scopes;
}

/** Lists the scopes that mean nothing to us: an API may define them. */
export function listForeignScopes(scopes: readonly string[]): readonly string[] {
  return scopes.filter(
    (scope) => !fixedScopes.includes(scope) && !/^urn:(?:zitadel|gatehouse):/i.test(scope),
  );
}

/** Returns the refusal of a scope that is malformed, or of an organization that nobody can log in to. */
function scopeInvalid(): OAuthError {
  return new OAuthError(
    "invalid_scope",
    "scope is malformed, or names an organization that the user is not in",
  );
}

/**
 * Adds the scopes of roles to a request for some of the scopes that were granted, unless it names one of them itself. They limit which
 * roles are told: without them all roles might be told, which is more than was granted.
 */
export function keepRoleLimits(wanted: readonly string[], granted: readonly string[]): readonly string[] {
  const isLimit = (scope: string) => holdsValue(scope, groups.role);
  return wanted.some(isLimit) ? wanted : [...wanted, ...granted.filter(isLimit)];
}

/** Leaves out the scopes that make a token one for somebody else than these audiences. */
export function keepScopesFor(scopes: readonly string[], audiences: readonly string[]): RequestedScopes {
  const isKept = (scope: string) =>
    toRequestedScopes([scope]).audiences.every((audience) => audiences.includes(audience));
  return toRequestedScopes(scopes.filter(isKept));
}

/** Leaves out the scopes that name these projects as audiences. */
export function dropProjects(scopes: RequestedScopes, projectIds: ReadonlySet<string>): RequestedScopes {
  if (!scopes.projectIds.some((id) => projectIds.has(id))) return scopes;
  const isKept = (scope: string) => !projectIds.has(valuePattern.exec(scope)?.[groups.project] ?? "");
  return {
    ...toRequestedScopes(scopes.granted.filter(isKept)),
    roleLimits: scopes.roleLimits,
    endDate: scopes.endDate,
  };
}

/** Says whether a scope holds a value, of that group if one is given. */
function holdsValue(scope: string, group = 0): boolean {
  return scope.startsWith(prefix) && valuePattern.exec(scope)?.[group] !== undefined;
}

/** Says what scopes ask for that were granted before. */
export function toRequestedScopes(granted: readonly string[]): RequestedScopes {
  const projectIds: string[] = [];
  const roleKeys: string[] = [];
  const organizationIds: string[] = [];
  const identityProviderIds: string[] = [];
  for (const scope of granted) {
    if (!scope.startsWith(prefix)) continue;
    const [, projectId, roleKey, organizationId, identityProviderId] = valuePattern.exec(scope) ?? [];
    if (projectId !== undefined) projectIds.push(projectId);
    if (roleKey !== undefined) roleKeys.push(roleKey);
    if (organizationId !== undefined) organizationIds.push(organizationId);
    if (identityProviderId !== undefined) identityProviderIds.push(identityProviderId);
  }
  return {
    granted,
    audiences: [...projectIds, ...(granted.includes(apiScope) ? [apiAudience] : [])],
    projectIds,
    wantsIdToken: granted.includes("openid"),
    wantsRefreshToken: granted.includes("offline_access"),
    wantsProjectRoles: granted.includes(projectRolesScope),
    roleKeys,
    wantsResourceOwner: granted.includes(resourceOwnerScope),
    organizationId: organizationIds[0],
    identityProviderId: identityProviderIds.length === 1 ? identityProviderIds[0] : undefined,
  };
}
