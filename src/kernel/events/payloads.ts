/**
 * The payload of every type of event, in the version that is written. Keys are the proto names, 64-bit values strings, instants
 * RFC 3339. Payloads hold no secret, only the ids of secrets.
 * A payload whose fields change, if only by an optional one, gets a new version: the old payload moves to `older-payloads.ts`
 * with its upgrade, because logs hold it forever. `test/kernel/events/payloads` compares every payload with its frozen description.
 */

import type { ClaimPayloads, ConfirmedPayload, GrantedPayload } from "./authorization-payloads.ts";
import type { ApplicationPayloads, Nothing } from "./application-payloads.ts";
import type { DeliveryAggregate, DeliveryPayloads, TargetPayloads } from "./delivery-payloads.ts";
import type { RightsPayloads } from "./rights-payloads.ts";
import type { InvitationPayloads } from "./invitation-payloads.ts";
import type { LabelPayloads } from "./label-payloads.ts";
import type { LoginOriginPayload } from "./login-origin-payload.ts";
import type { PasskeyPayloads } from "./passkey-payloads.ts";
import type { TextPayloads } from "./text-payloads.ts";
import type { IdentityProviderPayload, JwtConfigPayload } from "./provider-payloads.ts";

/** All settings of a project: a change replaces every one of them. */
export interface ProjectSettingsPayload {
  readonly name: string;
  readonly project_role_assertion: boolean;
  readonly project_role_check: boolean;
  readonly has_project_check: boolean;
  readonly private_labeling_setting: string;
}

/** What a user is made of; each kind has its own fields. */
export interface UserPayload {
  readonly username: string;
  /** Human users. */
  readonly given_name?: string;
  readonly family_name?: string;
  readonly display_name?: string;
  readonly preferred_language?: string;
  readonly email?: string;
  /** Service users. */
  readonly name?: string;
  readonly description?: string;
  /** Absent in events that were recorded before there were others than the default. */
  readonly access_token_type?: string;
  readonly signing_algorithm?: string;
  /** Set when addresses that the user sets by SCIM are vouched for. */
  readonly trust_mail?: true;
}

/** What happened to the tokens that were made with the removed ones. */
export interface TokenRemovalPayload {
  /** Set when those went too that had been made for other users. Only events of version 1 mean that. */
  readonly takes_tokens_for_others?: true;
}

/**
 * Why a session ended: its user left, here or (`saml_logout`) at an application of SAML, it or all sessions of its user were ended
 * by a call, the password is another one, a new session took its place, or its time was over.
 */
export type SessionEnd = "logout" | "saml_logout" | "terminated" | "password_set" | "replaced" | "expired";

/** The link with which the user logged in, and its identity provider. Absent when it was no such login, or in version 1. */
export interface ProvedLinkPayload {
  readonly link_id?: string;
  readonly idp_id?: string;
}

/** Why an authorization ended: a client revoked it, a call removed it, or its code or refresh token was used twice. */
export type AuthorizationEnd = "revoked" | "removed" | "code_reused" | "refresh_reused";

/** All settings of a login policy: a change replaces every one of them. */
export interface LoginPolicyPayload {
  readonly allow_password: boolean;
  /** Absent in events from before there were such logins: none. The same holds for the other optional ones. */
  readonly allow_external_idps?: boolean;
  readonly allow_passkeys?: boolean;
  readonly allow_registration?: boolean;
  readonly force_mfa: boolean;
  readonly force_mfa_local_only?: boolean;
  readonly min_password_length: number;
  readonly max_password_attempts: number;
  readonly session_idle_seconds: number;
  readonly session_lifetime_seconds: number;
  /** Empty = all kinds. */
  readonly second_factors: readonly string[];
  /** NEVER or ASK. Absent: ASK. */
  readonly link_by_verified_email?: string;
  readonly notify_security_changes: boolean;
  /** Never empty. */
  readonly login_names: readonly string[];
}

/** The payload of each type of event. The type begins with its aggregate. */
export interface EventPayloads
  extends ApplicationPayloads,
    ClaimPayloads,
    DeliveryPayloads,
    RightsPayloads,
    InvitationPayloads,
    LabelPayloads,
    MetadataPayloads,
    TargetPayloads,
    TextPayloads,
    PasskeyPayloads {
  "organization.added": { readonly name: string };
  "organization.changed": { readonly name: string };
  "organization.deactivated": Nothing;
  "organization.reactivated": Nothing;
  /** With everything in it, its project grants elsewhere and what its users hold elsewhere. */
  "organization.removed": TokenRemovalPayload;
  "identity_provider.added": IdentityProviderPayload;
  /** Replaces everything but the kind. */
  "identity_provider.changed": IdentityProviderPayload;
  "identity_provider.jwt.changed": JwtConfigPayload;
  "identity_provider.deactivated": Nothing;
  "identity_provider.reactivated": Nothing;
  "identity_provider.removed": Nothing;
  "user.added": UserPayload & {
    readonly kind: "human" | "service";
    /** E.164; absent without phone. */
    readonly phone?: string;
    /** The id in another system, and its SHA-256 in hexadecimal, which stays when the user is removed; absent without one. */
    readonly imported_id?: string;
    readonly imported_id_digest?: string;
  };
  /** Replaces all fields of the kind. A new email is not verified. */
  "user.changed": UserPayload;
  "user.deactivated": Nothing;
  "user.reactivated": Nothing;
  "user.locked": {
    /** Set when nobody locked the user: too many wrong passwords did. Then nothing ends for good. */
    readonly cause?: "wrong_passwords";
  };
  "user.unlocked": Nothing;
  /** With their tokens, factors, grants and memberships. Their key is destroyed with it. */
  "user.removed": TokenRemovalPayload;
  "user.phone.set": { readonly phone: string };
  "user.phone.code.added": Nothing;
  "user.phone.removed": Nothing;
  "user.email.set": { readonly email: string } & LoginOriginPayload;
  "user.email.code.added": Nothing;
  /** The user gained roles that the setter of the address did not hold. */
  "user.email.unverified": { readonly cause: "roles_gained" };
  "user.password.set": {
    /** The user must set another one at the next login. */
    readonly change_required: boolean;
    /**
     * The user responsible for it: its setter, or the user that got the code that set it; for a change by the former one, that of
     * the former.
     */
    readonly by: string;
    /** The token of that call; absent when there was none, or a login. */
    readonly made_with_token_id?: string;
    /** Set when a code set it that went to the email address of the user, or set the former one that it was changed with. */
    readonly code_to?: "email";
  };
  "user.password.removed": {
    /** Set when nobody removed it: the user gained roles that its setter did not hold. */
    readonly cause?: "roles_gained";
  };
  /** Somebody tried a password, and was not let in. */
  "user.password.check.failed": { readonly reason: string };
  /** A code was made that resets the password. */
  "user.password.reset.requested": Nothing;
  "user.u2f.added": { readonly u2f_id: string; readonly domain: string };
  "user.u2f.verified": LoginOriginPayload & {
    readonly u2f_id: string;
    readonly name: string;
    /** base64url, as the authenticator gave it. */
    readonly credential_id: string;
    /** base64url of the COSE key. */
    readonly public_key: string;
    readonly counter: string;
    readonly aaguid: string;
    readonly attestation_format: string;
    /** The token of the call that registered it. The editor made the call. Absent when there was none, or a login. */
    readonly made_with_token_id?: string;
  };
  "user.u2f.removed": { readonly u2f_id: string };
  /** The user gained roles that the user who registered the factor did not hold: the next login asks whether to keep it. */
  "user.u2f.questioned": { readonly u2f_id: string };
  /** The user keeps the factor, and answers for it from then on. */
  "user.u2f.kept": { readonly u2f_id: string };
  /** At a login the token signed with a counter that is not above the one of its last use: there may be a copy of it. */
  "user.u2f.counter.regressed": {
    readonly u2f_id: string;
    readonly last_counter: string;
    readonly counter: string;
  };
  /** Its secret is not in the log. */
  "user.totp.added": LoginOriginPayload & {
    readonly totp_id: string;
    /** The token of the call that learned the secret. The editor made the call. Absent when there was none, or a login. */
    readonly made_with_token_id?: string;
  };
  "user.totp.verified": { readonly totp_id: string };
  "user.totp.removed": { readonly totp_id: string };
  /** As of u2f tokens. */
  "user.totp.questioned": { readonly totp_id: string };
  "user.totp.kept": { readonly totp_id: string };
  /** At a login somebody typed a code of the app that was wrong, or was used before. */
  "user.totp.check.failed": { readonly totp_id: string };
  /** They replace all former ones. The codes are not in the log. */
  "user.recovery_codes.added": LoginOriginPayload & {
    readonly codes_id: string;
    readonly count: number;
    /** The token of the call that learned them. The editor made the call. Absent when there was none, or a login. */
    readonly made_with_token_id?: string;
  };
  /** One of them was used in a login. */
  "user.recovery_codes.used": { readonly codes_id: string };
  "user.recovery_codes.removed": { readonly codes_id: string };
  /** As of u2f tokens. */
  "user.recovery_codes.questioned": { readonly codes_id: string };
  "user.recovery_codes.kept": { readonly codes_id: string };
  /** From now on the owner of the identity at the provider logs in as the user. */
  "user.idp_link.added": LoginOriginPayload & {
    readonly link_id: string;
    readonly idp_id: string;
    /** Of the provider at that time: the identity is one of this issuer. */
    readonly issuer: string;
    readonly external_user_id: string;
    /** Absent = none. */
    readonly external_username?: string;
    /** The token of the call that made it. The editor made the call. Absent when there was none, or a login. */
    readonly made_with_token_id?: string;
  };
  "user.idp_link.removed": { readonly link_id: string };
  /** The user gained roles that the maker of the link did not hold: it lets nobody in until the user keeps it at a login. */
  "user.idp_link.questioned": { readonly link_id: string };
  /** The user keeps the link, and answers for it from then on. */
  "user.idp_link.kept": { readonly link_id: string };
  "user.token.added": LoginOriginPayload & {
    readonly token_id: string;
    /** Absent = never expires. */
    readonly expiration_date?: string;
    /** The token that this one was made with. The editor is the maker. Absent for those of the system. */
    readonly made_with_token_id?: string;
  };
  /** With those that its user made with it for themselves. */
  "user.token.removed": { readonly token_id: string } & TokenRemovalPayload;
  "user.key.added": LoginOriginPayload & {
    readonly key_id: string;
    /** A JSON Web Key (RFC 7517). */
    readonly public_key: string;
    /** Absent = never expires. */
    readonly expiration_date?: string;
    /** As in user.token.added. */
    readonly made_with_token_id?: string;
  };
  /** With the tokens that its user made for themselves in calls that it let in. */
  "user.key.removed": { readonly key_id: string };
  /** The former secret ends. */
  "user.secret.set": LoginOriginPayload & {
    readonly secret_id: string;
    /** Absent = never expires. */
    readonly expiration_date?: string;
    /** As in user.token.added. */
    readonly made_with_token_id?: string;
  };
  /** As user.key.removed. */
  "user.secret.removed": { readonly secret_id: string };
  "project.added": ProjectSettingsPayload;
  "project.changed": ProjectSettingsPayload;
  "project.deactivated": Nothing;
  "project.reactivated": Nothing;
  /** With its roles, applications, project grants, and the user grants and memberships that rest on it. */
  "project.removed": Nothing;
  "project.role.added": { readonly role_key: string; readonly display_name: string; readonly group: string };
  "project.role.changed": {
    readonly role_key: string;
    readonly display_name: string;
    readonly group: string;
  };
  /** Out of every project grant and user grant too. */
  "project.role.removed": { readonly role_key: string };
  /** `use` of these events: "oidc" for keys that sign tokens, "saml" for keys that sign SAML messages. */
  "signing_key.added": {
    readonly use: string;
    readonly algorithm: string;
    /** A JSON Web Key (RFC 7517). */
    readonly public_key: string;
    /** ACTIVE when it signs at once, else NEXT. */
    readonly state: string;
    /** The self-signed certificate of a key for SAML messages: base64 of its DER. */
    readonly certificate?: string;
  };
  /** From now on it signs. */
  "signing_key.activated": { readonly use: string };
  /** From now on it does not sign. It is published until that date. */
  "signing_key.retired": { readonly use: string; readonly expiration_date: string };
  /** From now on its signatures are invalid. */
  "signing_key.removed": { readonly use: string };
  "session.added": ProvedLinkPayload & {
    readonly user_id: string;
    /** The application that the user logged in to; absent when there was none. */
    readonly application_id?: string;
    /** What the user proved at the start. */
    readonly methods: readonly string[];
    /** Ends then at the latest. */
    readonly expiration_date: string;
    readonly user_agent?: string;
    readonly remote_address?: string;
  };
  /** Something was proved in the session: again, or besides the methods of its start, or with a factor that counts. */
  "session.checked": ProvedLinkPayload & {
    readonly method: string;
    readonly factor_id?: string;
    /** Of the authenticator, which must rise. */
    readonly counter?: string;
    /** When an identity provider let the user in; absent = when the event was recorded. */
    readonly auth_date?: string;
    /** The identity provider, as it names itself; absent for other methods. */
    readonly issuer?: string;
  };
  /** Ends its codes and access tokens too, unless only its time was over. */
  "session.terminated": { readonly reason: SessionEnd };
  /** A code was issued. */
  "authorization.granted": GrantedPayload;
  /** The user said yes to what a page showed of an application. */
  "authorization.confirmed": ConfirmedPayload;
  /** All that the user said yes to in that application is forgotten. */
  "authorization.unconfirmed": { readonly user_id: string; readonly application_id: string };
  /** With all tokens that came from it. */
  "authorization.revoked": { readonly reason: AuthorizationEnd };
  /** From now on the organization has this policy of its own; one of the instance is the default of all. */
  "login_policy.added": LoginPolicyPayload;
  "login_policy.changed": LoginPolicyPayload;
  /** From now on the default applies to the organization. */
  "login_policy.removed": Nothing;
  /** From now on logins to the organization offer the identity provider. */
  "login_policy.idp.added": { readonly idp_id: string };
  "login_policy.idp.removed": { readonly idp_id: string };
  /** Which clients may use the instance that nobody has created; replaces all of it. */
  "external_clients.set": {
    /** METADATA_DOCUMENT and REGISTRATION. */
    readonly kinds: readonly string[];
    /** Empty = any host. */
    readonly host_patterns: readonly string[];
    /** Empty = none. */
    readonly project_id: string;
  };
  /** All of the organization was written to a file, or of the instance (empty); with secrets, the file is encrypted. */
  "instance.exported": { readonly organization_id: string; readonly with_secrets: boolean };
}

/** The name of a type of event. */
export type EventType = keyof EventPayloads;

/** The kind of object that an event is about. The revisions of its events are counted for each object. */
export type AggregateType =
  | "organization"
  | "membership"
  | "identity_provider"
  | "user"
  | "project"
  | "project_grant"
  | "user_grant"
  | "group"
  | "group_grant"
  | "application"
  | "signing_key"
  | "session"
  | "authorization"
  | "login_policy"
  | "label_policy"
  | "custom_texts"
  | "external_clients"
  | DeliveryAggregate
  | "instance";

/** Keys of an object with their new values: those that change, at least one. */
export interface MetadataSetPayload {
  readonly entries: readonly {
    readonly key: string;
    /** In Base64. */
    readonly value: string;
  }[];
}

/** A key that an object does not have any more. */
export interface MetadataRemovedPayload {
  readonly key: string;
}

/** The kinds of objects that have metadata. */
export type MetadataKind = "user" | "organization" | "project" | "application" | "group";

/** The payloads of metadata, with the rules of `payloads.ts`. Keys and values of users are personal. */
export type MetadataPayloads = { readonly [K in MetadataKind as `${K}.metadata.set`]: MetadataSetPayload } & {
  readonly [K in MetadataKind as `${K}.metadata.removed`]: MetadataRemovedPayload;
};
