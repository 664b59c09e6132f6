import type { ReadTransaction } from "../../../kernel/base/database.ts";
import type { Consent } from "../../../identity/logins/authorizations/gift.ts";
import { earliest } from "../../../kernel/base/clock.ts";
import { listRolesInEffect } from "../../../identity/user-grants/effective-role-repository.ts";
import { type OidcClient, ownPlaceOf } from "../clients/client.ts";
import type { ReadClaims } from "./read-told-claims.ts";
import { toRoleClaims } from "./told-claims.ts";
import type { ReachedApi } from "./reached-apis.ts";

/**
 * Makes the claims about roles that a token for APIs tells: those in the projects of the APIs that assert roles, as far as the user has
 * let the application have them. A program that acts for itself has no application, and tells none.
 */
export async function readApiRoles(
  tx: ReadTransaction,
  {
    userId,
    apis,
    application,
    consent,
  }: {
    readonly userId: string;
    readonly apis: readonly ReachedApi[];
    readonly application: OidcClient | undefined;
    readonly consent: Consent | undefined;
  },
): Promise<ReadClaims> {
  if (application === undefined) return { told: {}, endDate: undefined };
  const ownProjectId = ownPlaceOf(application)?.project.id;
  const isConfirmed = (projectId: string): boolean => {
    if (consent?.kind !== "confirmation") return true;
    return consent.gift.claims.includes(projectId === ownProjectId ? "roles" : "other-roles");
  };
  const telling = apis.filter(({ project }) => project.projectRoleAssertion && isConfirmed(project.id));
  const limits = new Map(telling.map(({ project, roleLimit }) => [project.id, roleLimit]));
  const ids = [...limits.keys()];
  const roles = (await listRolesInEffect(tx, userId, ids)).flatMap((role) => {
    const limit = limits.get(role.projectId);
    return limit === undefined
      ? [role]
      : [{ ...role, roleKeys: role.roleKeys.filter((key) => limit.includes(key)) }];
  });
  const told = toRoleClaims(roles, { projectId: ids.length === 1 ? ids[0] : undefined });
  return { told, endDate: earliest(roles.map(({ endDate }) => endDate)) };
}
