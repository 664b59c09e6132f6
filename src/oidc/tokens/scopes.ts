import { apiAudience } from "../../features/access-tokens/access-token.ts";
import { OAuthError } from "../requests/oauth-error.ts";

/** What the scopes of a request ask for. */
export interface RequestedScopes {
  /** Those that are granted, each once, in the order of the request. */
  readonly granted: readonly string[];
  /** Whom the token is for besides the client: projects, and our own API. */
  readonly audiences: readonly string[];
  /** The projects among them. */
  readonly projectIds: readonly string[];
  readonly wantsIdToken: boolean;
  /** Whether the roles in these projects are to be told. */
  readonly wantsProjectRoles: boolean;
  /** Only these roles are told; empty = all. */
  readonly roleKeys: readonly string[];
  /** Whether the organization of the user is to be told. */
  readonly wantsResourceOwner: boolean;
}

const prefix = "urn:zitadel:iam:";
const apiScope = `${prefix}org:project:id:zitadel:aud`;
const projectRolesScope = `${prefix}org:projects:roles`;
const resourceOwnerScope = `${prefix}user:resourceowner`;
const projectPattern = /^urn:zitadel:iam:org:project:id:([1-9][0-9]{0,18}):aud$/;
const rolePattern = /^urn:zitadel:iam:org:project:role:([\s\S]{1,200})$/;
const organizationPattern = /^urn:zitadel:iam:org:id:(.*)$/;
const domainPattern = /^urn:zitadel:iam:org:domain:primary:/;
/** RFC 6749 §3.3: printable ASCII but space, quote and backslash. Other characters are let in for keys of roles. */
const tokenPattern = /^[^\p{Cc}\s"\\]+$/u;
const maxScopes = 100;

/** The scopes that discovery names. The others hold an id or a key. */
export const fixedScopes: readonly string[] = ["openid", apiScope, projectRolesScope, resourceOwnerScope];

/**
 * Reads the scopes of a service user that acts for itself. Scopes that mean nothing to it are dropped (RFC 6749 §3.3). Raises
 * invalid_scope for what is no list of scopes, and for another organization than that of the user: to drop that would let the user
 * in where the client wants only others.
 */
export function readScopes(text: string, user: { readonly organizationId: string }): RequestedScopes {
  const scopes = [...new Set(text.split(" ").filter((scope) => scope !== ""))];
  if (scopes.length > maxScopes || !scopes.every((scope) => tokenPattern.test(scope))) throw scopeInvalid();
  for (const scope of scopes) {
    const organizationId = organizationPattern.exec(scope)?.[1] ?? user.organizationId;
    if (organizationId !== user.organizationId || domainPattern.test(scope)) throw scopeInvalid();
  }
  const granted = scopes.filter(
    (scope) =>
      fixedScopes.includes(scope) ||
      [projectPattern, rolePattern, organizationPattern].some((pattern) => pattern.test(scope)),
  );
  const valuesOf = (pattern: RegExp) => granted.flatMap((scope) => pattern.exec(scope)?.[1] ?? []);
  const projectIds = valuesOf(projectPattern);
  return {
    granted,
    audiences: [...projectIds, ...(granted.includes(apiScope) ? [apiAudience] : [])],
    projectIds,
    wantsIdToken: granted.includes("openid"),
    wantsProjectRoles: granted.includes(projectRolesScope),
    roleKeys: valuesOf(rolePattern),
    wantsResourceOwner: granted.includes(resourceOwnerScope),
  };
}

function scopeInvalid(): OAuthError {
  return new OAuthError(
    "invalid_scope",
    "scope is malformed, or names an organization that the user is not in",
  );
}
