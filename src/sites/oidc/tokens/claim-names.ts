import { resourceOwnerScope } from "./scopes.ts";

/** The claims about the organization of a user. */
export const resourceOwnerClaims = {
  id: "urn:zitadel:iam:user:resourceowner:id",
  name: "urn:zitadel:iam:user:resourceowner:name",
} as const;

/**
 * The claims about a user that may be asked for one by one, each with the scope that it counts as (OpenID Connect Core §5.4, §5.5).
 * Roles and groups are not among them: their values are not data of the user.
 */
const scopeOfClaim: ReadonlyMap<string, string> = new Map([
  ["name", "profile"],
  ["given_name", "profile"],
  ["family_name", "profile"],
  ["preferred_username", "profile"],
  ["locale", "profile"],
  ["updated_at", "profile"],
  ["email", "email"],
  ["email_verified", "email"],
  ["phone_number", "phone"],
  ["phone_number_verified", "phone"],
  [resourceOwnerClaims.id, resourceOwnerScope],
  [resourceOwnerClaims.name, resourceOwnerScope],
]);

/** Returns the scope that a claim counts as; undefined for one that nobody can ask for by its name. */
export function findScopeOfClaim(claim: string): string | undefined {
  return scopeOfClaim.get(claim);
}
