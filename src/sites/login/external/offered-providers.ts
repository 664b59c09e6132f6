import type { ReadTransaction } from "../../../kernel/base/database.ts";
import type { OrganizationId } from "../../../kernel/base/ids.ts";
import type { IdentityProvider } from "../../../identity/providers/identity-provider.ts";
import { listActiveIdentityProviders } from "../../../identity/providers/repository.ts";
import { listOfferedIds } from "../../../identity/policies/offered-provider-repository.ts";
import { findLoginPolicy } from "../../../identity/policies/repository.ts";
import type { LoginState } from "../login-state.ts";

type AskedState = Pick<LoginState, "application" | "requestedOrganization" | "policy">;

/**
 * Lists the identity providers that a login offers, oldest first: the ACTIVE ones of the organization that logs in. A policy of its
 * own may list fewer. There are none where the policy allows none.
 */
export async function listOfferedProviders(
  tx: ReadTransaction,
  state: AskedState,
): Promise<readonly IdentityProvider[]> {
  const organizationId = organizationOf(state);
  if (organizationId === undefined || !state.policy.allowExternalIdps) return [];
  const active = await listActiveIdentityProviders(tx, organizationId);
  const own = await findLoginPolicy(tx, organizationId);
  if (own === undefined) return active;
  const listed = await listOfferedIds(tx, own.id);
  return active.filter(({ id }) => listed.has(id));
}

/** Finds an identity provider that a login offers; undefined for every other one. */
export async function findOfferedProvider(
  tx: ReadTransaction,
  state: AskedState,
  id: string,
): Promise<IdentityProvider | undefined> {
  return (await listOfferedProviders(tx, state)).find((provider) => provider.id === id);
}

/** The organization that logs in: its policy decides, and only its own identity providers are offered. Our own pages belong to
 * no organization. */
function organizationOf({ application, requestedOrganization }: AskedState): OrganizationId | undefined {
  return (requestedOrganization ?? application?.organization)?.id;
}
