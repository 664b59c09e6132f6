import type { Client } from "@connectrpc/connect";
import { withKey } from "../../../api/call-options.ts";
import {
  type IdentityProvider,
  IdentityProviderState,
} from "../../../../../gen/console/gatehouse/v1/identity_provider_pb.ts";
import type { IdentityProviderService } from "../../../../../gen/console/gatehouse/v1/identity_provider_service_pb.ts";
import type { LoginPolicyService } from "../../../../../gen/console/gatehouse/v1/login_policy_service_pb.ts";

/** More than a policy can list. */
const pageSize = 1000;

/** Reads the active identity providers of the organization that its own policy does not list, oldest first: of the first thousand. */
export async function findUnoffered(
  policies: Client<typeof LoginPolicyService>,
  providers: Client<typeof IdentityProviderService>,
): Promise<readonly IdentityProvider[]> {
  const [{ idps }, { identityProviders }] = await Promise.all([
    policies.listLoginPolicyIdps({ pageSize }),
    providers.listIdentityProviders({ pageSize, state: IdentityProviderState.ACTIVE }),
  ]);
  const listed = new Set(idps.map(({ idpId }) => idpId));
  return identityProviders.filter(({ id }) => !listed.has(id));
}

/** Lets logins offer the identity providers, one after the other. Those before one that fails stay offered. */
export async function offerAll(
  policies: Client<typeof LoginPolicyService>,
  providers: readonly Pick<IdentityProvider, "id">[],
  key: string,
): Promise<void> {
  for (const { id } of providers) await policies.addIdpToLoginPolicy({ idpId: id }, withKey(`${key}.${id}`));
}
