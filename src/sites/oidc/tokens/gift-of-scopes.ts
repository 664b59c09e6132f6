import { apiAudience } from "../../../identity/logins/access-tokens/access-token.ts";
import { type Gift, type GiftClaim, giftClaims } from "../../../identity/logins/authorizations/gift.ts";
import type { ReachableScopes } from "./reach.ts";

/**
 * Lists what an application would be given by these scopes, in tokens or elsewhere: what userinfo and introspection tell, no
 * setting of the application leaves out. `projectRoleAssertion`: of its project.
 */
export function toGift(
  { scopes, projects }: ReachableScopes,
  { projectRoleAssertion }: { readonly projectRoleAssertion: boolean },
): Gift {
  const has = (scope: string) => scopes.granted.includes(scope);
  const told: Readonly<Record<GiftClaim, boolean>> = {
    identity: true,
    profile: has("profile"),
    email: has("email"),
    phone: has("phone"),
    roles: projectRoleAssertion || scopes.roleKeys.length > 0 || has("groups"),
    "other-roles": scopes.wantsProjectRoles && projects.length > 0,
    organization: scopes.wantsResourceOwner,
  };
  return {
    claims: giftClaims.filter((claim) => told[claim]),
    audiences: [
      ...projects.map(({ id }) => id).toSorted(),
      ...scopes.audiences.filter((id) => id === apiAudience),
    ],
    apiScopes: [],
    offlineAccess: scopes.wantsRefreshToken,
  };
}
