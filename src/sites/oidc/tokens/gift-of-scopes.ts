import { apiAudience } from "../../../identity/logins/access-tokens/access-token.ts";
import {
  type Gift,
  type GiftClaim,
  giftClaims,
  toConfirmedScope,
} from "../../../identity/logins/authorizations/gift.ts";
import type { MappedGift } from "../../../identity/claim-mappings/mapped-gift.ts";
import type { AllowedApi } from "./reached-apis.ts";
import type { ReachableScopes } from "./reach.ts";

/**
 * Lists what an application would be given by these scopes, in tokens or elsewhere: what userinfo and introspection tell, no
 * setting of the application leaves out. `project`: its own; undefined: an external client has none.
 * `apis`: those that it names, and others that define a scope. `mapped`: what the claims of its own give.
 */
export function toGift(
  { scopes, projects }: ReachableScopes,
  project: { readonly id: string; readonly projectRoleAssertion: boolean } | undefined,
  { apis, mapped }: { readonly apis: readonly AllowedApi[]; readonly mapped: MappedGift },
): Gift {
  const others = apis.map(({ api }) => api).filter((api) => api.project.id !== project?.id);
  const has = (scope: string) => scopes.granted.includes(scope);
  const told: Readonly<Record<GiftClaim, boolean>> = {
    identity: true,
    profile: has("profile"),
    email: has("email"),
    phone: has("phone"),
    roles:
      project?.projectRoleAssertion === true ||
      scopes.roleKeys.length > 0 ||
      has("groups") ||
      mapped.claims.includes("roles"),
    "other-roles":
      (scopes.wantsProjectRoles && projects.length > 0) ||
      others.some((api) => api.project.projectRoleAssertion),
    organization: scopes.wantsResourceOwner,
  };
  return {
    claims: giftClaims.filter((claim) => told[claim]),
    metadata: mapped.metadata,
    audiences: [
      ...[...projects, ...others].map(({ id }): string => id).toSorted(),
      ...scopes.audiences.filter((id) => id === apiAudience),
    ],
    apiScopes: apis
      .flatMap(({ api, names }) => [...names].map((name) => toConfirmedScope(api, name)))
      .toSorted(),
    offlineAccess: scopes.wantsRefreshToken,
  };
}
