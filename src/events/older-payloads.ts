/**
 * The payloads of versions that are not written any more, and what each of them means in the version after it. Installations keep
 * such events forever: nothing in this file is ever changed or removed.
 */

/** Puts a payload of one version into the form of the next one. Pure. Personal fields are absent once the key is destroyed. */
export type Upgrade = (payload: never) => object;

/** Version 1 of `organization.removed`. */
export type OrganizationRemovedV1 = Record<never, never>;

/** Version 1 of `user.removed`. */
export type UserRemovedV1 = Record<never, never>;

/** Version 1 of `user.token.removed`. */
export interface TokenRemovedV1 {
  readonly token_id: string;
}

/** Version 1 of `user.changed`. */
export interface UserChangedV1 {
  readonly username?: string;
  readonly given_name?: string;
  readonly family_name?: string;
  readonly display_name?: string;
  readonly preferred_language?: string;
  readonly email?: string;
  readonly name?: string;
  readonly description?: string;
}

/** Version 1 of `user.added`. */
export interface UserAddedV1 extends UserChangedV1 {
  readonly kind: "human" | "service";
  readonly phone?: string;
}

/** Version 2 says whether tokens went too that had been made for other users; before it, they always did. */
const takesTokensForOthers = { takes_tokens_for_others: true } as const;

/** The upgrades of `organization.removed`, from version 1. */
export const organizationRemovedUpgrades = [
  (payload: OrganizationRemovedV1) => ({ ...payload, ...takesTokensForOthers }),
] as const;

/** The upgrades of `user.removed`, from version 1. */
export const userRemovedUpgrades = [
  (payload: UserRemovedV1) => ({ ...payload, ...takesTokensForOthers }),
] as const;

/** The upgrades of `user.token.removed`, from version 1. */
export const tokenRemovedUpgrades = [
  (payload: TokenRemovedV1) => ({ ...payload, ...takesTokensForOthers }),
] as const;

/** The upgrades of `user.added`, from version 1. Version 2 may say how the access tokens of a service user are made. */
export const userAddedUpgrades = [(payload: UserAddedV1) => payload] as const;

/** The upgrades of `user.changed`, from version 1, as those of `user.added`. */
export const userChangedUpgrades = [(payload: UserChangedV1) => payload] as const;
