/** What the payloads of identity providers hold, by their kind. */

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

/** How the service finds people in a directory. */
export interface LdapConfigPayload {
  /** Names the attribute that identities are told apart by. */
  readonly issuer: string;
  readonly servers: readonly string[];
  readonly plain_text: boolean;
  readonly bind_dn: string;
  /** Id of the secret that holds the encrypted password of the service account; empty: there is none. */
  readonly bind_secret_id: string;
  readonly base_dn: string;
  readonly user_filter: string;
  readonly login_attributes: readonly string[];
  readonly id_attribute: string;
  readonly username_attribute: string;
  readonly email_attribute: string;
  readonly given_name_attribute: string;
  readonly family_name_attribute: string;
  readonly display_name_attribute: string;
  readonly preferred_language_attribute: string;
  readonly trust_mail: boolean;
  readonly member_of_attribute: string;
  readonly group_base_dn: string;
  readonly group_member_attribute: string;
  readonly ca_certificates: string;
}

/** How people log in at a provider of SAML. */
export interface SamlProviderPayload {
  /** What links of users name as their issuer: the entity id, and behind `#` the name of the attribute that identifies people. */
  readonly issuer: string;
  readonly entity_id: string;
  /** Exactly one of metadata_url and metadata_xml is not empty. */
  readonly metadata_url: string;
  readonly metadata_xml: string;
  readonly id_attribute: string;
  readonly trust_mail: boolean;
}

/** How people log in at a provider that the service knows beforehand. */
export interface TemplatePayload {
  /** Its name here: `google`, `entra`, `github`, `gitlab` or `apple`. */
  readonly template: string;
  /** What links of users name as their issuer. */
  readonly issuer: string;
  readonly client_id: string;
  /** Id of the secret that holds the encrypted client secret, or the key that client secrets are signed with. */
  readonly secret_id: string;
  /** Empty: the address that everybody knows. */
  readonly base_url: string;
  /** Of Entra alone. */
  readonly tenants: readonly string[];
  /** Of Apple alone, as `key_id`. */
  readonly team_id: string;
  readonly key_id: string;
}

/** All of a provider. */
export interface IdentityProviderPayload {
  readonly name: string;
  readonly styling_type: string;
  readonly auto_register: boolean;
  /** Exactly one of jwt, oidc, saml, ldap and template is set, the one of the kind. */
  readonly jwt?: JwtConfigPayload & { readonly audiences: readonly string[] };
  readonly oidc?: OidcConfigPayload;
  readonly saml?: SamlProviderPayload;
  readonly ldap?: LdapConfigPayload;
  readonly template?: TemplatePayload;
}

/** Version 1 of `identity_provider.added` and `identity_provider.changed`. */
export interface IdentityProviderV1 {
  readonly name: string;
  readonly styling_type: string;
  readonly auto_register: boolean;
  readonly jwt?: {
    readonly jwt_endpoint: string;
    readonly issuer: string;
    readonly keys_endpoint: string;
    readonly header_name: string;
    readonly audiences: readonly string[];
  };
  readonly oidc?: {
    readonly client_id: string;
    readonly client_secret_id: string;
    readonly issuer: string;
    readonly scopes: readonly string[];
    readonly display_name_mapping: string;
    readonly username_mapping: string;
  };
}

/** Version 2 of them. */
export interface IdentityProviderV2 extends IdentityProviderV1 {
  readonly saml?: {
    readonly issuer: string;
    readonly entity_id: string;
    readonly metadata_url: string;
    readonly metadata_xml: string;
    readonly id_attribute: string;
    readonly trust_mail: boolean;
  };
}

/** Version 3 of them. */
export interface IdentityProviderV3 extends IdentityProviderV2 {
  readonly ldap?: {
    readonly issuer: string;
    readonly servers: readonly string[];
    readonly plain_text: boolean;
    readonly bind_dn: string;
    readonly bind_secret_id: string;
    readonly base_dn: string;
    readonly user_filter: string;
    readonly login_attributes: readonly string[];
    readonly id_attribute: string;
    readonly username_attribute: string;
    readonly email_attribute: string;
    readonly given_name_attribute: string;
    readonly family_name_attribute: string;
    readonly display_name_attribute: string;
    readonly preferred_language_attribute: string;
    readonly trust_mail: boolean;
    readonly member_of_attribute: string;
    readonly group_base_dn: string;
    readonly group_member_attribute: string;
    readonly ca_certificates: string;
  };
}
