import type { ReadTransaction } from "../../base/database.ts";
import type { UserId } from "../../base/ids.ts";
import { findOrganization } from "../../features/organizations/repository.ts";
import type { Claims } from "../../features/signing-keys/jwt.ts";
import { listRolesInEffect } from "../../features/user-grants/effective-role-repository.ts";
import { findUserById } from "../../features/users/user/repository.ts";
import type { OidcClient } from "../clients/client.ts";
import type { RequestedScopes } from "./scopes.ts";
import { chooseClaims, type ChosenClaims, type ClaimPlace, toToldClaims } from "./told-claims.ts";

/** About whom, and for whom, claims are made. */
export interface AskedClaims {
  readonly place: ClaimPlace;
  readonly userId: UserId;
  readonly scopes: RequestedScopes;
  /** The application of the token; undefined for a service user that acts for itself. */
  readonly application: OidcClient | undefined;
}

/** Makes the claims about a user that are told at a place, as they are at this instant. */
export async function readToldClaims(tx: ReadTransaction, asked: AskedClaims): Promise<Claims> {
  const { userId, scopes, application } = asked;
  const project = application?.place?.project;
  const settings = application && { projectRoleAssertion: false, ...application.settings, ...project };
  const chosen = chooseClaims(asked.place, scopes, settings);
  const projectId = project?.id;
  const tellsUser = chosen.profile || chosen.email || chosen.phone || chosen.resourceOwner;
  const user = tellsUser ? await findUserById(tx, userId) : undefined;
  const owner =
    chosen.resourceOwner && user !== undefined
      ? await findOrganization(tx, user.details.resourceOwner)
      : undefined;
  return toToldClaims({
    chosen,
    user,
    projectId,
    roles: await listRolesInEffect(tx, userId, projectsOf(chosen, { projectId, scopes })),
    roleKeys: scopes.roleKeys,
    resourceOwner: owner && { id: owner.id, name: owner.name },
  });
}

function projectsOf(
  chosen: ChosenClaims,
  { projectId, scopes }: { readonly projectId: string | undefined; readonly scopes: RequestedScopes },
): readonly string[] {
  const own = projectId !== undefined && (chosen.ownRoles || chosen.groups) ? [projectId] : [];
  const others = chosen.otherRoles ? scopes.projectIds.filter((id) => id !== projectId) : [];
  return [...own, ...others];
}
