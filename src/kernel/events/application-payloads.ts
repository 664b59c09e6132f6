/** The payloads of the events of applications, with the rules of `payloads.ts`; those of older versions with the rules of `older-payloads.ts`. */

/** A fact that its type says all about. */
export type Nothing = Record<never, never>;

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

/** Where the metadata of a SAML application comes from, and what is known of it. */
export interface SamlSourcePayload {
  /** Empty when the document was sent. */
  readonly metadata_url: string;
  /** Absent while the document behind metadata_url could not be had. */
  readonly metadata?: SamlMetadataPayload;
  /** Why it could not; absent with metadata. */
  readonly metadata_error?: string;
}

/** What the owner of a SAML application decides besides its metadata: a change replaces all of it. */
export interface SamlSettingsPayload {
  readonly require_signed_requests: boolean;
  readonly encryption: string;
  /** Empty: what the request or the metadata asks for. */
  readonly name_id_format: string;
  readonly allow_idp_initiated: boolean;
  /** Empty: none. */
  readonly default_relay_state: string;
  readonly logout_disabled: boolean;
  /** Empty: all that we have, and what the metadata asks for. */
  readonly attributes: readonly {
    readonly name: string;
    /** Empty: basic. */
    readonly name_format: string;
    /** What it tells of the user; absent with `constant`. */
    readonly source?: string;
    /** The text that it tells of every user; absent with `source`. */
    readonly constant?: string;
  }[];
  /** Whether only what the metadata asks for is sent; absent: it is not so. */
  readonly only_requested_attributes?: boolean;
}

/** How an application uses OpenID Connect: a change replaces all of it. Enums are named without their prefix. */
export interface OidcApplicationPayload {
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
  /** Absent = none. */
  readonly back_channel_logout_uri?: string;
  /** What the claim `groups` tells; absent = the keys of roles. */
  readonly groups_claim?: string;
  /** Absent = NONE. */
  readonly security_profile?: string;
  /** Absent = false. */
  readonly require_par?: boolean;
  /** Absent = false. */
  readonly require_dpop?: boolean;
  /** What names users; absent = their ids. */
  readonly subject?: string;
}

/** How an API uses OAuth: a change replaces all of it. */
export interface ApiApplicationPayload {
  readonly auth_method_type: string;
  /** Absent = none. */
  readonly resource?: string;
  /** PENDING or VERIFIED; absent without a resource. */
  readonly resource_state?: string;
  /** Absent = none. */
  readonly scopes?: readonly {
    readonly name: string;
    readonly description: string;
    readonly is_default: boolean;
    readonly role_keys: readonly string[];
  }[];
  /** Absent = false. */
  readonly dev_mode?: boolean;
  /** Whether external clients may have tokens for the resource; absent = false. */
  readonly allow_external_clients?: boolean;
}

/** What a client says of itself that nobody has created: a change replaces all of it. */
export interface ExternalClientPayload {
  /** It may be that of others. */
  readonly name: string;
  readonly redirect_uris: readonly string[];
  readonly grant_types: readonly string[];
  readonly app_type: string;
  readonly auth_method_type: string;
  /** What its assertions are verified with, by the names that these use; absent = nothing. */
  readonly keys?: readonly {
    readonly key_id: string;
    /** A JSON Web Key (RFC 7517). */
    readonly public_key: string;
  }[];
  /** Where the keys come from; absent = the client has sent them. */
  readonly jwks_uri?: string;
}

/** The payload of each type of event of an application. */
export interface ApplicationPayloads {
  "application.added": SamlSourcePayload & { readonly project_id: string; readonly name: string };
  "application.changed": { readonly name: string };
  /** Another source of metadata. Without a document the one in force stays so. */
  "application.saml.changed": SamlSourcePayload;
  "application.saml.settings.changed": SamlSettingsPayload;
  "application.oidc.added": OidcApplicationPayload & { readonly project_id: string; readonly name: string };
  /** Replaces all settings. */
  "application.oidc.changed": OidcApplicationPayload;
  /** A client secret. The former one ends. */
  "application.oidc.secret.set": { readonly secret_id: string };
  /** The application authenticates in another way from now on. */
  "application.oidc.secret.removed": { readonly secret_id: string };
  "application.api.added": ApiApplicationPayload & { readonly project_id: string; readonly name: string };
  "application.api.changed": ApiApplicationPayload;
  /** As those of OpenID Connect. */
  "application.api.secret.set": { readonly secret_id: string };
  "application.api.secret.removed": { readonly secret_id: string };
  /** A client that nobody has created. `kind`: METADATA_DOCUMENT or REGISTRATION. */
  "application.external.added": ExternalClientPayload & {
    readonly project_id: string;
    readonly kind: string;
  };
  /** What its document says from now on. `is_other`: what users have confirmed does not hold for it. */
  "application.external.changed": ExternalClientPayload & { readonly is_other: boolean };
  "application.key.added": {
    readonly key_id: string;
    /** A JSON Web Key (RFC 7517). */
    readonly public_key: string;
    /** Absent = never expires. */
    readonly expiration_date?: string;
  };
  "application.key.removed": { readonly key_id: string };
  "application.deactivated": Nothing;
  "application.reactivated": Nothing;
  "application.removed": Nothing;
  "application.metadata.fetched": SamlMetadataPayload;
  /** The document could not be used; `is_final` is false while it is only not reachable. */
  "application.metadata.failed": { readonly error: string; readonly is_final: boolean };
}

/** Version 1 of `application.api.changed`. */
export interface ApiApplicationChangedV1 {
  readonly auth_method_type: string;
}

/** Version 1 of `application.api.added`. */
export interface ApiApplicationAddedV1 extends ApiApplicationChangedV1 {
  readonly project_id: string;
  readonly name: string;
}

/** Version 2 of `application.api.changed`. */
export interface ApiApplicationChangedV2 extends ApiApplicationChangedV1 {
  readonly resource?: string;
  readonly resource_state?: string;
  readonly scopes?: readonly {
    readonly name: string;
    readonly description: string;
    readonly is_default: boolean;
    readonly role_keys: readonly string[];
  }[];
  readonly dev_mode?: boolean;
}

/** Version 2 of `application.api.added`. */
export interface ApiApplicationAddedV2 extends ApiApplicationChangedV2 {
  readonly project_id: string;
  readonly name: string;
}
