/**
 * The payload of every type of event, in the version that is written. Keys are the proto names, 64-bit values strings, instants
 * RFC 3339. Payloads hold no secret, only the ids of secrets.
 *
 * A payload whose fields change, if only by an optional one, gets a new version: the old payload moves to `older-payloads.ts`
 * with its upgrade, because logs hold it forever. `test/events/payloads` compares every payload with its frozen description.
 */

/** How JSON Web Tokens of an identity provider are found and checked. */
export interface JwtConfigPayload {
  readonly jwt_endpoint: string;
  readonly issuer: string;
  readonly keys_endpoint: string;
  readonly header_name: string;
}

/** How the service speaks to an OpenID provider. */
export interface OidcConfigPayload {
  readonly client_id: string;
  /** Id of the secret that holds the encrypted client secret. */
  readonly client_secret_id: string;
  readonly issuer: string;
  readonly scopes: readonly string[];
  readonly display_name_mapping: string;
  readonly username_mapping: string;
}

/** All settings of a project: a change replaces every one of them. */
export interface ProjectSettingsPayload {
  readonly name: string;
  readonly project_role_assertion: boolean;
  readonly project_role_check: boolean;
  readonly has_project_check: boolean;
  readonly private_labeling_setting: string;
}

/** What the metadata of a service provider says, and the document itself. */
export interface SamlMetadataPayload {
  readonly entity_id: string;
  /** The document as it was sent or fetched (UTF-8). */
  readonly metadata_xml: string;
  readonly assertion_consumer_services: readonly {
    readonly binding: string;
    readonly location: string;
    readonly index: number;
    readonly is_default: boolean;
  }[];
  /** Empty when the document does not say; absent in events that were recorded before it was kept. */
  readonly valid_until?: string;
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
}

/** Where the metadata of a SAML application comes from, and what is known of it. */
export interface SamlSourcePayload {
  /** Empty when the document was sent. */
  readonly metadata_url: string;
  /** Absent while the document behind metadata_url could not be had. */
  readonly metadata?: SamlMetadataPayload;
  /** Why it could not; absent with metadata. */
  readonly metadata_error?: string;
}

/** What became of tokens that were made with those that went. */
export interface TokenRemovalPayload {
  /** Set when those went too that had been made for other users. Only events of version 1 mean that. */
  readonly takes_tokens_for_others?: true;
}

/** A fact that its type says all about. */
type Nothing = Record<never, never>;

/** The payload of each type of event. The type begins with its aggregate. */
export interface EventPayloads {
  "organization.added": { readonly name: string };
  "organization.changed": { readonly name: string };
  "organization.deactivated": Nothing;
  "organization.reactivated": Nothing;
  /** With everything in it, its project grants elsewhere and what its users hold elsewhere. */
  "organization.removed": TokenRemovalPayload;
  "membership.added": {
    readonly user_id: string;
    /** Exactly one of these four is set. */
    readonly instance?: true;
    readonly organization_id?: string;
    readonly project_id?: string;
    readonly project_grant_id?: string;
    readonly roles: readonly string[];
    /** Tokens of the user that do not carry the roles; absent = none. */
    readonly limited_token_ids?: readonly string[];
  };
  "membership.changed": {
    readonly roles: readonly string[];
    /** Tokens of the user that do not carry the roles that are added; absent = none. */
    readonly limited_token_ids?: readonly string[];
  };
  "membership.removed": Nothing;
  "identity_provider.added": {
    readonly name: string;
    readonly styling_type: string;
    readonly auto_register: boolean;
    /** Exactly one of jwt and oidc is set. */
    readonly jwt?: JwtConfigPayload & { readonly audiences: readonly string[] };
    readonly oidc?: OidcConfigPayload;
  };
  /** Replaces everything. Exactly one of jwt and oidc is set, the one of the kind. */
  "identity_provider.changed": {
    readonly name: string;
    readonly styling_type: string;
    readonly auto_register: boolean;
    readonly jwt?: JwtConfigPayload & { readonly audiences: readonly string[] };
    readonly oidc?: OidcConfigPayload;
  };
  "identity_provider.jwt.changed": JwtConfigPayload;
  "identity_provider.deactivated": Nothing;
  "identity_provider.reactivated": Nothing;
  "identity_provider.removed": Nothing;
  "user.added": UserPayload & {
    readonly kind: "human" | "service";
    /** E.164; absent without phone. */
    readonly phone?: string;
  };
  /** Replaces all fields of the kind. A new e-mail is not verified. */
  "user.changed": UserPayload;
  "user.deactivated": Nothing;
  "user.reactivated": Nothing;
  "user.locked": Nothing;
  "user.unlocked": Nothing;
  /** With their tokens, factors, grants and memberships. Their key is destroyed with it. */
  "user.removed": TokenRemovalPayload;
  "user.phone.set": { readonly phone: string };
  "user.phone.code.added": Nothing;
  "user.phone.verified": Nothing;
  "user.phone.removed": Nothing;
  "user.u2f.added": { readonly u2f_id: string; readonly domain: string };
  "user.u2f.verified": {
    readonly u2f_id: string;
    readonly name: string;
    /** base64url, as the authenticator gave it. */
    readonly credential_id: string;
    /** base64url of the COSE key. */
    readonly public_key: string;
    readonly counter: string;
    readonly aaguid: string;
    readonly attestation_format: string;
  };
  "user.u2f.removed": { readonly u2f_id: string };
  "user.token.added": {
    readonly token_id: string;
    /** Absent = never expires. */
    readonly expiration_date?: string;
    /** The token that this one was made with. Who made it is the editor. Absent for those of the system. */
    readonly made_with_token_id?: string;
  };
  /** With those that its user made with it for themselves. */
  "user.token.removed": { readonly token_id: string } & TokenRemovalPayload;
  "user.key.added": {
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
  "user.secret.set": {
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
  "project_grant.added": {
    readonly project_id: string;
    readonly granted_organization_id: string;
    readonly role_keys: readonly string[];
  };
  /** Replaces the roles. User grants that rest on it lose those that are not among them any more. */
  "project_grant.changed": { readonly role_keys: readonly string[] };
  "project_grant.deactivated": Nothing;
  "project_grant.reactivated": Nothing;
  /** With the user grants and memberships that rest on it. */
  "project_grant.removed": Nothing;
  "user_grant.added": {
    readonly user_id: string;
    readonly project_id: string;
    /** Empty when the organization owns the project. */
    readonly project_grant_id: string;
    readonly role_keys: readonly string[];
  };
  "user_grant.changed": { readonly role_keys: readonly string[] };
  "user_grant.deactivated": Nothing;
  "user_grant.reactivated": Nothing;
  "user_grant.removed": Nothing;
  "application.added": SamlSourcePayload & { readonly project_id: string; readonly name: string };
  "application.changed": { readonly name: string };
  /** Another source of metadata. Without a document the one in force stays so. */
  "application.saml.changed": SamlSourcePayload;
  "application.deactivated": Nothing;
  "application.reactivated": Nothing;
  "application.removed": Nothing;
  "application.metadata.fetched": SamlMetadataPayload;
  /** The document could not be used; `is_final` is false while it is only not reachable. */
  "application.metadata.failed": { readonly error: string; readonly is_final: boolean };
  "signing_key.added": {
    readonly algorithm: string;
    /** A JSON Web Key (RFC 7517). */
    readonly public_key: string;
    /** ACTIVE when it signs at once, else NEXT. */
    readonly state: string;
  };
  /** From now on it signs. */
  "signing_key.activated": Nothing;
  /** From now on it does not sign. It is published until that date. */
  "signing_key.retired": { readonly expiration_date: string };
  /** From now on what it signed is worth nothing. */
  "signing_key.removed": Nothing;
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
  | "application"
  | "signing_key";
