import type { ReadTransaction } from "../../../kernel/base/database.ts";
import { earliest, type Instant } from "../../../kernel/base/clock.ts";
import type { UserId } from "../../../kernel/base/ids.ts";
import type { ClaimsRequest } from "../../../identity/logins/authorizations/claims-request.ts";
import type { Consent } from "../../../identity/logins/authorizations/gift.ts";
import { type GroupOfUser, listGroupsOfUser } from "../../../identity/groups/repository.ts";
import { findOrganization } from "../../../identity/organizations/repository.ts";
import type { Claims } from "../../../identity/signing-keys/jwt.ts";
import {
  listRolesInEffect,
  type RolesInEffect,
} from "../../../identity/user-grants/effective-role-repository.ts";
import { findUserById } from "../../../identity/people/user/repository.ts";
import { type OidcClient, ownPlaceOf } from "../clients/client.ts";
import type { LeftOutMappings } from "../../../identity/claim-mappings/left-out.ts";
import { readToldMappings } from "./mapped-claims.ts";
import { findScopeOfClaim } from "./claim-names.ts";
import { type RequestedScopes, resourceOwnerScope } from "./scopes.ts";
import {
  chooseClaims,
  type ChosenClaims,
  type ClaimPlace,
  tellsResourceOwner,
  toToldClaims,
} from "./told-claims.ts";

/** The user that claims are about, and the application that they are for. */
export interface AskedClaims {
  readonly place: ClaimPlace;
  readonly userId: UserId;
  readonly scopes: RequestedScopes;
  /** The application of the token; undefined for a service user that acts for itself. */
  readonly application: OidcClient | undefined;
  /** The claims that the user has confirmed; no others are given. Undefined: the user was not asked. */
  readonly consent: Consent | undefined;
  /** What the application asked for beside the scopes, one by one. Default: nothing. */
  readonly claims?: ClaimsRequest | undefined;
}

/** What is told of a user. */
export interface ReadClaims {
  readonly told: Claims;
  /** When the first of the roles in it ends; undefined: never. */
  readonly endDate: Instant | undefined;
  /** Claims of the application's own for which there was no room; undefined: there was. */
  readonly leftOut?: LeftOutMappings | undefined;
}

/** Makes the claims about a user that are told at a place, as they are at this instant. */
export async function readToldClaims(tx: ReadTransaction, asked: AskedClaims): Promise<ReadClaims> {
  const { userId, scopes, application } = asked;
  const project = ownPlaceOf(application)?.project;
  const settings = application && { projectRoleAssertion: false, ...application.settings, ...project };
  const projectId = project?.id;
  const asWished = chooseClaims(asked.place, scopes, { settings, claims: asked.claims });
  const chosen = keepConfirmed(asWished, asked.consent, projectId);
  const isOwnerTold = tellsResourceOwner(chosen);
  const tellsUser = chosen.profile || chosen.email || chosen.phone || isOwnerTold || chosen.single.size > 0;
  const user = tellsUser ? await findUserById(tx, userId) : undefined;
  const owner =
    isOwnerTold && user !== undefined ? await findOrganization(tx, user.details.resourceOwner) : undefined;
  const inEffect = await listRolesInEffect(tx, userId, projectsOf(chosen, { projectId, scopes }));
  const roles = keepLimits(inEffect, { projectId, roleLimits: scopes.roleLimits });
  const groups = await listGroupsTold(tx, chosen, {
    userId,
    organizationId: ownPlaceOf(application)?.organization.id,
  });
  const told = toToldClaims({
    chosen,
    user,
    projectId,
    roles,
    groups,
    roleKeys: scopes.roleKeys,
    resourceOwner: owner && { id: owner.id, name: owner.name },
  });
  const mapped = await readToldMappings(tx, asked);
  const ends = [...roles, ...groups].map(({ endDate }) => endDate);
  return {
    told: { ...mapped.claims, ...told }, // what is told in any case wins
    endDate: earliest([...ends, mapped.endDate]),
    leftOut: mapped.leftOut,
  };
}

/** Lists the groups of the user that are of the organization of the application, unless the keys of roles are told instead. */
async function listGroupsTold(
  tx: ReadTransaction,
  chosen: Pick<ChosenClaims, "groups">,
  { userId, organizationId }: { readonly userId: UserId; readonly organizationId: string | undefined },
): Promise<readonly GroupOfUser[]> {
  if (chosen.groups === false || chosen.groups === "ROLE_KEYS" || organizationId === undefined) return [];
  return await listGroupsOfUser(tx, userId, organizationId);
}

/** What a project or its application begins to tell after the user was asked is left out until the user is asked again. */
function keepConfirmed(
  chosen: ChosenClaims,
  consent: Consent | undefined,
  projectId: string | undefined,
): ChosenClaims {
  if (consent?.kind !== "confirmation") return chosen;
  const { claims, audiences } = consent.gift;
  // A project that the page has named learns its own roles from any token: an application of it that exchanged the token may, too.
  const hasRoles = claims.includes("roles") || (projectId !== undefined && audiences.includes(projectId));
  return {
    profile: chosen.profile && claims.includes("profile"),
    email: chosen.email && claims.includes("email"),
    phone: chosen.phone && claims.includes("phone"),
    ownRoles: chosen.ownRoles && hasRoles,
    groups: hasRoles && chosen.groups,
    otherRoles: chosen.otherRoles && claims.includes("other-roles"),
    resourceOwner: chosen.resourceOwner && claims.includes("organization"),
    single: new Set([...chosen.single].filter((name) => claims.some((claim) => claim === toGiftClaim(name)))),
  };
}

/** Names what the page that asks the user has for a claim. */
function toGiftClaim(name: string): string | undefined {
  const scope = findScopeOfClaim(name);
  return scope === resourceOwnerScope ? "organization" : scope;
}

/** Of a project that is granted to the organization of the client, only the roles of the grant are told. */
function keepLimits(
  roles: readonly RolesInEffect[],
  { projectId, roleLimits }: { readonly projectId: string | undefined } & Pick<RequestedScopes, "roleLimits">,
): readonly RolesInEffect[] {
  if (roleLimits === undefined || roleLimits.size === 0) return roles;
  return roles.flatMap((role) => {
    const limit = role.projectId === projectId ? undefined : roleLimits.get(role.projectId);
    if (limit === undefined) return [role];
    return [{ ...role, roleKeys: role.roleKeys.filter((key) => limit.includes(key)) }];
  });
}

function projectsOf(
  chosen: ChosenClaims,
  { projectId, scopes }: { readonly projectId: string | undefined; readonly scopes: RequestedScopes },
): readonly string[] {
  const own =
    projectId !== undefined && (chosen.ownRoles || chosen.groups === "ROLE_KEYS") ? [projectId] : [];
  const others = chosen.otherRoles ? scopes.projectIds.filter((id) => id !== projectId) : [];
  return [...own, ...others];
}
