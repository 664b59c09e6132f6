/**
 * The payloads of versions that are not written any more, and what each of them means in the version after it. Installations keep
 * such events forever: nothing in this file is ever changed or removed.
 */

import type { IdentityProviderV1, IdentityProviderV2, IdentityProviderV3 } from "./provider-payloads.ts";
import type {
  ApiApplicationAddedV1,
  ApiApplicationAddedV2,
  ApiApplicationChangedV1,
  ApiApplicationChangedV2,
} from "./application-payloads.ts";
import type {
  GrantChangedV1,
  GroupGrantAddedV1,
  GroupMemberAddedV1,
  MembershipAddedV1,
  MembershipAddedV2,
  MembershipChangedV1,
  GroupSettingsV1,
  ProjectGrantAddedV1,
  UserGrantAddedV1,
  UserAddedV1,
  UserAddedV2,
  UserAddedV3,
  UserChangedV1,
  UserChangedV2,
  UserGrantAddedV2,
} from "./older-people-payloads.ts";
import type { EventType } from "./payloads.ts";

/** Puts a payload of one version into the form of the next one. Pure. Personal fields are absent once the key is destroyed. */
export type Upgrade = (payload: never) => object;

/** Version 1 of `organization.removed`. */
export type OrganizationRemovedV1 = Record<never, never>;

/** Version 1 of `user.locked`. */
export type UserLockedV1 = Record<never, never>;

/** Version 1 of `user.removed`. */
export type UserRemovedV1 = Record<never, never>;

/** Version 1 of `user.token.removed`. */
export interface TokenRemovedV1 {
  readonly token_id: string;
}

/** Version 1 of `session.checked`. */
export interface SessionCheckedV1 {
  readonly method: string;
  readonly factor_id?: string;
  readonly counter?: string;
  readonly auth_date?: string;
}

/** Version 1 of `user.u2f.verified`. */
export interface U2fVerifiedV1 {
  readonly u2f_id: string;
  readonly name?: string;
  readonly credential_id: string;
  readonly public_key: string;
  readonly counter: string;
  readonly aaguid: string;
  readonly attestation_format: string;
}

/** Version 1 of `user.key.added`. */
export interface UserKeyAddedV1 {
  readonly key_id: string;
  readonly public_key: string;
  readonly expiration_date?: string;
  readonly made_with_token_id?: string;
}

/** Version 1 of `user.secret.set`. */
export interface UserSecretSetV1 {
  readonly secret_id: string;
  readonly expiration_date?: string;
  readonly made_with_token_id?: string;
}

/** Version 1 of `application.oidc.changed`. */
export interface OidcApplicationChangedV1 {
  readonly redirect_uris: readonly string[];
  readonly response_types: readonly string[];
  readonly grant_types: readonly string[];
  readonly app_type: string;
  readonly auth_method_type: string;
  readonly post_logout_redirect_uris: readonly string[];
  readonly dev_mode: boolean;
  readonly access_token_type: string;
  readonly access_token_role_assertion: boolean;
  readonly id_token_role_assertion: boolean;
  readonly id_token_userinfo_assertion: boolean;
  readonly additional_origins: readonly string[];
  readonly signing_algorithm: string;
  readonly api_access: boolean;
  readonly require_pkce: boolean;
}

/** Version 1 of `application.oidc.added`. */
export interface OidcApplicationAddedV1 extends OidcApplicationChangedV1 {
  readonly project_id: string;
  readonly name: string;
}

/** Version 2 of `application.oidc.changed`. */
export interface OidcApplicationChangedV2 extends OidcApplicationChangedV1 {
  readonly back_channel_logout_uri?: string;
}

/** Version 2 of `application.oidc.added`. */
export interface OidcApplicationAddedV2 extends OidcApplicationChangedV2 {
  readonly project_id: string;
  readonly name: string;
}

/** Version 3 of `application.oidc.changed`. */
export interface OidcApplicationChangedV3 extends OidcApplicationChangedV2 {
  readonly groups_claim?: string;
}

/** Version 3 of `application.oidc.added`. */
export interface OidcApplicationAddedV3 extends OidcApplicationChangedV3 {
  readonly project_id: string;
  readonly name: string;
}

/** Version 4 of `application.oidc.changed`. */
export interface OidcApplicationChangedV4 extends OidcApplicationChangedV3 {
  readonly security_profile?: string;
  readonly require_par?: boolean;
  readonly require_dpop?: boolean;
}

/** Version 4 of `application.oidc.added`. */
export interface OidcApplicationAddedV4 extends OidcApplicationChangedV4 {
  readonly project_id: string;
  readonly name: string;
}

/** Version 1 of `authorization.confirmed`. */
export interface AuthorizationConfirmedV1 {
  readonly user_id: string;
  readonly application_id: string;
}

/** Version 1 of `authorization.granted`. */
export interface AuthorizationGrantedV1 {
  readonly user_id: string;
  readonly application_id: string;
  readonly session_id: string;
  readonly scopes: readonly string[];
}

/** Version 1 of `session.added`. */
export interface SessionAddedV1 {
  readonly user_id: string;
  readonly application_id?: string;
  readonly methods: readonly string[];
  readonly expiration_date: string;
  readonly user_agent?: string;
  readonly remote_address?: string;
}

/** Version 1 of `signing_key.added`. */
export interface SigningKeyAddedV1 {
  readonly algorithm: string;
  readonly public_key: string;
  readonly state: string;
}

/** Version 1 of `signing_key.activated`. */
export type SigningKeyActivatedV1 = Record<never, never>;

/** Version 1 of `signing_key.retired`. */
export interface SigningKeyRetiredV1 {
  readonly expiration_date: string;
}

/** Version 1 of `signing_key.removed`. */
export type SigningKeyRemovedV1 = Record<never, never>;

/** Version 1 of `application.saml.settings.changed`. */
export interface SamlSettingsChangedV1 {
  readonly require_signed_requests: boolean;
  readonly encryption: string;
  readonly name_id_format: string;
  readonly allow_idp_initiated: boolean;
  readonly default_relay_state: string;
  readonly logout_disabled: boolean;
  readonly attributes: readonly {
    readonly name: string;
    readonly name_format: string;
    readonly source?: string;
    readonly constant?: string;
  }[];
}

/** Version 1 of `login_policy.added` and `login_policy.changed`. */
export interface LoginPolicyV1 {
  readonly allow_password: boolean;
  readonly allow_external_idps?: boolean;
  readonly allow_passkeys?: boolean;
  readonly allow_registration?: boolean;
  readonly force_mfa: boolean;
  readonly force_mfa_local_only?: boolean;
  readonly min_password_length: number;
  readonly max_password_attempts: number;
  readonly session_idle_seconds: number;
  readonly session_lifetime_seconds: number;
  readonly second_factors: readonly string[];
  readonly link_by_verified_email?: string;
}

/** Version 2 of `login_policy.added` and `login_policy.changed`. */
export interface LoginPolicyV2 extends LoginPolicyV1 {
  readonly notify_security_changes: boolean;
}

/** Version 1 of `user.email.verified` and `user.phone.verified`. */
export type VerifiedV1 = Record<never, never>;

/** Version 1 of `user.password.set`. */
export interface PasswordSetV1 {
  readonly change_required: boolean;
  readonly by: string;
  readonly made_with_token_id?: string;
}

/** Version 1 of `label_policy.added`, `label_policy.changed` and `label_policy.activated`. */
export interface LabelPolicyV1 {
  readonly light: LabelColorsV1;
  readonly dark: LabelColorsV1;
  readonly theme: string;
  readonly corner_radius: number;
  readonly hide_product_name: boolean;
  readonly images: readonly {
    readonly kind: string;
    readonly hash: string;
    readonly content_type: string;
    readonly width: number;
    readonly height: number;
  }[];
}

interface LabelColorsV1 {
  readonly primary: string;
  readonly background: string;
  readonly warn: string;
  readonly font: string;
}

/** What version 1 meant: tokens went too that had been made for other users. Version 2 says whether they did. */
const takesTokensForOthers = { takes_tokens_for_others: true } as const;

/** The value for policies of version 1, which lack it. */
const notifies = { notify_security_changes: true } as const;

/** The value for policies of version 2, which lack it. */
const takesAllNames = { login_names: ["USERNAME", "EMAIL", "PHONE"] } as const;

/** What version 1 meant: a key signed all tokens. Version 2 says what it signs. */
const signsTokens = { use: "oidc" } as const;

/** The links of a branding of version 1, which lacks them: there are none. */
export const hasNoLinks = { terms_url: "", privacy_url: "", help_url: "", support_email: "" } as const;

/**
 * The upgrades of each type of event whose payload has changed, from version 1 on: the first one makes version 2. What is written has
 * the version after the last one.
 */
export const payloadUpgrades = {
  "organization.removed": [(payload: OrganizationRemovedV1) => ({ ...payload, ...takesTokensForOthers })],
  /** Version 2 may be of a provider of SAML, version 3 of a directory, version 4 of a provider that is known beforehand. */
  "identity_provider.added": [
    (payload: IdentityProviderV1) => payload,
    (payload: IdentityProviderV2) => payload,
    (payload: IdentityProviderV3) => payload,
  ],
  "identity_provider.changed": [
    (payload: IdentityProviderV1) => payload,
    (payload: IdentityProviderV2) => payload,
    (payload: IdentityProviderV3) => payload,
  ],
  /**
   * Version 2 may say how the access tokens of a service user are made; version 3 also what id a user had in another system; version 4
   * that addresses which a service user sets by SCIM are vouched for.
   */
  "user.added": [
    (payload: UserAddedV1) => payload,
    (payload: UserAddedV2) => payload,
    (payload: UserAddedV3) => payload,
  ],
  /** Version 2 may say how the access tokens of a service user are made, version 3 what version 4 of `user.added` may. */
  "user.changed": [(payload: UserChangedV1) => payload, (payload: UserChangedV2) => payload],
  /** Version 2 may say that nobody did it. */
  "user.locked": [(payload: UserLockedV1) => payload],
  "user.removed": [(payload: UserRemovedV1) => ({ ...payload, ...takesTokensForOthers })],
  /** Version 2 may say with which token the factor was registered. */
  "user.u2f.verified": [(payload: U2fVerifiedV1) => payload],
  /** Version 2 may name the people that could have made the login in which it was made. */
  "user.key.added": [(payload: UserKeyAddedV1) => payload],
  "user.secret.set": [(payload: UserSecretSetV1) => payload],
  "user.token.removed": [(payload: TokenRemovedV1) => ({ ...payload, ...takesTokensForOthers })],
  /**
   * Version 2 may have the URI that is notified of the end of sessions, version 3 also what the claim of groups tells, version 4 a security
   * profile, version 5 what names users.
   */
  "application.oidc.added": [
    (payload: OidcApplicationAddedV1) => payload,
    (payload: OidcApplicationAddedV2) => payload,
    (payload: OidcApplicationAddedV3) => payload,
    (payload: OidcApplicationAddedV4) => payload,
  ],
  "application.oidc.changed": [
    (payload: OidcApplicationChangedV1) => payload,
    (payload: OidcApplicationChangedV2) => payload,
    (payload: OidcApplicationChangedV3) => payload,
    (payload: OidcApplicationChangedV4) => payload,
  ],
  /** Version 2 may have a resource and scopes; version 3 may let external clients have tokens for it. */
  "application.api.added": [
    (payload: ApiApplicationAddedV1) => payload,
    (payload: ApiApplicationAddedV2) => payload,
  ],
  "application.api.changed": [
    (payload: ApiApplicationChangedV1) => payload,
    (payload: ApiApplicationChangedV2) => payload,
  ],
  /**
   * Version 2 may say that the giver held the permission in the organization of the user, too; version 3 from when until when the right
   * is in effect.
   */
  "user_grant.added": [(payload: UserGrantAddedV1) => payload, (payload: UserGrantAddedV2) => payload],
  /** Version 2 may be of a group; version 3 says from when until when the right is in effect. */
  "membership.added": [(payload: MembershipAddedV1) => payload, (payload: MembershipAddedV2) => payload],
  /** Version 2 says from when until when the right is in effect. */
  "user_grant.changed": [(payload: GrantChangedV1) => payload],
  "project_grant.added": [(payload: ProjectGrantAddedV1) => payload],
  "project_grant.changed": [(payload: GrantChangedV1) => payload],
  "membership.changed": [(payload: MembershipChangedV1) => payload],
  /** Version 2 may have a hook as source. */
  "group.added": [(payload: GroupSettingsV1) => payload],
  "group.changed": [(payload: GroupSettingsV1) => payload],
  "group.member.added": [(payload: GroupMemberAddedV1) => payload],
  "group_grant.added": [(payload: GroupGrantAddedV1) => payload],
  "group_grant.changed": [(payload: GrantChangedV1) => payload],
  /** Version 2 says whether the session had the application before, and no page was shown. */
  "authorization.granted": [(payload: AuthorizationGrantedV1) => payload],
  /** Version 2 says what the page showed. */
  "authorization.confirmed": [(payload: AuthorizationConfirmedV1) => payload],
  /** Version 2 may say that only what the metadata asks for is sent. */
  "application.saml.settings.changed": [(payload: SamlSettingsChangedV1) => payload],
  /** Version 2 may have a certificate. */
  "signing_key.added": [(payload: SigningKeyAddedV1) => ({ ...payload, ...signsTokens })],
  "signing_key.activated": [(payload: SigningKeyActivatedV1) => ({ ...payload, ...signsTokens })],
  "signing_key.retired": [(payload: SigningKeyRetiredV1) => ({ ...payload, ...signsTokens })],
  "signing_key.removed": [(payload: SigningKeyRemovedV1) => ({ ...payload, ...signsTokens })],
  /** Version 2 may say with which link to an identity the user logged in. */
  "session.added": [(payload: SessionAddedV1) => payload],
  /** Likewise; it may also name the issuer. */
  "session.checked": [(payload: SessionCheckedV1) => payload],
  /** Version 2 may say that a code set it that was mailed. */
  "user.password.set": [(payload: PasswordSetV1) => payload],
  /** Version 2 may say that a code was sent to the address. Of version 1 nobody knows that. */
  "user.email.verified": [(payload: VerifiedV1) => payload],
  "user.phone.verified": [(payload: VerifiedV1) => payload],
  /**
   * Version 2 says whether users are notified when something that they sign in with changes; version 3 also what they may type as
   * their name.
   */
  "login_policy.added": [
    (payload: LoginPolicyV1) => ({ ...payload, ...notifies }),
    (payload: LoginPolicyV2) => ({ ...payload, ...takesAllNames }),
  ],
  "login_policy.changed": [
    (payload: LoginPolicyV1) => ({ ...payload, ...notifies }),
    (payload: LoginPolicyV2) => ({ ...payload, ...takesAllNames }),
  ],
  /** Version 2 has links to terms, privacy policy and help, and an email address. */
  "label_policy.added": [(payload: LabelPolicyV1) => ({ ...payload, ...hasNoLinks })],
  "label_policy.changed": [(payload: LabelPolicyV1) => ({ ...payload, ...hasNoLinks })],
  "label_policy.activated": [(payload: LabelPolicyV1) => ({ ...payload, ...hasNoLinks })],
} as const satisfies { readonly [T in EventType]?: readonly Upgrade[] };
