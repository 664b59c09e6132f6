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
