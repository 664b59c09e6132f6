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

/** All of a provider. */
export interface IdentityProviderPayload {
  readonly name: string;
  readonly styling_type: string;
  readonly auto_register: boolean;
  /** Exactly one of jwt, oidc and saml is set, the one of the kind. */
  readonly jwt?: JwtConfigPayload & { readonly audiences: readonly string[] };
  readonly oidc?: OidcConfigPayload;
  readonly saml?: SamlProviderPayload;
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
