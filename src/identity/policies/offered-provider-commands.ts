import type { Call } from "../../kernel/base/call.ts";
import type { ReadTransaction } from "../../kernel/base/database.ts";
import type { Details } from "../../kernel/base/details.ts";
import { type IdentityProviderId, toId } from "../../kernel/base/ids.ts";
import type { PageRequest } from "../../kernel/base/paging.ts";
import { requireBelowLimit } from "../../kernel/base/problem.ts";
import { change, type FeatureContext } from "../context.ts";
import { remove, type Removal } from "../removal.ts";
import { requireActiveProvider } from "../providers/identity-provider.ts";
import { getIdentityProvider } from "../providers/repository.ts";
import { type ListedPage, readList } from "../list.ts";
import { loginPolicyNotFound, type StoredLoginPolicy } from "./login-policy.ts";
import {
  maxOfferedProviders,
  type OfferedProvider,
  offerProvider,
  providerNotOffered,
  providerOffered,
  withdrawProvider,
} from "./offered-provider.ts";
import {
  countOfferedProviders,
  isProviderOffered,
  offeredProviderList,
} from "./offered-provider-repository.ts";
import { findLoginPolicy } from "./repository.ts";

/** The use cases of the identity providers that the own policy of an organization lists. */
export interface OfferedProviderCommands {
  /** Raises NOT_FOUND, also where there is no policy of its own, IDP_NOT_ACTIVE, ALREADY_EXISTS, LIMIT_REACHED. */
  add(call: Call, providerId: string): Promise<Details>;
  /** Raises NOT_FOUND if the policy does not list it, or there is no policy. */
  remove(call: Call, providerId: string): Promise<Removal>;
  /** In the order in which they were added; none where there is no policy of its own. Raises PAGE_TOKEN_INVALID. */
  list(call: Call, page: PageRequest): Promise<ListedPage<OfferedProvider>>;
}

/** Creates the commands. All act on the policy of the organization of the call. */
export function createOfferedProviderCommands(context: FeatureContext): OfferedProviderCommands {
  return {
    add: (begun, providerId) =>
      change(context, begun, {
        async load({ tx, call }) {
          const provider = await getIdentityProvider(tx, call.access.organizationId, providerId);
          return { ...(await getOwnPolicy(tx, call)), provider };
        },
        async decide({ provider, ...policy }, { tx }) {
          if (await isProviderOffered(tx, policy.id, provider.id)) throw providerOffered(providerId);
          const { id } = requireActiveProvider(provider);
          const count = await countOfferedProviders(tx, policy.id, maxOfferedProviders);
          requireBelowLimit(count, { type: "login_policy_idp", max: maxOfferedProviders });
          return [offerProvider(policy, id)];
        },
      }),
    remove: (begun, providerId) =>
      remove(context, begun, {
        async load({ tx, call }) {
          const policy = await findLoginPolicy(tx, call.access.organizationId);
          if (policy === undefined || !(await isProviderOffered(tx, policy.id, providerId)))
            throw providerNotOffered(providerId);
          return policy;
        },
        async decide(policy, command) {
          const { organizationId } = command.call.access;
          await context.waysIn?.keep(command, { of: "organization", organizationId });
          return [withdrawProvider(policy, toId<IdentityProviderId>(providerId))];
        },
      }),
    list: (call, page) =>
      context.database.read(async (tx) => {
        const policy = await findLoginPolicy(tx, call.access.organizationId);
        const asked = { of: policy?.id ?? "", filter: {} };
        return await readList(context, tx, { list: offeredProviderList, call, asked, page });
      }),
  };
}

async function getOwnPolicy(tx: ReadTransaction, call: Call): Promise<StoredLoginPolicy> {
  const { organizationId } = call.access;
  const policy = await findLoginPolicy(tx, organizationId);
  if (policy === undefined) throw loginPolicyNotFound(organizationId);
  return policy;
}
