import type { IdentityProviderId } from "../../../kernel/base/ids.ts";

/** A person that has logged in at a provider. The provider's answer was checked: all of it is what the provider says. */
export interface ExternalIdentity {
  readonly providerId: IdentityProviderId;
  /** As in the answer, and in the configuration of the provider. */
  readonly issuer: string;
  /** Names the identity at the issuer. 1 to 255 characters. */
  readonly subject: string;
  /** When the provider let the user in, by its own clock; undefined: it does not say. */
  readonly authTimeMs?: number | undefined;
  readonly claims: IdentityClaims;
  /** The groups here, of those that the provider decides about, that it says the person is in; undefined: it says nothing of groups. */
  readonly groupIds?: readonly string[];
}

/** The claims of a provider about an identity. None of it identifies anybody: only provider, issuer and subject do. */
export interface IdentityClaims {
  readonly preferredUsername?: string | undefined;
  readonly email?: string | undefined;
  /** Whether the claim `email_verified` is the boolean true. */
  readonly emailVerified: boolean;
  readonly name?: string | undefined;
  readonly givenName?: string | undefined;
  readonly familyName?: string | undefined;
  readonly locale?: string | undefined;
}
