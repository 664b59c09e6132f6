import type { Details } from "../../kernel/base/details.ts";
import type { IdentityProviderId, LoginPolicyId } from "../../kernel/base/ids.ts";
import { alreadyExists, notFound, type Problem } from "../../kernel/base/problem.ts";
import type { NewEvent } from "../../kernel/events/event.ts";

/** An identity provider that a login policy lists: logins to the organization offer it while it is ACTIVE. */
export interface OfferedProvider {
  readonly id: IdentityProviderId;
  readonly name: string;
  readonly state: "ACTIVE" | "INACTIVE";
  /** When the policy began to list it; the sequence is the same. */
  readonly details: Details;
}

/** Maximum number of identity providers that a policy lists: each is a button on a page. */
export const maxOfferedProviders = 100;

/** Decides to offer an identity provider. */
export function offerProvider(policy: PolicyPlace, id: IdentityProviderId): NewEvent {
  return { ...aggregateOf(policy), type: "login_policy.idp.added", payload: { idp_id: id } };
}

/** Decides to offer an identity provider no more. */
export function withdrawProvider(policy: PolicyPlace, id: IdentityProviderId): NewEvent {
  return { ...aggregateOf(policy), type: "login_policy.idp.removed", payload: { idp_id: id } };
}

/** Returns the problem of an identity provider that the policy lists already. */
export function providerOffered(id: string): Problem {
  return alreadyExists("login_policy_idp", id);
}

/** Returns the problem of an identity provider that the policy does not list. */
export function providerNotOffered(id: string): Problem {
  return notFound("login_policy_idp", id);
}

type PolicyPlace = { readonly id: LoginPolicyId; readonly details: Pick<Details, "resourceOwner"> };

function aggregateOf({ id, details }: PolicyPlace) {
  return { aggregateId: id, resourceOwner: details.resourceOwner };
}
