import type { HookId, IdentityProviderId } from "../../../kernel/base/ids.ts";

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
  /** What else the provider says, for hooks. Left out once they were asked. */
  readonly said?: SaidOfIdentity;
  /** What hooks make of the identity, in the order in which it counts; undefined: nobody has asked them. */
  readonly hooked?: readonly HookedIdentity[];
}

/** All that a provider says of a person, by the names that it uses. */
export interface SaidOfIdentity {
  readonly claims: Readonly<Record<string, unknown>>;
  /** Whether claims are missing because there are too many, or too long ones. */
  readonly isCut: boolean;
}

/** What a hook makes of an identity; undefined: as it is. */
export interface IdentityChanges {
  readonly profile?: ProfileChanges;
  /** Metadata of the user, by their keys; null: there is none. */
  readonly metadata?: Readonly<Record<string, string | null>>;
  /** Of the groups with the hook as source, the ones that the user is in, by id or external id. */
  readonly groups?: readonly string[];
}

/** What one hook makes of an identity. */
export interface HookedIdentity extends IdentityChanges {
  readonly hookId: HookId;
}

/** The names of a person, and their language, as a hook wants them; undefined: as they are. */
export interface ProfileChanges {
  readonly givenName?: string | undefined;
  readonly familyName?: string | undefined;
  readonly displayName?: string | undefined;
  readonly preferredLanguage?: string | undefined;
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
