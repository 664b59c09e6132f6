import type { GroupsClaim } from "../../../identity/applications/oidc/oidc-application.ts";
import type { ClaimsRequest } from "../../../identity/logins/authorizations/claims-request.ts";
import { fullNameOf, type User } from "../../../identity/people/user/user.ts";
import type { Claims } from "../../../identity/signing-keys/jwt.ts";
import type { RolesInEffect } from "../../../identity/user-grants/effective-role-repository.ts";
import { resourceOwnerClaims } from "./claim-names.ts";
import type { RequestedScopes } from "./scopes.ts";

/** Where claims about a user are told. */
export type ClaimPlace = "id-token" | "access-token" | "userinfo" | "introspection";

/** What an application, and its project, say about claims. */
export interface ClaimSettings {
  readonly projectRoleAssertion: boolean;
  readonly accessTokenRoleAssertion: boolean;
  readonly idTokenRoleAssertion: boolean;
  readonly idTokenUserinfoAssertion: boolean;
  readonly groupsClaim: GroupsClaim;
}

/** Which claims about a user are told. */
export interface ChosenClaims {
  readonly profile: boolean;
  readonly email: boolean;
  readonly phone: boolean;
  /** The roles in the project of the application. */
  readonly ownRoles: boolean;
  /** The keys of these roles, or groups, as the application wants it. */
  readonly groups: GroupsClaim | false;
  /** The roles in the other projects of the audience. */
  readonly otherRoles: boolean;
  readonly resourceOwner: boolean;
  /** Claims that are told one by one, by their names, whatever else is. */
  readonly single: ReadonlySet<string>;
}

/**
 * Decides which claims are told at a place. Without an application, for a service user that acts for itself, tokens tell no
 * profile and there is no project of its own.
 */
export function chooseClaims(
  place: ClaimPlace,
  scopes: Pick<RequestedScopes, "granted" | "roleKeys" | "wantsProjectRoles" | "wantsResourceOwner">,
  {
    settings,
    claims,
  }: { readonly settings: ClaimSettings | undefined; readonly claims: ClaimsRequest | undefined },
): ChosenClaims {
  const has = (scope: string) => scopes.granted.includes(scope);
  const isRoleAsserted = {
    "id-token": settings?.idTokenRoleAssertion ?? false,
    "access-token": settings?.accessTokenRoleAssertion ?? false,
    userinfo: settings !== undefined,
    introspection: settings !== undefined,
  }[place];
  const tellsProfile = {
    "id-token": settings?.idTokenUserinfoAssertion ?? false,
    "access-token": false,
    userinfo: true,
    introspection: true,
  }[place];
  const wantsRoles = (settings?.projectRoleAssertion ?? false) || scopes.roleKeys.length > 0;
  return {
    profile: tellsProfile && has("profile"),
    email: tellsProfile && has("email"),
    phone: tellsProfile && has("phone"),
    ownRoles: isRoleAsserted && wantsRoles,
    groups: isRoleAsserted && has("groups") && (settings?.groupsClaim ?? "ROLE_KEYS"),
    otherRoles: scopes.wantsProjectRoles,
    resourceOwner: scopes.wantsResourceOwner,
    single: new Set(singleClaims(place, claims)),
  };
}

/** OpenID Connect Core §5.5: claims that are asked for one by one are in the ID token, whatever the setting says. */
function singleClaims(place: ClaimPlace, claims: ClaimsRequest | undefined): readonly string[] {
  if (place === "userinfo") return claims?.userinfo ?? [];
  return place === "id-token" ? (claims?.idToken ?? []) : [];
}

/** Says whether something about the organization of the user is told. */
export function tellsResourceOwner({ resourceOwner, single }: ChosenClaims): boolean {
  if (resourceOwner || single.size === 0) return resourceOwner;
  return Object.values(resourceOwnerClaims).some((name) => single.has(name));
}

/** What is known of a user. */
export interface ToldOfUser {
  readonly chosen: ChosenClaims;
  /** Undefined when nothing of it is told. */
  readonly user: User | undefined;
  /** The project of the application; undefined without one. */
  readonly projectId: string | undefined;
  /** The roles in that project, and in the others of the audience. */
  readonly roles: readonly RolesInEffect[];
  /** The groups that the user is in, of the organization that owns the project; empty when they are not told. */
  readonly groups: readonly { readonly id: string; readonly name: string }[];
  /** Only these roles are told; empty = all. */
  readonly roleKeys: readonly string[];
  /** The organization of the user; undefined when it is not told. */
  readonly resourceOwner: { readonly id: string; readonly name: string } | undefined;
}

/** Converts what is known of a user to the claims that are chosen. A claim without a value is left out. */
export function toToldClaims(told: ToldOfUser): Claims {
  const { chosen, user, projectId, roles, resourceOwner } = told;
  return {
    ...(user === undefined ? {} : toPersonalClaims(user, chosen)),
    ...toRoleClaims(
      roles.filter((role) => (role.projectId === projectId ? chosen.ownRoles : chosen.otherRoles)),
      told,
    ),
    ...(chosen.groups !== false && projectId !== undefined ? { groups: toGroups(told, chosen.groups) } : {}),
    ...(resourceOwner === undefined ? {} : toResourceOwnerClaims(resourceOwner, chosen)),
  };
}

function toResourceOwnerClaims(
  { id, name }: { readonly id: string; readonly name: string },
  { resourceOwner, single }: ChosenClaims,
): Claims {
  const claims = { [resourceOwnerClaims.id]: id, [resourceOwnerClaims.name]: name };
  return keep(claims, (claim) => resourceOwner || single.has(claim));
}

function keep(claims: Claims, isKept: (name: string, value: unknown) => boolean): Claims {
  return Object.fromEntries(Object.entries(claims).filter(([name, value]) => isKept(name, value)));
}

/** OpenID Connect Core §5.1. */
function toPersonalClaims(user: User, chosen: ChosenClaims): Claims {
  const isHuman = user.kind === "human";
  const profile = {
    name: isHuman ? fullNameOf(user) : user.name,
    given_name: isHuman ? user.givenName : "",
    family_name: isHuman ? user.familyName : "",
    preferred_username: user.username,
    locale: isHuman ? user.preferredLanguage : "",
    updated_at: Math.floor(user.details.sequence / 1_000_000),
  };
  const email =
    isHuman && user.email !== "" ? { email: user.email, email_verified: user.isEmailVerified } : {};
  const phone =
    isHuman && user.phone !== ""
      ? { phone_number: user.phone, phone_number_verified: user.isPhoneVerified }
      : {};
  const isTold = (isAll: boolean) => (name: string, value: unknown) =>
    value !== "" && (isAll || chosen.single.has(name));
  return {
    ...keep(profile, isTold(chosen.profile)),
    ...keep(email, isTold(chosen.email)),
    ...keep(phone, isTold(chosen.phone)),
  };
}

/**
 * Makes the claims of roles: key of the role, id of the organization that gave it, and its name, by their projects. Those of `projectId`
 * are told without its id, too.
 */
export function toRoleClaims(
  roles: readonly RolesInEffect[],
  {
    projectId,
    roleKeys = [],
  }: {
    readonly projectId: string | undefined;
    /** Only these are told. Default: all. */
    readonly roleKeys?: readonly string[];
  },
): Claims {
  const byProject = Map.groupBy(roles, (role) => role.projectId as string);
  const claims: (readonly [string, object])[] = [];
  for (const [id, grants] of byProject) {
    const claim = toRoleClaim(grants, roleKeys);
    if (claim.size === 0) continue;
    if (id === projectId) claims.push(["urn:zitadel:iam:org:project:roles", toObject(claim)]);
    claims.push([`urn:zitadel:iam:org:project:${id}:roles`, toObject(claim)]);
  }
  return Object.fromEntries(claims);
}

function toRoleClaim(
  grants: readonly RolesInEffect[],
  only: readonly string[],
): ReadonlyMap<string, ReadonlyMap<string, string>> {
  const claim = new Map<string, Map<string, string>>();
  for (const { roleKeys, organizationId, organizationName } of grants) {
    for (const key of roleKeys) {
      if (only.length > 0 && !only.includes(key)) continue;
      const organizations = claim.get(key) ?? new Map<string, string>();
      claim.set(key, organizations.set(organizationId, organizationName));
    }
  }
  return claim;
}

/** The keys are texts of callers, such as `__proto__`: `fromEntries` makes own properties of all of them. */
function toObject(claim: ReadonlyMap<string, ReadonlyMap<string, string>>): object {
  return Object.fromEntries(
    [...claim].map(([key, organizations]) => [key, Object.fromEntries(organizations)]),
  );
}

function toGroups({ roles, groups, projectId }: ToldOfUser, told: GroupsClaim): readonly string[] {
  const own = roles.filter((role) => role.projectId === projectId);
  const values = {
    ROLE_KEYS: own.flatMap(({ roleKeys }) => roleKeys),
    GROUP_NAMES: groups.map(({ name }) => name),
    GROUP_IDS: groups.map(({ id }) => id),
  };
  return [...new Set(values[told])].toSorted();
}
