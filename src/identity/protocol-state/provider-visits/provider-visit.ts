import type { IdentityProviderId, InteractionId, OrganizationId } from "../../../kernel/base/ids.ts";
import type { Sealed } from "../../../kernel/base/keyring.ts";

/** A browser that was sent to an identity provider and has not come back, as it is stored. */
export interface ProviderVisit {
  /** Of the `state` that it brings back. */
  readonly hash: string;
  /** The login that it goes on with. An interaction has one visit: a later one replaces a former one. */
  readonly interactionId: InteractionId;
  readonly providerId: IdentityProviderId;
  /** That of the provider. */
  readonly organizationId: OrganizationId;
  /** Encrypted: what the answer of the provider is checked with. */
  readonly content: Sealed;
  /** That of the interaction. */
  readonly expirationMs: number;
}
